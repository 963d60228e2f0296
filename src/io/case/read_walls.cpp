// Walls: planes, boxes, cylinders, cones and meshes, and which of them stand at a point of the case.
#include "io/case/read_walls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/case/given.h"
#include "io/case/read_motion.h"
#include "io/mesh/wall_mesh.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

constexpr const char* kSides[6] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

/// Side s of the box, in the order of kSides; the outline's corners run round the face.
Case::Wall box_side(const std::string& name, Vec3 a, Vec3 b, int s, int m) {
  const auto k = static_cast<std::size_t>(s / 2), u = (k + 1) % 3, v = (k + 2) % 3;
  const bool upper = s % 2 == 1;
  Case::Wall p;
  p.name = name + "." + kSides[s];
  p.point = upper ? b : a;
  p.normal[k] = upper ? -1 : 1;
  p.material = m;
  std::array<Vec3, 4> corners;
  for (std::size_t i = 0; i < 4; ++i) {
    corners[i][k] = p.point[k];
    corners[i][u] = i == 1 || i == 2 ? b[u] : a[u];
    corners[i][v] = i >= 2 ? b[v] : a[v];
  }
  p.outline = corners;
  return p;
}

/// The axis and the radii of a cylinder or cone; `radius_to`: the key of the radius at `to`.
struct Round {
  Vec3 from, to;
  double radius_from, radius_to;
  const char* radius_key;
};
std::optional<Round> round_given(const Node& n, const std::string& path, bool is_cone, Reading& in) {
  if (is_cone) {
    const auto c = in.taken<given::Cone>(n, path);
    return c ? std::optional(Round{c->from, c->to, c->radius_from, c->radius_to, "radius_to"}) : std::nullopt;
  }
  const auto c = in.taken<given::Cylinder>(n, path);
  return c ? std::optional(Round{c->from, c->to, c->radius, c->radius, "radius"}) : std::nullopt;
}

/// How a drawing is turned about its origin.
Quat turned(const Node& n, const std::string& path, Reading& in) {
  if (n.kind == Node::Kind::list) return in.unit_quaternion(n, path).value_or(Quat{});
  const auto turn = in.taken<given::Turn>(n, path);
  return turn && turn->axis != Vec3{} ? axis_angle(turn->axis, turn->angle) : Quat{};
}

}  // namespace

std::vector<std::string> Walls::Standing::names() const {
  std::vector<std::string> n;
  for (const auto& [b, sides] : boxes) n.push_back(b);
  n.insert(n.end(), planes.begin(), planes.end());
  return n;
}

void Walls::Standing::remove(const std::string& name) {
  if (const auto b = boxes.find(name); b != boxes.end()) {
    for (const auto& s : b->second) planes.erase(s);
    boxes.erase(b);
    return;
  }
  planes.erase(name);
  for (auto& [box, sides] : boxes) sides.erase(name);
  std::erase_if(boxes, [](const auto& b) { return b.second.empty(); });
}

void Walls::read(const Node& n, const std::string& path, std::vector<Case::Wall>& into) {
  if (n.kind != Node::Kind::map) return;
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    const Node& w = n.items[i];
    const std::string& name = n.keys[i].name;
    const std::string at = path + "." + name;
    if (w.kind != Node::Kind::map) continue;
    if (standing_.has(name)) {
      in_.report(w, at, "there is a wall of this name already");
      continue;
    }
    const int m = in_.material(w, at);
    const std::size_t first = into.size();
    if (const Node* box = map_at(w, "box")) {
      add_box(*box, name, at + ".box", m, into);
    } else if (const Node* plane = map_at(w, "plane")) {
      add_plane(*plane, name, at + ".plane", m, into);
    } else if (const Node* cylinder = map_at(w, "cylinder")) {
      add_round(*cylinder, name, at + ".cylinder", m, into, false);
    } else if (const Node* cone = map_at(w, "cone")) {
      add_round(*cone, name, at + ".cone", m, into, true);
    } else if (const Node* mesh = map_at(w, "mesh")) {
      add_mesh(*mesh, name, at + ".mesh", m, into);
    } else {
      standing_.planes.insert(name);  // so that its mistake is told once, here
    }
    const boundary::Motion moves = read_motion(w, at, in_);
    must_slide(std::span(into).subspan(first), w, moves, at, in_);
    for (std::size_t k = first; k < into.size(); ++k) {
      into[k].motion = moves;
      made_[into[k].name] = into[k];
      if (!may_turn(into[k], w, moves, at, in_) || !suits_period(into[k], w, moves, at, in_) ||
          !may_be_driven(into[k], into.size() - first, w, moves, at))
        break;
    }
  }
}

