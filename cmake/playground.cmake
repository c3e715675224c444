# The playground: the library as WebAssembly, and one page around it. What the library asks of a system that a browser does
# not have comes from src/playground/plain instead: sources that take the place of those of the same name, and headers that
# are found before theirs.
set(page_folder ${CMAKE_SOURCE_DIR}/playground)
set(plain_folder ${CMAKE_SOURCE_DIR}/src/playground/plain)

list(FILTER library_sources EXCLUDE REGEX "/src/(dap|debugger|device|hardware|linker|lsp|manual|notes|protocol)/")
file(GLOB_RECURSE plain_sources CONFIGURE_DEPENDS ${plain_folder}/*.cpp)
list(FILTER plain_sources EXCLUDE REGEX "/packed_descriptions\\.cpp$")
foreach(source IN LISTS plain_sources)
  file(RELATIVE_PATH name ${plain_folder} ${source})
  list(REMOVE_ITEM library_sources ${CMAKE_SOURCE_DIR}/src/${name})
endforeach()

# Of the libraries of this machine the headers that need no more than themselves, and nothing beside them.
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(folder fmt nlohmann)
  if(NOT EXISTS /usr/include/${folder})
    message(FATAL_ERROR "there is no /usr/include/${folder}: scripts/install-packages.sh playground installs it")
  endif()
  file(CREATE_LINK /usr/include/${folder} ${headers}/${folder} SYMBOLIC)
endforeach()

add_library(browser_options INTERFACE)
target_include_directories(browser_options BEFORE INTERFACE ${plain_folder} include src)
target_include_directories(browser_options SYSTEM INTERFACE ${headers})
# Calls in tail position that are jumps would leave their stack behind: Clang 14 forgets it there.
target_compile_definitions(browser_options INTERFACE FMT_HEADER_ONLY ISAFORGE_TAIL_CALLS=0)
# Sizes of files and memories have 64 bits everywhere, and are sizes of less here.
target_compile_options(browser_options INTERFACE -fwasm-exceptions -Wno-c++11-narrowing "SHELL:-include standard.hpp")
# What else the linker would do for speed takes a minute, and gains nothing that can be measured.
target_link_options(browser_options INTERFACE -O1 -fwasm-exceptions -sALLOW_MEMORY_GROWTH -sTOTAL_STACK=4MB)
target_link_libraries(browser_options INTERFACE isaforge_options)

add_library(browser_parts OBJECT ${library_sources} ${plain_sources} ${embedded})
target_link_libraries(browser_parts PRIVATE browser_options)

add_executable(pack-descriptions src/packer/main.cpp $<TARGET_OBJECTS:browser_parts>)
target_link_libraries(pack-descriptions PRIVATE browser_options)
target_link_options(pack-descriptions PRIVATE -sNODERAWFS -sEXIT_RUNTIME)
set(packed ${CMAKE_BINARY_DIR}/generated/descriptions.packed)
add_custom_command(OUTPUT ${packed} COMMAND pack-descriptions ${packed} DEPENDS pack-descriptions VERBATIM)
set(packed_source ${plain_folder}/language/packed_descriptions.cpp)
set_source_files_properties(${packed_source} PROPERTIES OBJECT_DEPENDS ${packed} COMPILE_DEFINITIONS
                            "ISAFORGE_PACKED_DESCRIPTIONS=\"${packed}\"")

add_executable(engine src/playground/engine.cpp ${packed_source} ${packed} $<TARGET_OBJECTS:browser_parts>)
target_link_libraries(engine PRIVATE browser_options)
target_link_options(engine PRIVATE --no-entry -sENVIRONMENT=web,worker,node -sMODULARIZE -sEXPORT_NAME=makeEngine
                    -sINITIAL_MEMORY=67108864 -sEXPORTED_FUNCTIONS=_playground_answer,_playground_pixels,_malloc,_free
                    -sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8)

# One page, with all that it needs inside.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(page ${CMAKE_BINARY_DIR}/playground.html)
file(GLOB page_parts CONFIGURE_DEPENDS ${page_folder}/*)
file(GLOB examples CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*/*.s ${CMAKE_SOURCE_DIR}/examples/*/*.inc
     ${CMAKE_SOURCE_DIR}/examples/*/*.isa)
add_custom_command(
  OUTPUT ${page}
  COMMAND ${Python3_EXECUTABLE} ${page_folder}/make_page.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/engine ${page}
  DEPENDS engine ${page_parts} ${examples} ${CMAKE_SOURCE_DIR}/src/manual/manual.css
  VERBATIM)
add_custom_target(playground ALL DEPENDS ${page})
