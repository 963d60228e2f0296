#include "io/case/case_hash.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "io/case/digest.h"
#include "io/case/key.h"

namespace scree::io {

namespace {

/// What hangs on several keys, or is kept in another form than it was given, part by part; the rest by its keys.
struct CaseDigest : Digest {
  using Digest::add;

  /// The members of a struct whose keys have this rule, in the order of the table.
  template <class T>
  void by_keys(const T& of, HashRule rule = HashRule::decides) {
    for (const Bound& b : bound_to(typeid(T)))
      if (b.key->hash == rule) b.member->hash(&of, *this);
  }
  /// Those that are hashed only where they are not as by default, each behind its number, which tells them apart.
  template <class T>
  void if_given(const T& of) {
    static const T otherwise{};
    for (const Bound& b : bound_to(typeid(T))) {
      if (b.key->hash != HashRule::if_given || b.member->text(&of) == b.member->text(&otherwise)) continue;
      add(b.key->hash_number), b.member->hash(&of, *this);
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
  void add(const Domain& d) {
    for (std::size_t a = 0; a < 3; ++a) add(d.periodic[a]), add(d.low[a]), add(d.high[a]);
  }
  void add(const std::string& s) { add(s.size()), h.bytes(s.data(), s.size()); }
  void add(const Law& law) {
    add(law.index());
    // Laws are plain parameters of 64 bits each: no padding.
    std::visit([this](const auto& l) { h.value(l); }, law);
  }
  void add(const Case::Material& m) { add(m.name), by_keys(m); }
  void add(const Case::Contact& c) {
    add(std::min(c.material_a, c.material_b)), add(std::max(c.material_a, c.material_b)), add(c.law);
    h.value(c.beside);
  }
  /// What only some have is added where it is there: cases without it keep the parts that their checkpoints know.
  void add(const boundary::Motion& m) {
    add(m.velocity);
    if (m.is_plain()) return;
    if (m.drive)
      add(m.drive->kind), add(m.drive->along), add(m.drive->force), add(m.drive->stress), add(m.drive->area),
          add(m.drive->mass), add(m.drive->damping), add(m.drive->max_velocity);
    add(m.surface_velocity), add(m.table.size());
    for (const boundary::Motion::Row& r : m.table) add(r.time), add(r.shift), add(r.angle);
    add(m.oscillation.has_value()), add(m.rotation.has_value());
    if (m.oscillation) by_keys(*m.oscillation);
    if (m.rotation) by_keys(*m.rotation);
  }
  /// Without the outline, which is for pictures.
  void add(const Case::Wall& p) {
    add(p.name), add(p.point), add(p.normal), add(p.material), add(p.motion);
    if (!p.mesh) return;
    add(p.orientation), add(p.front_only), add(p.mesh->surface().vertices);
    for (const auto& t : p.mesh->surface().triangles) add(t[0]), add(t[1]), add(t[2]);
  }
  void add(const Case::Box& b) { add(b.name), add(b.min), add(b.max); }
  void add(const Case::Lattice& l) {
    add(l.box), add(l.from), add(l.spacing), add(l.jitter);
    if (l.region) add(l.region->min), add(l.region->max);
  }
  void add(const Region& r) { add(r.kind), add(r.min), add(r.max), add(r.radius); }
  void add(const Case::AtPoints& p) {
    add(p.points);
    const bool from_file = !p.size.empty() || !p.orientation.empty() || !p.velocity.empty() ||
                           !p.angular_velocity.empty() || !p.shape.empty();
    if (from_file) add(p.size), add(p.orientation), add(p.velocity), add(p.angular_velocity), add(p.shape);
  }
  void add(const Case::AtRandom& r) { add(r.region), by_keys(r); }
  void add(const Case::Pour& p) { add(p.region), by_keys(p); }
  void add(const Case::Outlet& o) { add(o.name), add(o.region), add(o.point), add(o.normal), add(o.open); }
  void add(const Case::Size& s) {
    add(s.kind), add(s.a), add(s.b);
    if (s.kind == Case::Size::Kind::fixed || s.kind == Case::Size::Kind::uniform) return;
    add(s.low), add(s.high), add(s.size), add(s.share), add(s.power);
  }
  void add(const Case::Group& g) {
    add(g.name), add(g.count), add(g.shapes), add(g.size);
    add(g.orientation.random), add(g.orientation.fixed), add(g.place.index());
    std::visit([this](const auto& place) { add(place); }, g.place);
    add(g.material), add(g.velocity), add(g.angular_velocity);
    if (g.cluster >= 0) add(g.cluster);
    if (g.may_overlap) add(g.may_overlap);
  }
  void add(const bond::ParallelBond& l) {
    add(l.given), add(l.kn), add(l.ks), add(l.modulus), add(l.ratio), add(l.poisson), add(l.radius_factor);
    add(l.damping), add(l.keeps_contact), add(l.weibull_modulus), add(l.normal_strength), add(l.shear_strength);
  }
  void add(const std::pair<std::uint32_t, std::uint32_t>& p) { add(p.first), add(p.second); }
  void add(const Case::Cluster& c) {
    add(c.name), add(c.spheres.position), add(c.spheres.radius), add(c.bonds), add(c.law);
  }
  void add(const Case::FrictionChange& f) { add(f.material_a), add(f.material_b), add(f.friction_angle); }
  void add(const Case::Move& m) { add(m.wall), add(m.motion); }
  void add(const Case::CutAbove& c) { add(c.height); }
  void add(const narrow::PlaneSettings& p) {
    by_keys(p), by_keys(p.cundall), by_keys(p.fast), by_keys(p.shortest_link);
    if_given(p.cundall), if_given(p.shortest_link);
  }
  void add(const Case::TimeStep& t) { by_keys(t); }
  void add_changes(const Case::Stage& s) {
    add(s.remove), add(s.add), add(s.gravity), add(s.friction), add(s.move), add(s.cut_above), add(s.insert);
    if (!s.open.empty() || !s.close.empty()) add(s.open), add(s.close);
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
  std::vector<CasePart> parts{part("seed", c.seed),
                              part("gravity", c.gravity),
                              part("materials", c.materials),
                              part("contacts", c.contacts),
                              part("walls", c.walls, c.boxes),
                              part("particles", c.particles),
                              // Without what its keys say is free.
                              part("detection", c.detection.neighbours, c.detection.common_plane,
                                   c.detection.contact_geometry, c.detection.points, c.detection.skin),
                              part("time_step", c.time_step),
                              {"stages begun so far", stages.h.digest()}};
  // Only then: cases of three dimensions keep the parts that their checkpoints know.
  if (c.dimensions == 2) parts.push_back(part("dimensions", c.dimensions, c.thickness));
  if (c.periodic.any()) parts.push_back(part("periodic", c.periodic));
  if (!c.clusters.empty()) parts.push_back(part("clusters", c.clusters));
  if (!c.outlets.empty()) parts.push_back(part("outlets", c.outlets));
  Digest planes;  // other measurements have no state
  for (const Case::Measure& m : c.measures)
    if (m.kind == Case::Measure::Kind::flow) planes.add(m.name), planes.add(m.point), planes.add(m.normal);
  if (planes.h.digest() != Digest().h.digest()) parts.push_back({"measure (flow)", planes.h.digest()});
  return parts;
}

std::uint64_t case_hash(const Case& c) {
  Hash64 h;
  h.bytes(c.source_text.data(), c.source_text.size());
  return h.digest();
}

}  // namespace scree::io
