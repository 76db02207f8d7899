# kareus_room(NAME [USES room...] [LIBRARIES target...]): the sources of src/NAME as the library kareus_NAME.
# Libraries stay private: no public header shows one, save tl::expected.
function(kareus_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp)
  if(NOT sources)
    add_library(kareus_${name} INTERFACE)  # room still empty
    return()
  endif()
  add_library(kareus_${name} STATIC ${sources})
  target_include_directories(kareus_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(kareus_${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror=switch -Werror
                         -Wno-restrict)  # false alarms of g++ 12 on std::string
  list(TRANSFORM ROOM_USES PREPEND kareus_)
  target_link_libraries(kareus_${name} PUBLIC ${ROOM_USES} tl::expected PRIVATE ${ROOM_LIBRARIES} fmt::fmt)
endfunction()
