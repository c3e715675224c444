# Writes OUTPUT, a C++ file that holds each of FILES as text, named by its path below ROOT: NAMESPACE::TABLE of entries of
# type TYPE, as HEADER declares it.
# Run with: cmake -DOUTPUT=… -DROOT=… -DFILES=a;b -DHEADER=… -DNAMESPACE=… -DTYPE=… -DTABLE=… -P embed.cmake
set(arrays "")
set(table "")
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH path ${ROOT} ${file})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  file(SIZE ${file} size)
  string(MAKE_C_IDENTIFIER "${path}" id)
  string(APPEND arrays "static const char text_${id}[] = {${bytes}'\\0'};\n")
  string(APPEND table "    {\"${path}\", {text_${id}, ${size}}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by the build from the files below.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

${arrays}
const ${TYPE} ${TABLE}[] = {
${table}    {{}, {}},
};

}  // namespace ${NAMESPACE}
")
