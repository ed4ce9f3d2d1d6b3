# Makes OUT, a source file with the page of `shardprop view` in pieces, of the files in DIR: page.html with
# the styles and scripts in the places that it marks as {{name}}. Compilers limit the length of one
# literal. The last piece is null.
file(READ "${DIR}/page.html" page)
string(REGEX MATCHALL "{{[a-z_./]+}}" marks "${page}")
foreach(mark IN LISTS marks)
  string(REGEX REPLACE "[{}]" "" name "${mark}")
  if(EXISTS "${DIR}/${name}")
    file(READ "${DIR}/${name}" text)
    string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" text "${text}")
    string(REPLACE "${mark}" "${text}" page "${page}")
  endif()
endforeach()

set(source "// Made by cmake/embed_page.cmake.\nnamespace shardprop::cli {\n\n")
string(APPEND source "extern const char* const kViewPage[];\nconst char* const kViewPage[] = {")
string(LENGTH "${page}" length)
set(at 0)
while(at LESS length)
  string(SUBSTRING "${page}" ${at} 8000 piece)
  string(APPEND source "\n    R\"~page~(${piece})~page~\",")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE "${OUT}" "${source}\n    nullptr};\n\n}  // namespace shardprop::cli\n")
