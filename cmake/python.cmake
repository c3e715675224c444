# The Python module, built where pybind11 and NumPy's users are: a package below ${CMAKE_BINARY_DIR}/python that works from
# there, and that setup.py puts into wheels. No sanitizer looks into it, since Python itself is built without.
if(ISAFORGE_FUZZ OR ISAFORGE_SANITIZE)
  return()
endif()
# Packages of the system's are for the system's Python, whatever others there are; setup.py says which one asks.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 QUIET COMPONENTS Interpreter Development.Module)
set(PYBIND11_FINDPYTHON ON)
set(Python_EXECUTABLE ${Python3_EXECUTABLE})
find_package(pybind11 2.10 QUIET)
if(NOT Python3_FOUND OR NOT pybind11_FOUND)
  return()
endif()

set(python_package ${CMAKE_BINARY_DIR}/python/isaforge)
file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cpp)
pybind11_add_module(python MODULE NO_EXTRAS ${python_sources})
set_target_properties(python PROPERTIES OUTPUT_NAME _isaforge LIBRARY_OUTPUT_DIRECTORY ${python_package}
                                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_compile_definitions(python PRIVATE ISAFORGE_VERSION="${PROJECT_VERSION}")
target_compile_options(python PRIVATE $<$<CONFIG:Release>:-O1>)  # it hands on what the library does
target_link_libraries(python PRIVATE libisaforge isaforge_options)
target_link_options(python PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)

# What is Python itself.
file(GLOB python_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/isaforge/*.py ${CMAKE_SOURCE_DIR}/python/isaforge/*.pyi
                                         ${CMAKE_SOURCE_DIR}/python/isaforge/py.typed)
foreach(file IN LISTS python_files)
  get_filename_component(name ${file} NAME)
  add_custom_command(OUTPUT ${python_package}/${name}
                     COMMAND ${CMAKE_COMMAND} -E copy ${file} ${python_package}/${name} DEPENDS ${file} VERBATIM)
  list(APPEND copied ${python_package}/${name})
endforeach()
target_sources(python PRIVATE ${copied})

# The compiler is found beside the module.
if(TARGET jit)
  add_custom_command(TARGET python POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:jit> ${python_package}/$<TARGET_FILE_NAME:jit>
                     VERBATIM)
  add_dependencies(python jit)
endif()

# Its place among Debian's Python modules, with a way from there to the compiler, for packages alone: pip has its own ways.
set(python_folder lib/python3/dist-packages/isaforge)
install(TARGETS python LIBRARY DESTINATION ${python_folder} COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${python_files} DESTINATION ${python_folder} COMPONENT python EXCLUDE_FROM_ALL)
if(TARGET jit)
  file(RELATIVE_PATH way /${python_folder} /${CMAKE_INSTALL_LIBDIR}/isaforge/libisaforge-jit.so)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/packaging)
  file(CREATE_LINK ${way} ${CMAKE_BINARY_DIR}/packaging/libisaforge-jit.so SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/packaging/libisaforge-jit.so DESTINATION ${python_folder} COMPONENT python
          EXCLUDE_FROM_ALL)
endif()
