# A small run of bench_implicit from beginning to end: two scene files and two comparisons, whatever engines are
# installed. Times are not looked at.
#   cmake -DPROGRAM=... -P check_run.cmake
execute_process(COMMAND ${PROGRAM} --scene cube_tips,disc_rolls,rolling,spinning --runs 1
  RESULT_VARIABLE status OUTPUT_VARIABLE table ERROR_VARIABLE message)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "bench_implicit ended with ${status}: ${message}")
endif()
foreach(pattern "\ncube_tips +400 " "\ndisc_rolls +1000 " "\nrolling: " "\nspinning: " "\nimplicit +[0-9.]+ " "\node" "\nmujoco"
    "\nbullet")
  if(NOT table MATCHES "${pattern}")
    message(FATAL_ERROR "the table lacks \"${pattern}\":\n${table}")
  endif()
endforeach()
if(table MATCHES "\ncylinder_walks|\nimplicit[^\n]*unsolved|time limit")
  message(FATAL_ERROR "the table has what it should not:\n${table}")
endif()

execute_process(COMMAND ${PROGRAM} --list RESULT_VARIABLE status OUTPUT_VARIABLE lists)
if(NOT status EQUAL 0 OR NOT lists MATCHES "file bin-20\n.*scene spinning\n")
  message(FATAL_ERROR "--list: ${lists}")
endif()
execute_process(COMMAND ${PROGRAM} --count implicit --scene cube_tips --steps 100 OUTPUT_VARIABLE steps)
if(NOT steps STREQUAL "steps 99\n")
  message(FATAL_ERROR "--count: ${steps}")
endif()
foreach(wrong "--runs;none" "--runs;0" "--time-limit;-1" "--nothing" "stray" "--count;nobody")
  execute_process(COMMAND ${PROGRAM} ${wrong} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    message(FATAL_ERROR "bench_implicit accepted ${wrong}")
  endif()
endforeach()
