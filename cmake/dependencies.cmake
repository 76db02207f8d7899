# Everything comes from Debian packages (scripts/setup installs them).
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tl-expected REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(xgboost REQUIRED)
find_package(Threads REQUIRED)
find_path(KAREUS_NLOHMANN_INCLUDE nlohmann/json.hpp REQUIRED)
find_file(KAREUS_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
          NO_DEFAULT_PATH REQUIRED)
