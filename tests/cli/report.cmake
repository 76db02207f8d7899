# Draws example reports with test_report and opens them in a headless browser (included by tests/CMakeLists.txt).
find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(report_examples ${CMAKE_BINARY_DIR}/report_examples)

add_test(NAME report_examples COMMAND test_report --gtest_filter=ReportExample.WritesPages)
set_tests_properties(report_examples PROPERTIES LABELS browser TIMEOUT 120 FIXTURES_SETUP report_examples
                     ENVIRONMENT "KAREUS_REPORT_EXAMPLES=${report_examples}")

# `empty` has no frontier points, `hostile` has markup in every text, `large` has 10 stages of 128 microbatches.
add_test(NAME report_browser_evaluation
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/evaluation_browser.py ${report_examples}/evaluation.html)
set_tests_properties(report_browser_evaluation PROPERTIES LABELS browser TIMEOUT 300
                     FIXTURES_REQUIRED report_examples)
foreach(page example hostile smallest empty large)
  add_test(NAME report_browser_${page}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/report_browser.py ${report_examples}/${page}.html)
  set_tests_properties(report_browser_${page} PROPERTIES LABELS browser TIMEOUT 300
                       FIXTURES_REQUIRED report_examples)
endforeach()
