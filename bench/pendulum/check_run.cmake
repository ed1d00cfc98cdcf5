# A small run of bench_pendulum from beginning to end, whatever engines are installed. Times are not looked at.
#   cmake -DPROGRAM=... -P check_run.cmake
execute_process(COMMAND ${PROGRAM} --links 3 --growth 8,16 --duration 0.7 --time-limit 1
  RESULT_VARIABLE status OUTPUT_VARIABLE table ERROR_VARIABLE message)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "bench_pendulum ended with ${status}: ${message}")
endif()
foreach(pattern "\nT3: " "\ntouchstone +[0-9.]+ +1\\.000 +[0-9.]+ +[0-9.]+ " "\nredundant " "\nmujoco" "\nbullet" "\node"
    "\nTargets" "four on the floor.*\ntouchstone +[0-9.]+ +[0-9.]+ \\^")
  if(NOT table MATCHES "${pattern}")
    message(FATAL_ERROR "the table lacks \"${pattern}\":\n${table}")
  endif()
endforeach()
if(table MATCHES "(touchstone|redundant)[^\n]*unsolved")
  message(FATAL_ERROR "the table has what it should not:\n${table}")
endif()

execute_process(COMMAND ${PROGRAM} --list OUTPUT_VARIABLE lists)
if(NOT lists MATCHES "engine touchstone\nengine redundant\n")
  message(FATAL_ERROR "--list: ${lists}")
endif()
execute_process(COMMAND ${PROGRAM} --count rests --links 12 --engine touchstone OUTPUT_VARIABLE steps)
if(NOT steps STREQUAL "steps 49\n")
  message(FATAL_ERROR "--count: ${steps}")
endif()
foreach(wrong "--links;2" "--links;3,,6" "--links;none" "--rounds;0" "--duration;0.1" "--count;flies" "--count;rests"
    "--nothing" "stray")
  execute_process(COMMAND ${PROGRAM} ${wrong} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    message(FATAL_ERROR "bench_pendulum accepted ${wrong}")
  endif()
endforeach()
