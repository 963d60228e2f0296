# Of a page: each block of C++ that begins with "// NAME.cpp" goes to FOLDER/NAME.cpp, the block of CMake to
# FOLDER/page/CMakeLists.txt. awk -v folder=FOLDER -f blocks.awk PAGE
/^```cpp$/ { getline; file = $1 == "//" && $2 ~ /^[a-z_]+\.cpp$/ ? folder "/" $2 : "" }
/^```cmake$/ { getline; file = folder "/page/CMakeLists.txt" }
/^```$/ { file = "" }
file != "" { print > file }
