# What `cmake --install` copies, by the package that it belongs to (cmake/package.cmake), and the package with which another CMake project finds the library:
#   find_package(isaforge REQUIRED)
#   target_link_libraries(mine PRIVATE isaforge::isaforge)
# and any other one:
#   g++ -std=c++20 mine.cpp $(pkg-config --cflags --libs isaforge)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/isaforge)

set_target_properties(libisaforge PROPERTIES EXPORT_NAME isaforge)
install(TARGETS libisaforge EXPORT isaforge-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/isaforge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY isas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/isaforge COMPONENT command)
install(TARGETS isaforge RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)

file(RELATIVE_PATH prefix_from_here /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_here ${prefix_from_here})
configure_file(cmake/isaforge.pc.in ${CMAKE_BINARY_DIR}/isaforge.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/isaforge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The command tells its manual pages and what completes its command lines; what it tells is as old as itself.
set(told ${CMAKE_BINARY_DIR}/told)
add_custom_command(TARGET isaforge POST_BUILD
                   COMMAND isaforge help --man-pages ${told}/man
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${told}/completion
                   COMMAND isaforge completion bash > ${told}/completion/isaforge
                   COMMAND isaforge completion zsh > ${told}/completion/_isaforge
                   COMMAND isaforge completion fish > ${told}/completion/isaforge.fish
                   VERBATIM)
install(DIRECTORY ${told}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
install(FILES ${told}/completion/isaforge DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT command)
# Where zsh looks is another folder for what the system brings.
set(zsh_folder site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
  set(zsh_folder vendor-completions)
endif()
install(FILES ${told}/completion/_isaforge DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} COMPONENT command)
install(FILES ${told}/completion/isaforge.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT command)

install(EXPORT isaforge-targets NAMESPACE isaforge:: DESTINATION ${package_folder} COMPONENT development)
configure_package_config_file(cmake/isaforge-config.cmake.in ${CMAKE_BINARY_DIR}/isaforge-config.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/isaforge-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/isaforge-config.cmake ${CMAKE_BINARY_DIR}/isaforge-config-version.cmake
        DESTINATION ${package_folder} COMPONENT development)
