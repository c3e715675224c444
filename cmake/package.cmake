# Debian packages of our own, by CPack: `make deb`. They are made of the same install rules as `make install`, so that nothing
# says twice what belongs where; a debian/ folder would have to, and is for those who bring Isaforge into an archive.
#   isaforge          the command, its descriptions and manual pages, the compiler plug-in, the runtime library for GPU programs
#   libisaforge-dev   the library
#   python3-isaforge  the Python module
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME isaforge)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/compress.cmake)

# Whoever makes packages says who that is as for Debian's own tools.
set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if(NOT DEFINED ENV{DEBEMAIL})
  set(maintainer "Isaforge maintainers <maintainers@isaforge.example>")
endif()
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${maintainer})
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(about "It turns a description of an instruction set, which reads like its
designer's notes, into a checker, an assembler, a disassembler, an
emulator, a debugger and a manual. AMD GCN, FabRISC and the WISHBONE GPU
are built in.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME isaforge)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS libedit2)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "Toolchain from one description of an instruction set\n${about}")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libisaforge-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libelf-dev, libfmt-dev, libmd4c-dev, libpng-dev, libyaml-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS isaforge)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Library of Isaforge, a toolchain for instruction sets\n${about}

This package has the static library and its headers.")

if(TARGET python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(next_python ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR})
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-isaforge)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= ${next_python}), python3 (<< ${Python3_VERSION_MAJOR}.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS isaforge)  # for the compiler, and the command
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Python module of Isaforge, a toolchain for instruction sets\n${about}")
endif()

# What Debian wants to find in every package.
execute_process(COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_SOURCE_DIR}/CHANGELOG.md -DTO=${CMAKE_BINARY_DIR}/packaging/changelog
                        "-DMAINTAINER=${maintainer}" -P ${CMAKE_SOURCE_DIR}/packaging/changelog.cmake
                COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES packaging/copyright ${CMAKE_BINARY_DIR}/packaging/changelog
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

include(CPack)