bool Walls::may_be_driven(const Case::Wall& w, std::size_t planes, const Node& n, const boundary::Motion& m,
                          const std::string& path) {
  if (!m.drive) return true;
  const char* key = m.drive->kind == boundary::Motion::Drive::Kind::free ? "free" : "servo";
  const auto refuse = [&](const std::string& why) {
    in_.report(*n.find(key), path + "." + key, why);
    return false;
  };
  if (w.mesh && m.drive->along == Vec3{}) return refuse("needs along: a mesh has no normal");
  if (planes > 1 && m.drive->along != Vec3{})
    return refuse("the sides of a box move one by one, each along its own normal: leave out along, or name a side");
  if (m.rotation) return refuse("a wall that turns cannot be driven as well");
  if (m.drive->stress != 0 && m.drive->area == 0 && !is_between_sides(w.name))
    return refuse(fmt::format("the stress needs an area: {} is no side of a box whose sides beside it stand", w.name));
  return true;
}

bool Walls::is_between_sides(const std::string& name) const {
  const std::size_t at = name.rfind('.');
  if (at == std::string::npos) return false;
  const auto box = standing_.boxes.find(name.substr(0, at));
  if (box == standing_.boxes.end()) return false;
  for (const char* axis : {"x", "y", "z"}) {
    if (name[at + 1] == axis[0] || (in_.c.dimensions == 2 && axis[0] == 'z')) continue;
    if (in_.c.periodic.periodic[static_cast<std::size_t>(axis[0] - 'x')]) continue;
    for (const char* end : {"_min", "_max"})
      if (!box->second.contains(box->first + "." + axis + end)) return false;
  }
  return true;
}

void Walls::add_mesh(const Node& n, const std::string& name, const std::string& path, int m,
                     std::vector<Case::Wall>& into) {
  standing_.planes.insert(name);
  if (in_.c.dimensions == 2) return in_.report(n, path, "is for three dimensions; this case has two");
  const auto given = in_.taken<given::Mesh>(n, path);
  if (!given) return;
  Case::Wall w;
  w.name = name, w.material = m, w.point = given->position, w.front_only = given->front_only;
  if (const Node* o = get(n, "orientation")) w.orientation = turned(*o, path + ".orientation", in_);
  const Node& file = *n.find("file");
  Result<WallMesh> mesh = read_wall_mesh(in_.beside_case(given->file), given->scale, w.front_only, given->simplify);
  if (!mesh) return in_.report(file, path + ".file", mesh.error().message);
  for (const std::string& remark : mesh->remarks) in_.warn(file, path + ".file", remark);
  w.mesh = std::move(mesh->facets), w.drawn_triangles = mesh->drawn_triangles;
  into.push_back(std::move(w));
}

void Walls::add_round(const Node& n, const std::string& name, const std::string& path, int m,
                      std::vector<Case::Wall>& into, bool is_cone) {
  standing_.planes.insert(name);
  if (in_.c.dimensions == 2) return in_.report(n, path, "is for three dimensions; this case has two");
  const auto given = round_given(n, path, is_cone, in_);
  if (!given) return;
  const Vec3 axis = given->to - given->from;
  const double widest = std::max(given->radius_from, given->radius_to), longest = std::max(norm(axis), widest);
  if (!(norm(axis) > 1e-9 * longest) || !(norm(axis) < 1e9)) {
    in_.report(*n.find("to"), path + ".to", "expected another place than `from`, within 1e9 m");
    return;
  }
  if (!(widest > 1e-9 * longest) || !(widest < 1e9)) {
    in_.report(*n.find(given->radius_key), fmt::format("{}.{}", path, given->radius_key),
               "expected a radius above 0 and below 1e9 m at one end at least");
    return;
  }
  Case::Wall w;
  w.name = name, w.material = m, w.point = given->from;
  const Vec3 z = normalized(axis), x = any_perpendicular(z);
  w.orientation = quaternion_of(transpose(Mat3{{x, cross(z, x), z}}));
  w.round = Frustum{given->radius_from, given->radius_to, norm(axis)};
  w.mesh = std::make_shared<const FacetMesh>(w.round->flat_sides());
  into.push_back(std::move(w));
}

