# Everything comes from Debian packages (scripts/setup installs them).
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(Boost REQUIRED)
find_path(KAREUS_TOML_INCLUDE toml++/toml.h REQUIRED)  # used as headers, see src/base/config_toml.cpp
find_path(KAREUS_NLOHMANN_INCLUDE nlohmann/json.hpp REQUIRED)
find_file(KAREUS_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
          NO_DEFAULT_PATH REQUIRED)

# The package's own CMake file names a program that another package holds, so the library is looked up by hand.
find_library(KAREUS_XGBOOST_LIBRARY xgboost REQUIRED)
find_path(KAREUS_XGBOOST_INCLUDE xgboost/c_api.h REQUIRED)
add_library(xgboost::xgboost SHARED IMPORTED)
set_target_properties(xgboost::xgboost PROPERTIES IMPORTED_LOCATION ${KAREUS_XGBOOST_LIBRARY}
                      INTERFACE_INCLUDE_DIRECTORIES ${KAREUS_XGBOOST_INCLUDE})
