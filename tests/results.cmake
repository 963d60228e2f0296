# Commands from outside, test by test; exit 77 means that the machine lacks what a test needs.
find_package(Python3 COMPONENTS Interpreter)
function(tests_of_command name file folder)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/cli/${file})
  file(STRINGS ${script} tests REGEX "^def test_")
  foreach(test ${tests})
    string(REGEX REPLACE "^def test_([a-z0-9_]+).*" "\\1" test "${test}")
    add_test(NAME ${name}.${test}
      COMMAND ${Python3_EXECUTABLE} ${script} ${test} $<TARGET_FILE:scree> ${CMAKE_CURRENT_BINARY_DIR}/${folder}/${test})
    set_tests_properties(${name}.${test} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)
  endforeach()
endfunction()
if(Python3_Interpreter_FOUND)
  tests_of_command(Run run_results.py run)
  if(SCREE_VIEWER)
    tests_of_command(Live live_view.py live)
  endif()
endif()

if(SCREE_SYSTEM_PYTHON)
  add_test(NAME Package.VtkOpensFramesAndMeasuresGrains COMMAND ${SCREE_SYSTEM_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/package/vtk_frames.py $<TARGET_FILE:scree> ${CMAKE_CURRENT_BINARY_DIR}/run/vtk_frames)
  add_test(NAME Package.VtkAndLammpsOpenExportedGrains COMMAND ${SCREE_SYSTEM_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/package/vtk_export.py $<TARGET_FILE:scree> ${CMAKE_CURRENT_BINARY_DIR}/run/vtk_export)
  set_tests_properties(Package.VtkOpensFramesAndMeasuresGrains Package.VtkAndLammpsOpenExportedGrains PROPERTIES
    TIMEOUT 120 SKIP_RETURN_CODE 77)
endif()