void Walls::add_plane(const Node& n, const std::string& name, const std::string& path, int m,
                      std::vector<Case::Wall>& into) {
  standing_.planes.insert(name);
  const auto given = in_.taken<given::Plane>(n, path);
  if (!given || given->normal == Vec3{}) return;
  Case::Wall w;
  w.name = name, w.point = given->point, w.normal = given->normal, w.material = m;
  into.push_back(std::move(w));
}

void Walls::add_box(const Node& n, const std::string& name, const std::string& path, int m,
                    std::vector<Case::Wall>& into) {
  std::set<std::string> open;
  if (const Node* o = get(n, "open"))
    for (const Node& side : o->items) open.insert(side.text);
  auto& sides = standing_.boxes[name];
  if (in_.c.dimensions == 2) open.insert({"z_min", "z_max"});
  for (const char* side : kSides)
    if (!open.contains(side)) sides.insert(name + "." + side), standing_.planes.insert(name + "." + side);
  box_rows_[name] = static_cast<int>(in_.c.boxes.size());
  given::Corners corners;
  const bool whole = in_.take(n, path, corners);
  in_.c.boxes.push_back({name, corners.min, corners.max});
  if (!whole || !in_.is_ordered(*n.find("min"), *n.find("max"), path)) return;
  for (int s = 0; s < 6; ++s)
    if (!open.contains(kSides[s])) into.push_back(box_side(name, corners.min, corners.max, s, m));
}

bool Walls::standing_wall(const Node& where, const std::string& name, const std::string& path) {
  if (standing_.has(name)) return true;
  in_.report(
      where, path,
      fmt::format("no wall {} stands at this point{}", short_text(name), in_.hint(name, standing_.names(), "wall")));
  return false;
}

void Walls::stand(std::span<const Wall> walls) {
  for (std::size_t k = 0; k < in_.c.boxes.size(); ++k) box_rows_[in_.c.boxes[k].name] = static_cast<int>(k);
  for (const Wall& w : walls) {
    standing_.planes.insert(w.name);
    if (const std::size_t at = w.name.find('.'); at != std::string::npos)
      standing_.boxes[w.name.substr(0, at)].insert(w.name);
    Case::Wall& made = made_[w.name];
    made.name = w.name, made.normal = w.normal, made.mesh = w.mesh, made.orientation = w.orientation;
  }
}

void Walls::move(const Node& n, const std::string& path, Case::Stage& s) {
  const Node* m = map_at(n, "move");
  if (!m) return;
  for (std::size_t i = 0; i < m->items.size(); ++i) {
    Node at = m->items[i];
    if (m->keys[i].line > 0) at.line = m->keys[i].line, at.column = m->keys[i].column, at.source = m->source;
    if (!standing_wall(at, m->keys[i].name, path + ".move")) continue;
    if (at.kind != Node::Kind::map) continue;
    const std::string& name = m->keys[i].name;
    const std::string here = path + ".move." + name;
    const boundary::Motion moves = read_motion(at, here, in_);
    s.move.push_back({name, moves});
    std::vector<Case::Wall> moved;
    for (const auto& [wall, made] : made_)
      if ((wall == name || wall.starts_with(name + ".")) && standing_.has(wall)) moved.push_back(made);
    must_slide(moved, at, moves, here, in_);
    for (const auto& [wall, made] : made_) {
      if ((wall != name && !wall.starts_with(name + ".")) || !standing_.has(wall)) continue;
      if (!may_turn(made, at, moves, here, in_) || (made.mesh && !suits_period(made, at, moves, here, in_)) ||
          !may_be_driven(made, wall == name ? 1 : 2, at, moves, here))
        break;
    }
  }
}

void Walls::remove(const Node& n, const std::string& path, Case::Stage& s) {
  Reading::each(n, path, [&](const Node& name, const std::string& at) {
    if (!standing_wall(name, name.text, at)) return;
    standing_.remove(name.text);
    s.remove.push_back(name.text);
  });
}

}  // namespace scree::io
