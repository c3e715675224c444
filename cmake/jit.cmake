# The compiler: a plug-in that the machine loads when a program runs long, built where LLVM 19 is. All that it shares with the
# library are headers and what of the form it needs; LLVM is linked to nothing else.
find_package(LLVM 19.1 QUIET CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_program(KERNEL_COMPILER clang++-19)
if(NOT LLVM_FOUND OR NOT KERNEL_COMPILER)
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
add_library(jit MODULE ${jit_sources} src/hsa/lifetime.cpp src/ir/dominators.cpp ${kernels_bitcode})
set_target_properties(jit PROPERTIES OUTPUT_NAME isaforge-jit CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
set_source_files_properties(src/jit/kernels_bitcode.cpp PROPERTIES OBJECT_DEPENDS ${kernels_bitcode})
target_compile_definitions(jit PRIVATE ISAFORGE_KERNELS_BITCODE="${kernels_bitcode}")
target_include_directories(jit PRIVATE src include)
target_include_directories(jit SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(jit PRIVATE isaforge_options)
# What is needed of LLVM becomes part of the plug-in, which is loaded in a quarter of the time that the whole library takes.
execute_process(
  COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libs native passes executionengine runtimedyld bitreader linker
  OUTPUT_VARIABLE llvm_parts OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_library(ZSTD NAMES zstd libzstd.so.1)  # of compressed debug information, of which there is none
if(llvm_parts AND ZSTD)
  separate_arguments(llvm_parts)
  target_link_directories(jit PRIVATE ${LLVM_LIBRARY_DIRS})
  target_link_libraries(jit PRIVATE ${llvm_parts} ${ZSTD} z ${CMAKE_DL_LIBS} m)
  target_link_options(jit PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--as-needed)
else()
  target_link_libraries(jit PRIVATE LLVM)
endif()
install(TARGETS jit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/isaforge COMPONENT command)
add_dependencies(isaforge jit)
