# Writes each block of C++ of a page that begins with "// NAME.cpp" to FOLDER/NAME.cpp. awk -v folder=FOLDER -f blocks.awk PAGE
/^```cpp$/ { getline; file = $1 == "//" && $2 ~ /^[a-z_]+\.cpp$/ ? folder "/" $2 : "" }
/^```$/ { file = "" }
file != "" { print > file }
