# Provenance for run.json: looked up at every build, but the file changes (and is compiled anew) only when the answer does.
if(CMAKE_SCRIPT_MODE_FILE)
  set(commit unknown)
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND ${GIT} --no-optional-locks describe --always --dirty --abbrev=12 --exclude=*
      WORKING_DIRECTORY ${source} OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
    if(status EQUAL 0 AND described)
      set(commit ${described})
    endif()
  endif()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "io/results/build_info.h"

namespace scree::io {
const BuildInfo kBuildInfo{"@version@", "@commit@", "@compiler@", "@flags@"};
}
]])
else()
  set(build_info ${PROJECT_BINARY_DIR}/generated/build_info.cpp)
  list(JOIN flags_of_processor " " flags)
  string(STRIP "${flags_given} -ffp-contract=off ${flags}" flags)
  get_property(hot GLOBAL PROPERTY scree_hot_rooms)
  if(hot)
    list(JOIN hot ", " hot)
    string(APPEND flags " (${hot}: -O3)")
  endif()
  add_custom_target(scree_build_info BYPRODUCTS ${build_info} COMMAND ${CMAKE_COMMAND} -D source=${PROJECT_SOURCE_DIR}
    -D output=${build_info} -D version=${PROJECT_VERSION} -D "compiler=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    -D "flags=${flags}" -P ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
  target_sources(scree_io_results PRIVATE ${build_info})
  set_source_files_properties(${build_info} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # made anew with every commit
  add_dependencies(scree_io_results scree_build_info)
endif()
