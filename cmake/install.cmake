# What `cmake --install` puts in place: the command, the library, its headers, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)
set(TOUCHSTONE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/touchstone)

install(TARGETS touchstone EXPORT touchstone-targets)
install(TARGETS touchstone_command)
if(TARGET touchstone_mpi)
  install(TARGETS touchstone_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/touchstone TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE src/sampling/LICENSE-joe-kuo.txt TYPE DOC)

install(EXPORT touchstone-targets NAMESPACE touchstone:: DESTINATION ${TOUCHSTONE_PACKAGE_DIR})
configure_package_config_file(cmake/touchstone-config.cmake.in touchstone-config.cmake
  INSTALL_DESTINATION ${TOUCHSTONE_PACKAGE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(touchstone-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/touchstone-config.cmake ${PROJECT_BINARY_DIR}/touchstone-config-version.cmake
  DESTINATION ${TOUCHSTONE_PACKAGE_DIR})

# Private libraries are named for those who link statically (pkg-config --static).
list(JOIN OPENBLAS_LDFLAGS " " OPENBLAS_FLAGS)
list(JOIN HDF5_LDFLAGS " " HDF5_FLAGS)
# The prefix is found from where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/touchstone.pc.in touchstone.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/touchstone.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
