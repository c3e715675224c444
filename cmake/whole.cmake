# The command begins the faster the fewer libraries have to be found and bound: of the time that it takes for one line, they take a
# quarter. Where the system has archives of them, they become a part of it, and only the command, for what else is made here is
# part of other programs. Debian's packages are made without it: theirs are the system's libraries, with its repairs.
option(ISAFORGE_WHOLE "Make libraries a part of the command where there are archives of them" ON)
if(NOT ISAFORGE_WHOLE OR ISAFORGE_SANITIZE OR ISAFORGE_FUZZ OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  return()
endif()

set(archives)
foreach(name IN ITEMS png16 elf yaml minizip pugixml z)
  find_library(ISAFORGE_ARCHIVE_${name} NAMES lib${name}.a)
  mark_as_advanced(ISAFORGE_ARCHIVE_${name})
  if(ISAFORGE_ARCHIVE_${name})
    list(APPEND archives ${ISAFORGE_ARCHIVE_${name}})
  endif()
endforeach()
# What is in an archive is not looked for in the libraries that follow, and those that nothing is found in are left out.
target_link_libraries(isaforge PRIVATE libisaforge ${archives})
target_link_options(isaforge PRIVATE -Wl,--as-needed)
# One library of C++ is enough: where another one of C++ stays shared, it is shared with that.
if(fmt_VERSION MATCHES "^9\\." AND ISAFORGE_ARCHIVE_pugixml)
  target_sources(isaforge PRIVATE src/cli/whole/fmt.cpp)
  target_link_options(isaforge PRIVATE -static-libstdc++ -static-libgcc)
endif()
