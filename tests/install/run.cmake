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
file(GLOB_RECURSE described ${SCRATCH}/prefix/*/isaforge.pc)
get_filename_component(described ${described} DIRECTORY)
set(pkg_config ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${described} pkg-config)
run("pkg-config" ${pkg_config} --cflags --libs isaforge)
string(STRIP "${output}" pkg_flags)
separate_arguments(pkg_flags UNIX_COMMAND "${pkg_flags}")
run("compiling by pkg-config's word" ${COMPILER} -std=c++20 ${flags} ${CMAKE_CURRENT_LIST_DIR}/consumer.cpp -o ${SCRATCH}/by-pkg-config
    ${pkg_flags})
expect("the consumer by pkg-config" "nop\n" ${SCRATCH}/by-pkg-config)
run("pkg-config's version" ${pkg_config} --modversion isaforge)
string(STRIP "${output}" version)
expect("the installed command's version" "isaforge ${version}\n" ${SCRATCH}/prefix/bin/isaforge --version)
foreach(page IN ITEMS share/man/man1/isaforge.1 share/man/man1/isaforge-run.1 share/bash-completion/completions/isaforge
                      share/zsh/site-functions/_isaforge share/fish/vendor_completions.d/isaforge.fish)
  if(NOT EXISTS ${SCRATCH}/prefix/${page})
    message(FATAL_ERROR "${page} is not installed")
  endif()
endforeach()
run("the installed command" ${SCRATCH}/prefix/bin/isaforge check ${SCRATCH}/prefix/share/isaforge/wishbone-gpu.isa)
