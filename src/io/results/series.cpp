#include "io/results/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/measure.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

/// A cell as RFC 4180 wants it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c == '\n' || c == '\r' ? ' ' : c;
  }
  return quoted + '"';
}

std::string header(const Case& c) {
  std::string line;
  for (const std::string& column : series_columns(c)) line += (line.empty() ? "" : ",") + cell(column);
  return line + "\n";
}

std::string row(const Simulation& s, const Totals& t, bool is_damped, const std::vector<WallColumns>& walls) {
  // fmt's shortest form reads back to the same double.
  std::string line =
      fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", s.time, s.step, s.particles.size_rows(),
                  t.kinetic_translation, t.kinetic_rotation, t.potential, t.elastic, t.momentum.x, t.momentum.y,
                  t.momentum.z, t.angular_momentum.x, t.angular_momentum.y, t.angular_momentum.z, t.max_speed,
                  t.max_overlap, t.candidate_pairs, t.contacts, t.contact_points, t.sliding);
  line += fmt::format(",{},{},{},{},{},{},{}", t.lost_normal, t.lost_tangential, t.lost_friction, t.work_of_walls,
                      t.work_of_gravity, t.exchanged, t.unclosed);
  if (is_damped) line += fmt::format(",{}", t.lost_global);
  if (s.has_clusters)
    line += fmt::format(",{},{},{},{},{}", t.lost_bonds, t.bonds_elastic, t.bonds, s.bonds_broken, t.fragments);
  for (const WallColumns& columns : walls) {
    const auto w = std::find_if(s.walls.begin(), s.walls.end(), [&](const Wall& p) { return p.name == columns.name; });
    line += w == s.walls.end() ? ",,," : fmt::format(",{},{},{}", w->force.x, w->force.y, w->force.z);
    if (columns.driven)
      line += w == s.walls.end() ? ",,," : fmt::format(",{},{},{}", w->point.x, w->point.y, w->point.z);
    if (columns.torque)
      line += w == s.walls.end() ? ",,," : fmt::format(",{},{},{}", w->torque.x, w->torque.y, w->torque.z);
  }
  return line;
}

}  // namespace

std::vector<WallColumns> wall_columns(const Case& c) {
  std::vector<WallColumns> columns;
  auto add = [&](const std::vector<Case::Wall>& walls) {
    for (const Case::Wall& p : walls) {
      auto at = std::find_if(columns.begin(), columns.end(), [&](const WallColumns& w) { return w.name == p.name; });
      if (at == columns.end()) at = columns.insert(columns.end(), WallColumns{p.name});
      at->torque = at->torque || p.mesh || p.motion.rotation;
      at->driven = at->driven || p.motion.drive;
    }
  };
  add(c.walls);
  for (const Case::Stage& stage : c.stages) add(stage.add);
  for (const Case::Stage& stage : c.stages) {
    for (const Case::Move& m : stage.move) {
      for (WallColumns& w : columns) {
        if (w.name != m.wall && !w.name.starts_with(m.wall + ".")) continue;
        w.torque = w.torque || m.motion.rotation, w.driven = w.driven || m.motion.drive;
      }
    }
  }
  return columns;
}

std::vector<std::string> series_columns(const Case& c) {
  std::vector<std::string> columns{"time [s]",
                                   "step",
                                   "particles",
                                   "kinetic_translation [J]",
                                   "kinetic_rotation [J]",
                                   "potential [J]",
                                   "elastic [J]",
                                   "momentum_x [kg m/s]",
                                   "momentum_y [kg m/s]",
                                   "momentum_z [kg m/s]",
                                   "angular_momentum_x [kg m^2/s]",
                                   "angular_momentum_y [kg m^2/s]",
                                   "angular_momentum_z [kg m^2/s]",
                                   "max_speed [m/s]",
                                   "max_overlap [1]",
                                   "candidate_pairs",
                                   "contacts",
                                   "contact_points",
                                   "sliding",
                                   "lost_normal [J]",
                                   "lost_tangential [J]",
                                   "lost_friction [J]",
                                   "work_of_walls [J]",
                                   "work_of_gravity [J]",
                                   "exchanged [J]",
                                   "unclosed [J]"};
  const auto add = [&](std::string column) { columns.push_back(std::move(column)); };
  if (c.has_damping()) add("lost_global [J]");
  if (!c.clusters.empty())
    for (const char* bonds : {"lost_bonds [J]", "bonds_elastic [J]", "bonds", "bonds_broken", "fragments"}) add(bonds);
  for (const WallColumns& w : wall_columns(c)) {
    for (const char* axis : {"x", "y", "z"}) add(fmt::format("force {} {} [N]", w.name, axis));
    for (const char* axis : {"x", "y", "z"})
      if (w.driven) add(fmt::format("position {} {} [m]", w.name, axis));
    for (const char* axis : {"x", "y", "z"})
      if (w.torque) add(fmt::format("torque {} {} [N m]", w.name, axis));
  }
  for (const std::string& name : c.inlets()) add("inlet " + name + " grains"), add("inlet " + name + " mass [kg]");
  for (const Case::Outlet& o : c.outlets) add("outlet " + o.name + " grains"), add("outlet " + o.name + " mass [kg]");
  for (const Case::Measure& m : c.measures)
    for (const std::string& column : columns_of(m, c.dimensions)) add(column);
  return columns;
}

Result<Series> Series::create(const fs::path& file, const Case& c) {
  Result<RowFile> rows = RowFile::create(file, header(c));
  if (!rows) return rows.error();
  return Series(std::move(*rows), c);
}

Result<Series> Series::resume(const fs::path& file, const Case& c, std::uint64_t rows) {
  Result<RowFile> kept = RowFile::resume(file, header(c), rows);
  if (!kept) return kept.error();
  return Series(std::move(*kept), c);
}

Series::Series(RowFile file, const Case& c)
    : file_(std::move(file)),
      is_damped_(c.has_damping()),
      walls_(wall_columns(c)),
      inlets_(c.inlets().size()),
      measures_(c.measures) {}

Status Series::append(const Simulation& s, const Totals& t) {
  return file_.append(row(s, t, is_damped_, walls_) + more(s) + "\n");
}

std::string Series::more(const Simulation& s) const {
  std::string line;
  const Flows& w = s.flows;
  for (std::size_t k = 0; k < inlets_; ++k)
    line += k < w.poured.size() ? fmt::format(",{},{}", w.poured[k], w.mass[k]) : ",0,0";
  for (std::size_t k = 0; k < w.removed.size(); ++k) line += fmt::format(",{},{}", w.removed[k], w.removed_mass[k]);
  for (const Case::Measure& m : measures_)
    for (const double v : measure(s, m)) line += std::isfinite(v) ? fmt::format(",{}", v) : std::string(",");
  return line;
}

}  // namespace scree::io
