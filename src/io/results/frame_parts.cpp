#include "io/results/frame_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree::io {

namespace {

const char* contradiction_of_one(const ShapeRow& s) {
  if (!(s.radius >= 0) || !std::isfinite(s.radius) || (s.radius > 0) != s.vertices.empty())
    return "a shape is neither round nor made of corners";
  if (s.vertices.size() > std::numeric_limits<std::uint16_t>::max()) return "a shape has too many vertices";
  for (const auto& loop : s.faces) {
    if (loop.size() < 3) return "a face has fewer than three corners";
    if (std::any_of(loop.begin(), loop.end(), [&](std::uint16_t v) { return v >= s.vertices.size(); })) {
      return "a face names a vertex that is not there";
    }
  }
  return nullptr;
}

}  // namespace

ShapeRow shape_row(const Shape& shape) {
  if (is_round(shape.kind)) return {shape.name, {}, {}, shape.outer_radius()};
  ShapeRow row{shape.name, shape.body.vertices, {}, 0};
  for (const Shape::Part& part : shape.parts) {
    ShapeRow of_part = shape_row(*part.shape);
    of_part.centre = part.centre, of_part.radius *= part.size;
    for (Vec3& v : of_part.vertices) v = part.size * v;
    row.parts.push_back(std::move(of_part));
  }
  if (shape.kind == ShapeKind::polygon) {
    row.faces.emplace_back();
    for (const Vec2 v : shape.outline.vertices) {
      row.faces[0].push_back(static_cast<std::uint16_t>(row.vertices.size()));
      row.vertices.push_back({v.x, v.y, 0});
    }
  }
  for (std::size_t f = 0; f < shape.body.face_normals.size(); ++f) {
    const auto loop = shape.body.loop(f);
    row.faces.emplace_back(loop.begin(), loop.end());
  }
  return row;
}

const char* contradiction(const std::vector<ShapeRow>& shapes) {
  for (const ShapeRow& s : shapes) {
    if (const char* why = s.parts.empty() ? contradiction_of_one(s) : nullptr) return why;
    if (!s.parts.empty() && (s.radius != 0 || !s.vertices.empty() || !s.faces.empty()))
      return "a shape has both parts and a surface";
    for (const ShapeRow& part : s.parts) {
      if (const char* why = contradiction_of_one(part)) return why;
      if (!part.parts.empty()) return "a part of a shape has parts";
    }
  }
  return nullptr;
}

bool are_starts(const std::vector<std::uint32_t>& s, std::size_t n, std::size_t end) {
  return s.size() == n + 1 && s.front() == 0 && s.back() == end && std::is_sorted(s.begin(), s.end());
}

void write_shapes(hdf5::Writer& w, const std::string& group, const std::vector<ShapeRow>& shapes) {
  std::vector<std::string> names;
  std::vector<Vec3> vertices;
  std::vector<std::uint32_t> vertex_start{0}, face_start{0}, loop_start{0};
  std::vector<std::uint16_t> loops;
  std::vector<double> radius;
  std::vector<Vec3> centre;
  std::vector<std::uint32_t> part_of;
  const auto add = [&](const ShapeRow& s, std::size_t whole) {
    names.push_back(s.name), radius.push_back(s.radius), centre.push_back(s.centre);
    part_of.push_back(static_cast<std::uint32_t>(whole));
    vertices.insert(vertices.end(), s.vertices.begin(), s.vertices.end());
    vertex_start.push_back(static_cast<std::uint32_t>(vertices.size()));
    for (const auto& loop : s.faces) {
      loops.insert(loops.end(), loop.begin(), loop.end());
      loop_start.push_back(static_cast<std::uint32_t>(loops.size()));
    }
    face_start.push_back(static_cast<std::uint32_t>(loop_start.size() - 1));
  };
  for (std::size_t k = 0; k < shapes.size(); ++k) add(shapes[k], k);
  // Parts of clumps stand behind the shapes.
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    for (const ShapeRow& part : shapes[k].parts) add(part, k);
  }
  w.write_strings(group + "/name", names);
  w.write(group + "/vertices", vertices);
  w.write(group + "/vertex_start", vertex_start);
  w.write(group + "/face_start", face_start);
  w.write(group + "/loop_start", loop_start);
  w.write(group + "/loops", loops);
  w.write(group + "/radius", radius);
  if (names.size() > shapes.size()) w.write(group + "/part_of", part_of), w.write(group + "/centre", centre);
}

