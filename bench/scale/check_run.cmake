# A small run of bench_scale from beginning to end. Times are not looked at.
#   cmake -DPROGRAM=... -P check_run.cmake
execute_process(COMMAND ${PROGRAM} --kind spheres,mixed --bodies 8 --friction 0.3,0.6 --seconds 0.1
  RESULT_VARIABLE status OUTPUT_VARIABLE table ERROR_VARIABLE message)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "bench_scale ended with ${status}: ${message}")
endif()
foreach(pattern "\n8 spheres, mu = 0.3, seed 1:" "\n8 mixed, mu = 0.6, seed 1:" "\n  touchstone +[0-9.]+ +[0-9.]+ +1\\.00 ")
  if(NOT table MATCHES "${pattern}")
    message(FATAL_ERROR "the table lacks \"${pattern}\":\n${table}")
  endif()
endforeach()
foreach(wrong "--kind;marbles" "--bodies;none" "--bodies;0" "--friction;-1" "--seconds;0" "--nothing" "stray")
  execute_process(COMMAND ${PROGRAM} ${wrong} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    message(FATAL_ERROR "bench_scale accepted ${wrong}")
  endif()
endforeach()
