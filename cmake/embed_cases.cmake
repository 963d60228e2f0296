# The case files of `scree validate`, compiled into scree_validation: an installed binary needs no folder to find them.
file(GLOB case_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/validation/cases/*.yaml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${case_files})
set(case_rows "")
foreach(case_file ${case_files})
  get_filename_component(case_name ${case_file} NAME_WE)
  file(READ ${case_file} case_text)
  string(APPEND case_rows "      {\"${case_name}\", R\"yaml(${case_text})yaml\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/validation_cases.cpp @ONLY CONTENT [[
#include "validation/case_files.h"
namespace scree::validation {
const std::vector<CaseFile>& case_files() {
  static const std::vector<CaseFile> all{
@case_rows@  };
  return all;
}
}  // namespace scree::validation
]])
target_sources(scree_validation PRIVATE ${PROJECT_BINARY_DIR}/validation_cases.cpp)
