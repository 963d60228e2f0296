#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "geometry/surface.h"

namespace scree::io {

/// Triangles of an OFF file (Geomview's text form: OFF, COFF, NOFF or CNOFF): corners as they are written, polygons cut
/// into fans; colours and normals are passed over. Errors begin with name:line:column or with the name: not OFF, empty,
/// cut short, no number or none below 1e50 where a coordinate belongs, a face that names a vertex that is not there.
Result<Surface> read_off(std::string_view text, const std::string& name);

}  // namespace scree::io
