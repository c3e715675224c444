# The compiler that makes WebAssembly, as Debian installs it. Its scripts ask node for a package that other nodes than Debian's
# own look for elsewhere.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs)
# Newer nodes would fetch the program from the network.
set(CMAKE_CROSSCOMPILING_EMULATOR "${NODE_JS_EXECUTABLE};--no-experimental-fetch")
