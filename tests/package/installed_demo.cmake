# script/demo in a tree where nothing is built, with a scree on the path: that one runs, and nothing is installed or built.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${work})
file(COPY ${source}/script DESTINATION ${work}/tree)
file(WRITE ${work}/bin/scree "#!/bin/sh
if [ \"$1\" = --version ]; then echo scree 9.9; exit; fi
echo \"$@\" >>'${work}/said'
mkdir -p results/box_fill && echo page >results/box_fill/report.html
")
file(CHMOD ${work}/bin/scree PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
execute_process(COMMAND ${CMAKE_COMMAND} -E env "PATH=${work}/bin:$ENV{PATH}" bash ${work}/tree/script/demo
  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
if(NOT status EQUAL 0 OR NOT out MATCHES "scree 9.9 is installed: ${work}/bin/scree runs" OR NOT out MATCHES "report.html")
  message(FATAL_ERROR "script/demo: ${status}\n${out}")
endif()
file(READ ${work}/said said)
if(NOT said STREQUAL "run examples/box_fill.yaml --out results/box_fill --force\n" OR EXISTS ${work}/tree/build)
  message(FATAL_ERROR "script/demo ran: ${said}")
endif()
