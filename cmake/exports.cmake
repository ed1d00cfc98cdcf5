# The linker's list of what the shared library exports: the functions that the public headers mark with TS_API. Hidden
# visibility does the same for all but functions compiled for several instruction sets, whose dispatchers GCC leaves
# visible.
function(touchstone_limit_exports target)
  file(GLOB headers CONFIGURE_DEPENDS include/touchstone/*.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  set(names "")
  foreach(header ${headers})
    file(READ ${header} text)
    string(REGEX MATCHALL "TS_API[^(;]*[ *]ts_[a-z0-9_]+\\(" declarations "${text}")
    foreach(declaration ${declarations})
      string(REGEX REPLACE ".*[ *](ts_[a-z0-9_]+)\\($" "\\1" name "${declaration}")
      string(APPEND names "    ${name};\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT exports.map CONTENT "{\n  global:\n${names}  local: *;\n};\n" @ONLY)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${PROJECT_BINARY_DIR}/exports.map")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${PROJECT_BINARY_DIR}/exports.map)
endfunction()
