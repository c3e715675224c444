# Debian's pages and changelogs are compressed. CPack runs this before it makes packages of the folders.
file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/*")
list(FILTER files INCLUDE REGEX "/man/man1/[^/]*\\.1$|/doc/[^/]*/changelog$")
foreach(file IN LISTS files)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
