#include "io/case/case_hash.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/case/digest.h"
#include "io/case/key.h"

namespace scree::io {

namespace {

/// Structs whose members have keys go by those keys, which say whether a member is hashed: a new key is, unless it says
/// otherwise. They stand in the order of the struct, so that the table may be told in another one. The rest is by hand,
/// because it is kept in another form than it was given (names as rows, what several keys give as one value) or was
/// added later, where it is there, so that older checkpoints keep their hashes; each such struct is taken apart into
/// all its members, so that one more does not compile before somebody has said here what becomes of it.
struct CaseDigest : Digest {
  using Digest::add;

  static std::ptrdiff_t offset(const void* of, const void* member) {
    return static_cast<const char*>(member) - static_cast<const char*>(of);
  }
  /// The members whose keys have this rule, and `others`, which have no key of their own.
  template <class T, class... M>
  void by_keys(const T& of, HashRule rule, M T::*... others) {
    std::vector<std::pair<std::ptrdiff_t, std::function<void()>>> parts;
    for (const Bound& b : bound_to(typeid(T)))
      if (b.key->hash == rule)
        parts.emplace_back(static_cast<std::ptrdiff_t>(b.member->offset), [&] { b.member->hash(&of, *this); });
    (parts.emplace_back(offset(&of, &(of.*others)), [this, &value = of.*others] { add(value); }), ...);
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [at, hash] : parts) hash();
  }
  template <class T, class... M>
  void by_keys(const T& of, M T::*... others) {
    by_keys(of, HashRule::decides, others...);
  }
  /// Those that are hashed only where they are not as by default, each behind its number, which tells them apart.
  template <class T>
  void if_given(const T& of) {
    static const T otherwise{};
    for (const Bound& b : bound_to(typeid(T))) {
      if (b.key->hash != HashRule::if_given || b.member->text(&of) == b.member->text(&otherwise)) continue;
      if (b.key->hash_number > 0) add(b.key->hash_number);
      b.member->hash(&of, *this);
    }
  }
  template <class T>
  void add(const std::optional<T>& v) {
    add(v.has_value());
    if (v) add(*v);
  }
  template <class T>
  void add(const std::vector<T>& list) {
    add(list.size());
    for (const T& v : list) add(v);
  }
  template <class... T>
  requires(sizeof...(T) > 1) void add(const T&... values) { (add(values), ...); }

