# Installs the build into a fresh folder, builds the consumer beside this file against it, and runs both what was built
# and what was installed.
# Run with: cmake -DBUILD=<build folder> -DSCRATCH=<folder to use> -DSANITIZE=<as for -fsanitize, or empty>
#                 -DCOMPILER=<C++ compiler> -P run.cmake
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect what wanted)
  run(${what} ${ARGN})
  if(NOT output STREQUAL wanted)
    message(FATAL_ERROR "${what} printed '${output}' instead of '${wanted}'")
  endif()
endfunction()

set(flags "")
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()

file(REMOVE_RECURSE ${SCRATCH})
run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run("configuring" ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${SCRATCH}/consumer -G Ninja
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_CXX_COMPILER=${COMPILER})
run("building" ${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
expect("the consumer" "nop\n" ${SCRATCH}/consumer/consumer)
run("the installed command" ${SCRATCH}/prefix/bin/isaforge check ${SCRATCH}/prefix/share/isaforge/wishbone-gpu.isa)
