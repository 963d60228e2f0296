# The report page: viewer/ bundled to one HTML file by npm and esbuild in the build folder, and compiled into scree_io_results.
option(SCREE_VIEWER "Embed the report page (needs Node.js 18 or later, and npm)" ON)

set(viewer_source ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_build ${PROJECT_BINARY_DIR}/viewer)
set(viewer_template ${viewer_build}/report_template.cpp)

if(SCREE_VIEWER)
  find_program(NODE_PROGRAM NAMES node nodejs)
  find_program(NPM_PROGRAM npm)
  if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
    message(FATAL_ERROR "The report page is bundled with Node.js and npm, and one of them or both are not here. "
      "Install them (Debian: apt install nodejs npm), or configure with -DSCREE_VIEWER=OFF for a binary without the page.")
  endif()
  execute_process(COMMAND ${NODE_PROGRAM} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT node_version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
    message(FATAL_ERROR "The report page needs Node.js 18 or later to be bundled; ${NODE_PROGRAM} is '${node_version}'. "
      "Install a later one, or configure with -DSCREE_VIEWER=OFF for a binary without the page.")
  endif()

  # Tests drive the page with development dependencies; a build without tests does not fetch them.
  set(npm_arguments ci --no-audit --no-fund --prefer-offline --loglevel=error)
  set(viewer_installed ${viewer_build}/installed-with-tests)
  if(NOT SCREE_TESTS)
    list(APPEND npm_arguments --omit=dev)
    set(viewer_installed ${viewer_build}/installed)
  endif()
  file(MAKE_DIRECTORY ${viewer_build})
  add_custom_command(
    OUTPUT ${viewer_installed}
    COMMAND ${CMAKE_COMMAND} -E copy ${viewer_source}/package.json ${viewer_source}/package-lock.json ${viewer_source}/.npmrc ${viewer_build}
    COMMAND ${NPM_PROGRAM} ${npm_arguments}
    COMMAND ${CMAKE_COMMAND} -E touch ${viewer_installed}
    DEPENDS ${viewer_source}/package.json ${viewer_source}/package-lock.json ${viewer_source}/.npmrc
    WORKING_DIRECTORY ${viewer_build}
    COMMENT "Fetching the report page's libraries (npm ci)"
    VERBATIM)
  file(GLOB viewer_sources CONFIGURE_DEPENDS ${viewer_source}/src/*)
  add_custom_command(
    OUTPUT ${viewer_template}
    # Copied, so that the bundler and the type checker find the libraries beside the sources.
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${viewer_build}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${viewer_source}/src ${viewer_build}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${viewer_source}/build.mjs ${viewer_source}/tsconfig.json ${viewer_build}
    COMMAND ${NODE_PROGRAM} build.mjs .
    DEPENDS ${viewer_installed} ${viewer_source}/build.mjs ${viewer_source}/tsconfig.json ${viewer_sources}
    WORKING_DIRECTORY ${viewer_build}
    COMMENT "Bundling the report page"
    VERBATIM)
else()
  file(CONFIGURE OUTPUT ${viewer_template} CONTENT [[
#include "io/results/report_template.h"
namespace scree::io {
std::string_view report_template() { return {}; }
}  // namespace scree::io
]])
endif()

target_sources(scree_io_results PRIVATE ${viewer_template})
set_source_files_properties(${viewer_template} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # nothing else waits for the page