  void add(const Domain& d) {
    const auto& [low, high, periodic] = d;
    for (std::size_t a = 0; a < 3; ++a) add(periodic[a], low[a], high[a]);
  }
  void add(const std::string& s) { add(s.size()), h.bytes(s.data(), s.size()); }
  void add(const Law& law) {
    add(law.index());
    // Laws are plain parameters of 64 bits each: no padding.
    std::visit([this](const auto& l) { h.value(l); }, law);
  }
  void add(const Case::Material& m) { by_keys(m, &Case::Material::name); }
  void add(const Case::Contact& c) {
    const auto& [material_a, material_b, law, beside] = c;
    add(std::min(material_a, material_b), std::max(material_a, material_b), law);
    h.value(beside);  // as of laws
  }
  void add(const boundary::Motion::Drive& d) { by_keys(d, &boundary::Motion::Drive::kind); }
  void add(const boundary::Motion::Oscillation& o) { by_keys(o); }
  void add(const boundary::Motion::Rotation& r) { by_keys(r); }
  void add(const boundary::Motion::Row& r) {
    const auto& [time, shift, angle] = r;
    add(time, shift, angle);
  }
  void add(const boundary::Motion& m) {
    const auto& [velocity, drive, oscillation, rotation, table, surface_velocity] = m;
    add(velocity);
    if (m.is_plain()) return;
    if (drive) add(*drive);
    add(surface_velocity, table, oscillation.has_value(), rotation.has_value());
    if (oscillation) add(*oscillation);
    if (rotation) add(*rotation);
  }
  void add(const Case::Wall& w) {
    // The outline is for pictures, what was drawn for messages; the round one follows from the mesh.
    const auto& [name, point, normal, material, motion, outline, mesh, round, orientation, front_only, drawn] = w;
    add(name, point, normal, material, motion);
    if (!mesh) return;
    add(orientation, front_only, mesh->surface().vertices);
    for (const auto& t : mesh->surface().triangles) add(t[0], t[1], t[2]);
  }
  void add(const Case::Box& b) {
    const auto& [name, min, max] = b;
    add(name, min, max);
  }
  void add(const Case::Lattice& l) {
    by_keys(l, &Case::Lattice::box);
    if (l.region) add(l.region->min, l.region->max);  // always a box
  }
  void add(const Region& r) {
    const auto& [min, max, kind, radius] = r;
    add(kind, min, max, radius);
  }
  void add(const Case::AtPoints& p) {
    const auto& [points, size, orientation, velocity, angular_velocity, shape] = p;
    add(points);
    const bool from_file =
        !size.empty() || !orientation.empty() || !velocity.empty() || !angular_velocity.empty() || !shape.empty();
    if (from_file) add(size, orientation, velocity, angular_velocity, shape);
  }
  void add(const Case::AtRandom& r) { by_keys(r, &Case::AtRandom::region); }
  void add(const Case::Pour& p) { by_keys(p, &Case::Pour::region); }
  template <class... T>
  void add(const std::variant<T...>& v) {
    add(v.index());
    std::visit([this](const auto& one) { this->add(one); }, v);
  }
  void add(const Case::Outlet& o) { by_keys(o, &Case::Outlet::name, &Case::Outlet::region); }
  void add(const Case::Size& s) {
    // `from` and `to` follow from `low` and `high`.
    const auto& [kind, a, b, low, high, from, to, size, share, power] = s;
    add(kind, a, b);
    if (kind == Case::Size::Kind::fixed || kind == Case::Size::Kind::uniform) return;
    add(low, high, size, share, power);
  }
  void add(const Case::Orientation& o) {
    const auto& [random, fixed] = o;
    add(random, fixed);
  }
  void add(const Case::Group& g) {
    by_keys(g, &Case::Group::name, &Case::Group::shapes, &Case::Group::size, &Case::Group::orientation,
            &Case::Group::place, &Case::Group::material);
    if (g.cluster >= 0) add(g.cluster);
    if_given(g);
  }
  void add(const bond::ParallelBond& l) { by_keys(l, &bond::ParallelBond::given); }
  void add(const bond::Cluster& c) {
    const auto& [position, radius] = c;
    add(position, radius);
  }
  void add(const Case::Cluster& c) {
    const auto& [name, spheres, bonds, law] = c;
    add(name, spheres, bonds, law);
  }
  void add(const Case::FrictionChange& f) {
    const auto& [material_a, material_b, friction_angle] = f;
    add(material_a, material_b, friction_angle);
  }
  void add(const Case::Move& m) {
    const auto& [wall, motion, words] = m;  // words: what has begun of a case has none
    add(wall, motion);
  }
  void add(const Case::CutAbove& c) { by_keys(c); }
  void add(const Case::Damping& d) { by_keys(d); }
  void add(const narrow::PlaneSettings& p) {
    by_keys(p), by_keys(p.cundall), by_keys(p.fast), by_keys(p.shortest_link);
    if_given(p.cundall), if_given(p.shortest_link);
  }
  void add(const neighbour::TwoLevelSettings& t) { by_keys(t); }  // changes the speed alone: nothing is hashed
  void add(const Case::Detection& d) { by_keys(d, &Case::Detection::two_level, &Case::Detection::common_plane); }
  void add(const Case::TimeStep& t) { by_keys(t); }
  /// Other measurements have no state.
  void add_flow(const Case::Measure& m) { by_keys(m, &Case::Measure::name); }
  void add_changes(const Case::Stage& s) {
    using Stage = Case::Stage;
    by_keys(s, &Stage::remove, &Stage::add, &Stage::friction, &Stage::move, &Stage::cut_above, &Stage::insert);
    if (s.damping) add(*s.damping);
    if (!s.open.empty() || !s.close.empty()) add(s.open, s.close);
  }
  void add_end(const Case::Stage& s) { by_keys(s, HashRule::begun); }
};

template <class... T>
CasePart part(const char* name, const T&... values) {
  CaseDigest d;
  (d.add(values), ...);
  return {name, d.h.digest()};
}

}  // namespace

