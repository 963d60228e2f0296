# Small files of text, compiled in: an installed binary needs no folder to find them.

# embed(ROWS PATTERN...): sets ROWS to a line `{"name", R"yaml(text)yaml"},` for each file that fits.
function(embed ROWS)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(rows "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND rows "    {\"${name}\", R\"yaml(${text})yaml\"},\n")
  endforeach()
  set(${ROWS} "${rows}" PARENT_SCOPE)
endfunction()

# The libraries' own shapes and materials.
embed(shape_rows shapes/*.yaml)
embed(material_rows materials/*.yaml)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/builtin_files.cpp @ONLY CONTENT [[
#include "io/library/builtin_files.h"
namespace scree::io {
namespace {
constexpr BuiltinFile kShapes[] = {
@shape_rows@};
constexpr BuiltinFile kMaterials[] = {
@material_rows@};
}  // namespace
std::span<const BuiltinFile> builtin_shapes() { return kShapes; }
std::span<const BuiltinFile> builtin_materials() { return kMaterials; }
}  // namespace scree::io
]])
target_sources(scree_io_library PRIVATE ${PROJECT_BINARY_DIR}/builtin_files.cpp)

# The case files of `scree validate`; one of them is an example, and its walls are meshes.
embed(case_rows validation/cases/*.yaml examples/direct_shear.yaml examples/meshes/shear_box_*.obj)
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

# The cases of `scree new`.
embed(template_rows app/new/*.yaml)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/case_templates.cpp @ONLY CONTENT [[
#include "app/case_templates.h"
namespace scree::app {
namespace {
constexpr CaseTemplate kTemplates[] = {
@template_rows@};
}  // namespace
std::span<const CaseTemplate> case_templates() { return kTemplates; }
}  // namespace scree::app
]])
