# The report page in a headless browser: viewer_report_page writes the results folders, page.mjs opens their
# pages; live.mjs watches a run.
if(SCREE_VIEWER AND TARGET viewer_report_page)
  add_test(NAME viewer.page
    COMMAND ${NODE_PROGRAM} ${CMAKE_CURRENT_LIST_DIR}/page.mjs ${PROJECT_BINARY_DIR}/viewer ${PROJECT_BINARY_DIR}/viewer/fixtures)
  set_tests_properties(viewer.page PROPERTIES
    ENVIRONMENT SCREE_FIXTURE_PROGRAM=$<TARGET_FILE:viewer_report_page>
    TIMEOUT ${test_seconds} SKIP_RETURN_CODE 77)
  if(SCREE_LIVE AND HTTPLIB_FOUND)
    add_test(NAME viewer.live
      COMMAND ${NODE_PROGRAM} ${CMAKE_CURRENT_LIST_DIR}/live.mjs ${PROJECT_BINARY_DIR}/viewer $<TARGET_FILE:scree> ${PROJECT_BINARY_DIR}/viewer/live)
    set_tests_properties(viewer.live PROPERTIES TIMEOUT ${test_seconds} SKIP_RETURN_CODE 77)
  endif()
  add_test(NAME viewer.types
    COMMAND ${NODE_PROGRAM} node_modules/typescript/bin/tsc --noEmit -p .
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/viewer)
endif()
