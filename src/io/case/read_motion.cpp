// How walls move.
#include "io/case/read_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/case/given.h"
#include "io/mesh/wall_mesh.h"

namespace scree::io {

namespace {

std::vector<boundary::Motion::Row> table(const Node& file, const std::string& path, bool has_axis, Reading& in) {
  Result<std::vector<boundary::Motion::Row>> rows = read_path(in.beside_case(file.text));
  if (!rows) {
    in.report(file, path, rows.error().message);
    return {};
  }
  const bool turns =
      std::any_of(rows->begin(), rows->end(), [&](const auto& r) { return r.angle != rows->front().angle; });
  if (turns && !has_axis) in.report(file, path, "has angles; give the axis in a rotation beside the path");
  for (const auto& r : *rows) {
    if (in.c.dimensions == 2 && r.shift.z != 0) {
      in.report(file, path, "leaves the plane z = 0 of two dimensions");
      break;
    }
  }
  return std::move(*rows);
}

std::optional<boundary::Motion::Drive> drive(const Node& n, const std::string& path, Reading& in) {
  using Drive = boundary::Motion::Drive;
  const Node *free = map_at(n, "free"), *servo = map_at(n, "servo");
  if (!free && !servo) return std::nullopt;
  if (free && servo) in.report(*servo, path + ".servo", "expected only one of free and servo");
  const Node& at = free ? *free : *servo;
  const std::string here = path + (free ? ".free" : ".servo");
  Drive d;
  d.kind = free ? Drive::Kind::free : Drive::Kind::servo;
  in.take(at, here, d);
  if (const Node* area = at.find("area"); area && !at.find("stress"))
    in.report(*area, here + ".area", "has no use without a stress");
  if (servo && !get(at, "force") && !get(at, "stress")) in.report(at, here, "needs a force or a stress");
  return d;
}

}  // namespace

boundary::Motion read_motion(const Node& n, const std::string& path, Reading& in) {
  using Motion = boundary::Motion;
  Motion m;
  in.take(n, path, m);
  if (const Node* o = map_at(n, "oscillation"))
    m.oscillation = in.taken<Motion::Oscillation>(*o, path + ".oscillation");
  if (const Node* r = map_at(n, "rotation"))
    if (const auto rotation = in.taken<Motion::Rotation>(*r, path + ".rotation"); rotation && rotation->axis != Vec3{})
      m.rotation = rotation;
  m.drive = drive(n, path, in);
  if (const Node* p = map_at(n, "path"))
    if (const Node* file = get(*p, "file")) m.table = table(*file, path + ".path.file", m.rotation.has_value(), in);
  return m;
}

bool suits_period(const Case::Wall& w, const Node& n, const boundary::Motion& m, const std::string& path, Reading& in) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (!in.c.periodic.periodic[a]) continue;
    const char axis = "xyz"[a];
    if (!w.mesh && w.normal[a] != 0) {
      in.report(
          n, path,
          fmt::format("the plane {} stands across the periodic axis {}: give it a normal without {}, of a box leave "
                      "these sides out (open: [{}_min, {}_max])",
                      w.name, axis, axis, axis, axis));
      return false;
    }
    if (!w.mesh) continue;
    const bool shifts = m.velocity[a] != 0 || (m.drive && m.drive->along[a] != 0) ||
                        (m.oscillation && m.oscillation->amplitude[a] != 0) ||
                        std::any_of(m.table.begin(), m.table.end(), [a](const auto& r) { return r.shift[a] != 0; });
    const bool tilts = m.rotation && std::abs(m.rotation->axis[a]) < 1 - 1e-12;
    if (!shifts && !tilts) continue;
    in.report(n, path,
              fmt::format("the mesh {} must not {} the periodic axis {}: it would leave the seam", w.name,
                          shifts ? "move along" : "turn about another line than", axis));
    return false;
  }
  return true;
}

void must_slide(std::span<const Case::Wall> walls, const Node& n, const boundary::Motion& m, const std::string& path,
                Reading& in) {
  const double speed = norm(m.surface_velocity);
  if (!(speed > 0) || walls.empty()) return;
  double most = 0;
  const auto look = [&](Vec3 normal) {
    most = std::max(most, norm(m.surface_velocity - dot(m.surface_velocity, normal) * normal));
  };
  for (const Case::Wall& w : walls) {
    if (!w.mesh) look(w.normal);
    if (!w.mesh) continue;
    const Surface& s = w.mesh->surface();
    for (const auto& t : s.triangles) {
      const Vec3 a = s.vertices[t[0]];
      look(rotate(w.orientation, normalized(cross(s.vertices[t[1]] - a, s.vertices[t[2]] - a))));
    }
  }
  const Node& at = *n.find("surface_velocity");
  if (most <= 1e-9 * speed) {
    in.report(at, path + ".surface_velocity",
              "is along the normal, but a surface moves along itself: nothing of it is left (velocity moves the wall)");
  } else if (walls.size() == 1 && !walls[0].mesh && most < (1 - 1e-4) * speed) {
    in.warn(at, path + ".surface_velocity",
            fmt::format("its part along the normal has no effect; the surface moves at {:.4g} m/s", most));
  }
}

bool may_turn(const Case::Wall& w, const Node& n, const boundary::Motion& m, const std::string& path, Reading& in) {
  if (!m.rotation || w.mesh || std::abs(std::abs(dot(m.rotation->axis, w.normal)) - 1) < 1e-12) return true;
  in.report(
      *n.find("rotation"), path + ".rotation",
      fmt::format("the plane {} has no edges and can turn about its normal alone; a plate or box that turns is a mesh",
                  w.name));
  return false;
}

}  // namespace scree::io
