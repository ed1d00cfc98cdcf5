# Small runs of bench_scale from beginning to end. Times are not looked at.
#   cmake -DPROGRAM=... -DFOLDER=... -P check_run.cmake
function(run_and_expect arguments)
  execute_process(COMMAND ${PROGRAM} ${arguments} RESULT_VARIABLE status OUTPUT_VARIABLE table ERROR_VARIABLE message)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "bench_scale ${arguments} ended with ${status}: ${message}")
  endif()
  foreach(pattern ${ARGN})
    if(NOT table MATCHES "${pattern}")
      message(FATAL_ERROR "bench_scale ${arguments}: the table lacks \"${pattern}\":\n${table}")
    endif()
  endforeach()
  set(table "${table}" PARENT_SCOPE)
endfunction()

# Every kind, from the fall to the first contacts; all steps of Touchstone are certified.
set(csv ${FOLDER}/bench_scale_check.csv)
file(REMOVE ${csv})
run_and_expect("--kind;spheres,boxes,mixed,wall,hopper,tumbler,ropes;--bodies;8,24;--friction;0.6;--seconds;0.3;--csv;${csv}"
  "\n8 spheres, mu = 0.6, seed 1:" "\n24 ropes, mu = 0.6, seed 1:" "\n  touchstone +[0-9.]+ +[0-9.]+ +1\\.00 "
  " 60/0/0 " "\n  tumbler +24 +0.6 touchstone +1 [^\n]*\\^")
if(table MATCHES "/[0-9]+/[1-9][0-9]* ")
  message(FATAL_ERROR "a step was not certified:\n${table}")
endif()
file(STRINGS ${csv} rows)
list(GET rows 0 head)
string(REGEX MATCHALL "," commas "${head}")
list(LENGTH commas expected)
list(LENGTH rows count)
if(count LESS 15)
  message(FATAL_ERROR "${csv} has only ${count} rows")
endif()
foreach(row IN LISTS rows)
  string(REGEX MATCHALL "," commas "${row}")
  list(LENGTH commas columns)
  if(NOT columns EQUAL expected)
    message(FATAL_ERROR "${csv}: a row does not have the columns of the head: ${row}")
  endif()
endforeach()

# Several seeds and coefficients, strictly to the tolerance.
run_and_expect("--kind;mixed;--bodies;8;--friction;0.3,0.8;--seeds;3;--seconds;0.1;--accuracy;0;--threads;1"
  "\n8 mixed, mu = 0.3, seed 3:" "\n8 mixed, mu = 0.8, seed 1:" " 20/0/0 " "\n  mixed +8 +0.8 touchstone +3 ")

foreach(wrong "--kind;marbles" "--bodies;none" "--bodies;1" "--friction;-1" "--seconds;0" "--threads;0" "--threads;two"
    "--accuracy;none" "--nothing" "stray" "--bodies;4;--seconds;0.05;--csv;${FOLDER}/no/such/folder.csv")
  execute_process(COMMAND ${PROGRAM} ${wrong} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    message(FATAL_ERROR "bench_scale accepted ${wrong}")
  endif()
endforeach()
