# What `cmake --install` copies, and the package with which another CMake project finds the library:
#   find_package(isaforge REQUIRED)
#   target_link_libraries(mine PRIVATE isaforge::isaforge)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/isaforge)

set_target_properties(libisaforge PROPERTIES EXPORT_NAME isaforge)
install(TARGETS libisaforge EXPORT isaforge-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/isaforge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY isas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/isaforge)
install(TARGETS isaforge RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(EXPORT isaforge-targets NAMESPACE isaforge:: DESTINATION ${package_folder})
configure_package_config_file(cmake/isaforge-config.cmake.in ${CMAKE_BINARY_DIR}/isaforge-config.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/isaforge-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/isaforge-config.cmake ${CMAKE_BINARY_DIR}/isaforge-config-version.cmake
        DESTINATION ${package_folder})
