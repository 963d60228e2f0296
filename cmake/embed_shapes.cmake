# The particle library's own shapes, compiled into scree_io: an installed binary needs no folder to find them.
file(GLOB shape_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/shapes/*.yaml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shape_files})
set(shape_rows "")
foreach(shape_file ${shape_files})
  get_filename_component(shape_name ${shape_file} NAME_WE)
  file(READ ${shape_file} shape_text)
  string(APPEND shape_rows "    {\"${shape_name}\", R\"yaml(${shape_text})yaml\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/builtin_shapes.cpp @ONLY CONTENT [[
#include "io/builtin_shapes.h"
namespace scree::io {
namespace {
constexpr BuiltinShape kShapes[] = {
@shape_rows@};
}  // namespace
std::span<const BuiltinShape> builtin_shapes() { return kShapes; }
}  // namespace scree::io
]])
target_sources(scree_io PRIVATE ${PROJECT_BINARY_DIR}/builtin_shapes.cpp)
