# The iteration curve against a linear program (tests/oracle/check_curve.py). scipy is Debian's, which another Python
# that comes first in PATH does not see.
add_subdirectory(${PROJECT_SOURCE_DIR}/bench/frontier ${CMAKE_BINARY_DIR}/bench/frontier)
find_program(KAREUS_SCIPY_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)

set(bench ${CMAKE_CURRENT_SOURCE_DIR}/data/perseus-bench)
function(oracle_test name)
  add_test(NAME oracle_${name}
           COMMAND ${KAREUS_SCIPY_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/oracle/check_curve.py
                   $<TARGET_FILE:solve_fn> ${ARGN})
  set_tests_properties(oracle_${name} PROPERTIES LABELS oracle TIMEOUT 120)
endfunction()

oracle_test(2x4 ${bench}/exp_s2_m8_u10ms.fn --microbatches 4)
oracle_test(3x5 ${bench}/pwl_s4_m8_u5ms.fn --stages 3 --microbatches 5)
oracle_test(4x8_lags ${bench}/exp_s4_m8_u10ms.fn --transfer 1.7 --tail 12)
oracle_test(4x8_gpipe_lags ${bench}/pwl_s4_m8_u5ms.fn --schedule gpipe --transfer 0.6 --tail 30)
oracle_test(4x8_interleaved ${bench}/exp_s4_m8_u10ms.fn --schedule interleaved --chunks 2 --transfer 0.6 --tail 9)
oracle_test(4x8_zero_bubble ${bench}/exp_s4_m8_u10ms.fn --schedule zb-h1 --transfer 0.6 --tail 9)
oracle_test(4x8_early_recompute ${bench}/exp_s4_m8_u10ms.fn --schedule early-recompute --transfer 0.6 --tail 9)
oracle_test(random random:1-40 --transfer 0.25 --tail 3)
oracle_test(sees_differences ${bench}/exp_s2_m8_u10ms.fn --deadlines 4 --mislead)
