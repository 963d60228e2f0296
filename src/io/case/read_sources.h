#pragma once
#include <string>

#include "io/case/reading.h"

namespace scree::io {

/// particles[].size
Case::Size read_size(const Node& n, const std::string& path, Reading& in);

/// {box: {min, max}} or {cylinder: {from, to, radius}}; of a mistake a box of one metre.
Region read_region(const Node& n, const std::string& path, Reading& in);

/// particles[].place.pour
Case::Pour read_pour(const Node& n, const std::string& path, Reading& in);

void read_outlets(Reading& in);

/// particles[].place.file of the group node; its size, orientations ... where the file has them, and the group's shapes
/// where the group names none. Of a mistake one point.
Case::AtPoints read_points_file(const Node& group, const Node& file, const std::string& path, Case::Group& g,
                                Reading& in);

}  // namespace scree::io
