#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "io/text/units.h"
#include "io/text/yaml_tree.h"
#include "sim/case.h"

namespace scree::io {

/// What the readers of parts of a case need of the whole. Nodes that do not fit the schema have their mistake already.
struct Reading {
  const Units& units;
  std::filesystem::path folder;  ///< of the case: files are named from there
  int dimensions = 3;
  std::vector<Diagnostic>& out;
  std::function<void(const Node&, const std::string& path, std::string message)> report;
};

/// particles[].size
Case::Size read_size(const Node& n, const std::string& path, const Reading& in);

/// {box: {min, max}} or {cylinder: {from, to, radius}}; of a mistake a box of one metre.
Region read_region(const Node& n, const std::string& path, const Reading& in);

/// particles[].place.pour
Case::Pour read_pour(const Node& n, const std::string& path, const Reading& in);

/// The direction of a list of three numbers; its mistake: it has none, then x.
Vec3 read_direction(const Node& n, const std::string& path, const Reading& in);

/// outlets
std::vector<Case::Outlet> read_outlets(const Node& n, const Reading& in);

/// measure; material(node, path): the row of a named material, -1 and told where there is none.
std::vector<Case::Measure> read_measures(const Node& n, const Reading& in,
                                         const std::function<int(const Node&, const std::string&)>& material);

/// particles[].place.file of the group node; its size, orientations ... where the file has them, and the group's shapes
/// where the group names none. Of a mistake one point.
Case::AtPoints read_points_file(const Node& group, const Node& file, const std::string& path, Case::Group& g,
                                const Reading& in);

}  // namespace scree::io