std::vector<CasePart> case_parts(const Case& c, std::uint64_t stage) {
  CaseDigest stages;
  for (std::size_t k = 0; k < c.stages.size() && k <= stage; ++k) {
    stages.add_changes(c.stages[k]);
    if (k < stage) stages.add_end(c.stages[k]);
  }
  std::vector<CasePart> parts{
      part("seed", c.seed),           part("gravity", c.gravity),      part("materials", c.materials),
      part("contacts", c.contacts),   part("walls", c.walls, c.boxes), part("particles", c.particles),
      part("detection", c.detection), part("time_step", c.time_step),  {"stages begun so far", stages.h.digest()}};
  // Only then: cases of three dimensions keep the parts that their checkpoints know.
  if (c.dimensions == 2) parts.push_back(part("dimensions", c.dimensions, c.thickness));
  if (c.damping.global > 0) parts.push_back(part("damping", c.damping));
  if (c.periodic.any()) parts.push_back(part("periodic", c.periodic));
  if (!c.clusters.empty()) parts.push_back(part("clusters", c.clusters));
  if (!c.outlets.empty()) parts.push_back(part("outlets", c.outlets));
  CaseDigest planes;
  for (const Case::Measure& m : c.measures)
    if (m.kind == Case::Measure::Kind::flow) planes.add_flow(m);
  if (planes.h.digest() != Digest().h.digest()) parts.push_back({"measure (flow)", planes.h.digest()});
  return parts;
}

std::uint64_t shapes_hash(std::span<const std::shared_ptr<const Shape>> shapes) {
  Hash64 h;
  for (const auto& shape : shapes) {
    h.bytes(shape->name.data(), shape->name.size());
    h.bytes(shape->body.vertices.data(), shape->body.vertices.size() * sizeof(Vec3));
    h.bytes(shape->body.face_vertices.data(), shape->body.face_vertices.size() * sizeof(std::uint16_t));
    if (shape->kind == ShapeKind::polyhedron) continue;
    h.value(shape->kind);
    h.bytes(shape->outline.vertices.data(), shape->outline.vertices.size() * sizeof(Vec2));
    for (const Shape::Part& part : shape->parts) {
      h.value(part.centre), h.value(part.size);
      h.bytes(part.shape->body.vertices.data(), part.shape->body.vertices.size() * sizeof(Vec3));
    }
    if (shape->kind == ShapeKind::clump) h.value(shape->volume), h.value(shape->inertia);
  }
  return h.digest();
}

std::vector<CasePart> all_parts(const Case& c, const ShapeSource& shapes) {
  std::vector<CasePart> parts = case_parts(c, c.stages.size());
  std::vector<std::shared_ptr<const Shape>> loaded;
  for (const std::string& name : c.shape_names())
    if (const auto shape = shapes(name)) loaded.push_back(*shape);  // where there is none, set_up says why
  parts.push_back({"shapes", shapes_hash(loaded)});
  parts.push_back({"text", case_hash(c)});
  return parts;
}

std::string differences(const std::vector<CasePart>& a, const std::vector<CasePart>& b) {
  std::string list;
  const auto add = [&list](const CasePart& part) { list += (list.empty() ? "" : ", ") + part.name; };
  const auto of_name = [](const CasePart& part) {
    return [&part](const CasePart& other) { return other.name == part.name; };
  };
  for (const CasePart& part : a)
    if (std::ranges::find(b, part) == b.end()) add(part);
  for (const CasePart& part : b)
    if (std::ranges::none_of(a, of_name(part))) add(part);
  return list;
}

std::uint64_t case_hash(const Case& c) {
  Hash64 h;
  h.bytes(c.source_text.data(), c.source_text.size());
  return h.digest();
}

}  // namespace scree::io
