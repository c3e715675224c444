# The runtime library that GPU programs load in place of the system's: built where the interface's headers are. It lies in a
# folder of its own, which nothing but `isaforge gpu` puts on a program's path.
find_path(HSA_HEADERS hsa/hsa_ext_amd.h)
if(NOT HSA_HEADERS OR ISAFORGE_FUZZ)
  return()
endif()

file(GLOB hsa_sources CONFIGURE_DEPENDS src/hsa/*.cpp)
add_library(hsa SHARED ${hsa_sources})
set(gpu_folder ${CMAKE_BINARY_DIR}/gpu)
set_target_properties(hsa PROPERTIES OUTPUT_NAME hsa-runtime64 SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${gpu_folder}
                                     CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                     LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/hsa/exports.map)
target_include_directories(hsa PRIVATE src)
target_include_directories(hsa SYSTEM PRIVATE ${HSA_HEADERS})
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)  # where in the program a kernel was launched
target_link_libraries(hsa PRIVATE libisaforge isaforge_options fmt::fmt PkgConfig::LIBDW ${CMAKE_DL_LIBS})
target_link_options(hsa PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/hsa/exports.map -Wl,-z,nodelete
                                -Wl,--gc-sections -Wl,-Bsymbolic)
add_dependencies(isaforge hsa)
install(TARGETS hsa LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/isaforge/gpu COMPONENT command)

add_library(gpu_driver MODULE src/hsa/driver/answers.cpp)
set_target_properties(gpu_driver PROPERTIES OUTPUT_NAME isaforge-driver LIBRARY_OUTPUT_DIRECTORY ${gpu_folder}
                                            CXX_VISIBILITY_PRESET hidden)
target_link_libraries(gpu_driver PRIVATE isaforge_options ${CMAKE_DL_LIBS})
add_dependencies(isaforge gpu_driver)
install(TARGETS gpu_driver LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/isaforge/gpu COMPONENT command)