void read_shapes(hdf5::Reader& r, const std::string& group, std::vector<ShapeRow>& shapes) {
  std::vector<std::string> names;
  std::vector<Vec3> vertices;
  std::vector<std::uint32_t> vertex_start, face_start, loop_start;
  std::vector<std::uint16_t> loops;
  r.read_strings(group + "/name", names);
  r.read(group + "/vertices", vertices);
  r.read(group + "/vertex_start", vertex_start);
  r.read(group + "/face_start", face_start);
  r.read(group + "/loop_start", loop_start);
  r.read(group + "/loops", loops);
  std::vector<double> radius(names.size());  // frames from before there were spheres have none
  if (r.has(group + "/radius")) r.read(group + "/radius", radius);
  if (r.failure()) return;
  if (radius.size() != names.size()) return r.fail("the shapes contradict each other");
  if (loop_start.empty() || !are_starts(vertex_start, names.size(), vertices.size()) ||
      !are_starts(face_start, names.size(), loop_start.size() - 1) ||
      !are_starts(loop_start, loop_start.size() - 1, loops.size())) {
    return r.fail("the shapes contradict each other");
  }
  std::vector<std::uint32_t> part_of;
  std::vector<Vec3> centre;
  const bool clumps = r.has(group + "/part_of");
  if (clumps) {
    r.read(group + "/part_of", part_of), r.read(group + "/centre", centre);
    if (r.failure()) return;
    if (part_of.size() != names.size() || centre.size() != names.size())
      return r.fail("the shapes contradict each other");
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    ShapeRow row;
    row.name = names[k], row.radius = radius[k];
    if (clumps) row.centre = centre[k];
    row.vertices.assign(vertices.begin() + vertex_start[k], vertices.begin() + vertex_start[k + 1]);
    for (std::size_t f = face_start[k]; f < face_start[k + 1]; ++f) {
      row.faces.emplace_back(loops.begin() + loop_start[f], loops.begin() + loop_start[f + 1]);
    }
    if (clumps && part_of[k] != k) {
      if (part_of[k] >= shapes.size()) return r.fail("a part of a shape names one that is not there");
      shapes[part_of[k]].parts.push_back(std::move(row));
      continue;
    }
    shapes.push_back(std::move(row));
  }
}

void write_domain(hdf5::Writer& w, const std::string& group, const Domain& d) {
  w.group(group);
  w.write(group + "/periodic", std::vector<std::uint8_t>{d.periodic[0], d.periodic[1], d.periodic[2]});
  w.write(group + "/ends", std::vector<Vec3>{d.low, d.high});
}

void read_domain(hdf5::Reader& r, const std::string& group, Domain& d) {
  std::vector<std::uint8_t> periodic;
  std::vector<Vec3> ends;
  r.read(group + "/periodic", periodic), r.read(group + "/ends", ends);
  if (r.failure()) return;
  if (periodic.size() != 3 || ends.size() != 2) return r.fail("the periodic domain has three axes and two ends");
  d.low = ends[0], d.high = ends[1];
  for (std::size_t a = 0; a < 3; ++a) {
    d.periodic[a] = periodic[a] != 0;
    if (!std::isfinite(d.low[a]) || !std::isfinite(d.high[a]) || (d.periodic[a] && !(d.low[a] < d.high[a])))
      return r.fail("a period must be finite and above 0");
  }
}

}  // namespace scree::io
