# The compiler: a plug-in that the machine loads when a program runs long, built where LLVM 19 is. All that it shares with the
# library are headers and what of the form it needs; LLVM's library is linked to nothing else.
find_package(LLVM 19.1 QUIET CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_program(KERNEL_COMPILER clang++-19)
if(NOT LLVM_FOUND OR NOT KERNEL_COMPILER OR ISAFORGE_FUZZ)
  return()
endif()

# The kernels become LLVM's own form, from the header that the interpreter is made of.
set(kernels_source ${CMAKE_SOURCE_DIR}/src/jit/kernels.cpp)
set(kernels_bitcode ${CMAKE_BINARY_DIR}/generated/kernels.bc)
add_custom_command(
  OUTPUT ${kernels_bitcode}
  COMMAND ${KERNEL_COMPILER} -std=c++20 -O2 -emit-llvm -c -fno-exceptions -fno-rtti -ffp-contract=off -fno-math-errno
          -fno-vectorize -fno-slp-vectorize -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR}/include
          -MD -MF ${kernels_bitcode}.d ${kernels_source} -o ${kernels_bitcode}
  DEPENDS ${kernels_source}
  DEPFILE ${kernels_bitcode}.d
  VERBATIM)

file(GLOB jit_sources CONFIGURE_DEPENDS src/jit/*.cpp)
list(FILTER jit_sources EXCLUDE REGEX "/kernels\\.cpp$")
add_library(jit MODULE ${jit_sources} src/ir/dominators.cpp ${kernels_bitcode})
set_target_properties(jit PROPERTIES OUTPUT_NAME isaforge-jit CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
set_source_files_properties(src/jit/kernels_bitcode.cpp PROPERTIES OBJECT_DEPENDS ${kernels_bitcode})
target_compile_definitions(jit PRIVATE ISAFORGE_KERNELS_BITCODE="${kernels_bitcode}")
target_include_directories(jit PRIVATE src include)
target_include_directories(jit SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(jit PRIVATE isaforge_options LLVM)
install(TARGETS jit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/isaforge)
add_dependencies(isaforge jit)
