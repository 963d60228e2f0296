// Contacts of a step: points found, memory merged, law applied, forces gathered.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>

#include "exec/parallel.h"
#include "sim/contact_memory-inl.h"
#include "sim/contact_rows.h"
#include "sim/relative_motion-inl.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr std::size_t kPairGrain = 256;
// Larger ones leave threads waiting for the last chunk of a small bed; smaller ones cost one thread more.
constexpr std::size_t kRowGrain = 256;

/// Found points, chunk by chunk, become the contact table; each pair learns its rows.
struct Assembly {
  const std::vector<narrow::FoundPoints>& chunks;
  PairTable& pairs;
  ContactTable& contacts;
  LastContacts& old;
  std::vector<Vec3>& memory_normals;
  std::vector<std::uint32_t>& start;  ///< row of each chunk's first point, and the end

  void make_room() const {
    start.assign(chunks.size() + 1, 0);
    for (std::size_t c = 0; c < chunks.size(); ++c)
      start[c + 1] = start[c] + static_cast<std::uint32_t>(chunks[c].points.size());
    old.take(contacts);
    contacts.resize(start.back());
    memory_normals.resize(start.back());
  }
  void operator()(std::size_t begin, std::size_t end) const {
    for (std::size_t c = begin; c < end; ++c) take(c);
  }

 private:
  void take(std::size_t c) const {
    const std::vector<narrow::FoundPoint>& points = chunks[c].points;
    for (std::size_t next = 0; next < points.size();) {
      const std::size_t row = start[c] + next, k = points[next].pair;
      std::size_t count = 0;
      for (; next < points.size() && points[next].pair == k; ++next, ++count) {
        const narrow::FoundPoint& p = points[next];
        const std::size_t r = row + count;
        contacts.pair[r] = p.pair, contacts.key[r] = p.key, contacts.point[r] = p.point, contacts.normal[r] = p.normal;
        contacts.depth[r] = p.depth, contacts.penetration[r] = p.penetration, contacts.gyration[r] = p.gyration;
        contacts.energy_depth[r] = p.energy_depth;
        if (contacts.keeps_anchors) contacts.axis[r] = p.axis;
        if (contacts.keeps_shares) contacts.share[r] = p.share;
        if (contacts.keeps_patches && chunks[c].patches.size() == points.size())
          contacts.area[r] = chunks[c].patches[next].area,
          contacts.area_moment[r] = chunks[c].patches[next].area_moment;
        if (contacts.keeps_parts) contacts.part[r] = next < chunks[c].parts.size() ? chunks[c].parts[next] : 0;
      }
      if (contacts.keeps_parts && old.part.size() == old.key.size())
        merge_parts(old, pairs.first[k], pairs.count[k], contacts, memory_normals, row, count);
      else
        merge_memory(old, pairs.first[k], pairs.count[k], contacts, memory_normals, row, count);
    }
    // Which pairs have points is hard to foretell: counted without a branch.
    const std::size_t begin = c * kPairGrain, end = std::min(begin + kPairGrain, pairs.size());
    for (std::size_t k = begin; k < end; ++k) pairs.count[k] = 0;
    for (std::size_t r = start[c]; r < start[c + 1]; ++r) ++pairs.count[contacts.pair[r]];
    std::uint32_t row = start[c];
    for (std::size_t k = begin; k < end; ++k) pairs.first[k] = row, row += pairs.count[k];
  }
};

narrow::ContactGeometry geometry_of(const Simulation& s) {
  if (s.detection.contact_geometry == Case::ContactGeometry::overlap) return narrow::ContactGeometry::overlap;
  return s.contacts.keeps_shares ? narrow::ContactGeometry::shared_zone : narrow::ContactGeometry::contact_zone;
}

void count(Simulation& s, const std::vector<narrow::FoundPoints>& chunks) {
  for (const narrow::FoundPoints& c : chunks) {
    s.counters.planes_skipped += c.counters.skipped, s.counters.planes_cached += c.counters.cached;
    s.counters.planes_solved += c.counters.solved, s.counters.planes_cold += c.counters.cold;
    s.counters.planes_searched += c.counters.searched;
    s.counters.iterations += c.counters.iterations, s.counters.evaluations += c.counters.evaluations;
    s.counters.iterations_max = std::max(s.counters.iterations_max, c.counters.iterations_max);
  }
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Wall clock of the loop over both lists of chunks, shared out in the proportion of what each part took of the
/// threads.
void share_time(double seconds, const Scratch& scratch, Counters& counters) {
  double planes = 0, points = 0;
  for (const auto* chunks : {&scratch.chunks, &scratch.wall_chunks})
    for (const narrow::FoundPoints& c : *chunks) planes += c.seconds_planes, points += c.seconds_points;
  const double of_planes = planes > 0 ? planes / (planes + points) : 0;
  counters.seconds_planes += of_planes * seconds, counters.seconds_points += (1 - of_planes) * seconds;
}

/// Half of the harmonic mean, as springs in a row have it.
double in_series(double a, double b) { return a * b / (a + b); }
/// Moment of inertia of a sphere about a point of its surface.
double rolling_inertia(double mass, double radius) { return 1.4 * mass * radius * radius; }

/// Of a particle's part.
double radius_of(const Particles& p, const Scratch& scratch, std::size_t i, std::uint32_t part) {
  return p.size[i] * scratch.unit_radius[scratch.first_part[p.shape[i]] + part];
}

/// Effective radius, mass and rolling inertia (contact.h) of particles i and j, touching with the parts said.
void add_pair(const Particles& p, const Scratch& scratch, std::size_t i, std::size_t j, std::uint32_t parts,
              contact::Geometry& g) {
  const double ri = radius_of(p, scratch, i, parts >> 16), rj = radius_of(p, scratch, j, parts & 0xffffu);
  g.radius = in_series(ri, rj), g.mass = in_series(p.mass[i], p.mass[j]);
  g.rolling_inertia = in_series(rolling_inertia(p.mass[i], ri), rolling_inertia(p.mass[j], rj));
}
/// The same of particle i on a wall.
void add_pair(const Particles& p, const Scratch& scratch, std::size_t i, std::uint32_t parts, contact::Geometry& g) {
  g.radius = radius_of(p, scratch, i, parts >> 16), g.mass = p.mass[i];
  g.rolling_inertia = rolling_inertia(g.mass, g.radius);
}

void add_pair(const Particles& p, const ContactRows<BodyPartner>& table, std::size_t r, contact::Geometry& g) {
  add_pair(p, table.scratch, table.a(r), table.b(r), table.contacts.keeps_parts ? table.contacts.part[r] : 0, g);
}
void add_pair(const Particles& p, const ContactRows<WallPartner>& table, std::size_t r, contact::Geometry& g) {
  add_pair(p, table.scratch, table.a(r), table.contacts.keeps_parts ? table.contacts.part[r] : 0, g);
}

/// The laws on a contact table, a batch of rows at a time.
template <class Partner>
struct Batch {
  const Particles& particles;
  ContactRows<Partner> table;

  template <bool kBeside, class L>
  void apply(const L& law, const contact::Beside* beside, std::size_t r) const {
    ContactTable& contacts = table.contacts;
    const Vec3 arm = contacts.point[r];
    const BodyMotion& a = table.scratch.motion[table.a(r)];
    const PartnerMotion b = table.partner(table.b(r), a, arm, contacts.normal[r]);
    const auto motion = HWY_NAMESPACE::RelativeMotion<contact::Motion>(a, arm, b, table.dt);
    contact::Motion of_law = motion;
    // A zone's point is its part of a contact: the law sees what the whole would have stored.
    const double share = contacts.keeps_shares ? contacts.share[r] : 1, whole = 1 / share;
    contact::Memory memory{whole * contacts.shear[r], whole * contacts.torsion[r], table.memory_normals[r]};
    memory.stored = whole * contacts.stored[r];
    memory.damping = whole * contacts.damping[r];
    if (contacts.keeps_anchors) memory.damping_moment = whole * contacts.damping_moment[r];
    HWY_NAMESPACE::Brake(of_law, table.braking(r));
    if (contacts.keeps_anchors) memory.grip = HWY_NAMESPACE::CarriedGrip(contacts.anchor[r], arm, a.spin, motion);
    contact::Geometry g{contacts.normal[r], contacts.depth[r], contacts.gyration[r], contacts.energy_depth[r]};
    if constexpr (L::kUsesPair || kBeside) add_pair(particles, table, r, g);
    if constexpr (L::kUsesPatch) g.area = contacts.area[r], g.area_moment = contacts.area_moment[r];
    if (contacts.keeps_anchors) g.axis = contacts.axis[r];
    contact::Wrench w = law(g, of_law, memory);
    HWY_NAMESPACE::BookDashpots(g.normal, motion, memory, w);
    contacts.damping[r] = share * w.damping;
    if (contacts.keeps_anchors) contacts.damping_moment[r] = share * w.damping_moment;
    if constexpr (kBeside) {
      if (beside->rolling.acts()) {
        memory.rolling = whole * contacts.rolling[r];
        beside->rolling(g, motion, law.normal_stiffness(g), law.shear_stiffness(g), table.memory_normals[r], memory, w);
        contacts.rolling[r] = share * memory.rolling;
      }
      beside->pull(g, w);
    }
    w.force *= share, w.moment *= share, w.energy *= share, w.lost *= share;
    contacts.shear[r] = share * memory.shear, contacts.torsion[r] = share * memory.torsion;
    contacts.stored[r] = share * memory.stored, table.lost[r] = w.lost;
    if (contacts.keeps_anchors) contacts.anchor[r] = arm + memory.grip;
    contacts.force[r] = w.force, contacts.moment[r] = w.moment;
    contacts.energy[r] = w.energy, contacts.sliding[r] = w.sliding ? 1 : 0;
    table.torque_a[r] = -HWY_NAMESPACE::TorqueOn(arm, w);
    table.partner.set_torque(r, HWY_NAMESPACE::TorqueOn(b.arm, w));
  }

  /// Rows rows[0..n), or, where there is no list, begin to begin + n.
  template <bool kListed, bool kBeside, class L>
  void apply_all(const std::vector<L>& laws, const std::uint32_t* rows, std::size_t begin, std::size_t n) const {
    if constexpr (std::is_same_v<L, contact::Bloks3d> && !kBeside) {
      apply_by_lanes(table, laws, rows, begin, n);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t r = kListed ? rows[k] : begin + k, m = table.law(r);
        apply<kBeside>(laws[m], kBeside ? &table.scratch.beside[m] : nullptr, r);
      }
    }
  }

  /// Rows [begin, end), at most kRowGrain: law by law.
  void operator()(std::size_t begin, std::size_t end) const {
    table.scratch.beside.empty() ? by_law<false>(begin, end) : by_law<true>(begin, end);
  }

  template <bool kBeside>
  void by_law(std::size_t begin, std::size_t end) const {
    const bool one_kind = std::has_single_bit(table.scratch.kinds_used);
    const auto of_kind = [&](std::size_t kind, const auto& laws) {
      if ((table.scratch.kinds_used >> kind & 1) == 0) return;
      if (one_kind) return apply_all<false, kBeside>(laws, nullptr, begin, end - begin);
      std::array<std::uint32_t, kRowGrain> rows{};
      std::size_t n = 0;
      for (std::size_t r = begin; r < end; ++r) {
        rows[n] = static_cast<std::uint32_t>(r);
        n += table.scratch.law_kind[table.law(r)] == kind ? 1 : 0;
      }
      apply_all<true, kBeside>(laws, rows.data(), 0, n);
    };
    std::apply(
        [&](const auto&... laws) {
          std::size_t kind = 0;
          (of_kind(kind++, laws), ...);
        },
        table.scratch.laws);
  }
};

}  // namespace

namespace {

/// The walls as they stand, and the facets of meshes near each body.
void view_walls(const Simulation& s, Scratch& scratch) {
  scratch.wall_views.clear();
  bool any_mesh = false;
  for (const Wall& w : s.walls) {
    scratch.wall_views.push_back({w.point, w.normal, w.travel, w.mesh.get(), rotation_matrix(w.orientation),
                                  w.front_only, w.round ? &*w.round : nullptr, w.velocity, w.spin, w.centre});
    any_mesh = any_mesh || w.mesh != nullptr;
  }
  scratch.near_facets.resize((s.wall_pairs.size() + kPairGrain - 1) / kPairGrain);
  if (!any_mesh || scratch.near_facets_known) return;
  // No body moves by more than the skin from where it was at the rebuild; made later than that, the list may have to
  // last for the way there and beyond.
  const double motion = (s.skin_tuning.made_at == s.step ? 1 : 2) * s.skin;
  exec::parallel_chunks(s.wall_pairs.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
    narrow::list_near_facets(s.particles, scratch.wall_views, s.wall_pairs, begin, end, motion, s.skin,
                             scratch.near_facets[begin / kPairGrain]);
  });
  scratch.near_facets_known = true;
}

}  // namespace

namespace {

/// Takes out the points of bodies that are apart and do not adhere, or have come farther apart than their contact
/// bears.
template <bool kWalls>
void drop_parted(const Simulation& s, const Scratch& scratch, const PairTable& pairs, narrow::FoundPoints& out) {
  const Particles& p = s.particles;
  std::erase_if(out.points, [&](const narrow::FoundPoint& f) {
    if (f.depth > 0) return false;
    const std::uint32_t i = pairs.a[f.pair], j = pairs.b[f.pair];
    const std::uint32_t material = kWalls ? s.walls[j].material : p.material[j];
    const auto* hertz = std::get_if<contact::HertzMindlin>(&s.laws[p.material[i] * s.materials.size() + material]);
    if (hertz == nullptr || !hertz->adheres()) return true;
    const double ri = radius_of(p, scratch, i, 0), effective = kWalls ? ri : in_series(ri, radius_of(p, scratch, j, 0));
    return f.depth <= hertz->jkr(effective).parting_depth();
  });
}

}  // namespace

void find_contacts(Simulation& s) {
  Scratch& scratch = scratch_of(s);
  const narrow::ContactGeometry geometry = geometry_of(s);
  view_walls(s, scratch);
  scratch.chunks.resize((s.pairs.size() + kPairGrain - 1) / kPairGrain);
  scratch.wall_chunks.resize((s.wall_pairs.size() + kPairGrain - 1) / kPairGrain);
  const auto with = [&](std::vector<narrow::FoundPoints>& chunks, auto&& find) {
    return [&s, &scratch, &chunks, find](std::size_t begin, std::size_t end) {
      narrow::FoundPoints& out = chunks[begin / kPairGrain];
      out.clear();
      out.wants_patches = s.contacts.keeps_patches, out.wants_parts = s.contacts.keeps_parts;
      out.adhesive_reach = scratch.adhesive_reach;
      find(begin, end, out);
    };
  };
  const auto bodies_meet = [&](std::size_t begin, std::size_t end, narrow::FoundPoints& out) {
    narrow::find_body_contacts(s.particles, scratch.bodies, s.pairs, begin, end, s.detection.common_plane, geometry,
                               out);
    if (scratch.adhesive_reach > 0) drop_parted<false>(s, scratch, s.pairs, out);
  };
  const auto walls_are_met = [&](std::size_t begin, std::size_t end, narrow::FoundPoints& out) {
    narrow::find_wall_contacts(s.particles, scratch.bodies, scratch.wall_views, s.wall_pairs, begin, end, geometry,
                               scratch.near_facets[begin / kPairGrain], out);
    if (scratch.adhesive_reach > 0) drop_parted<true>(s, scratch, s.wall_pairs, out);
  };
  const double begun = clock_seconds();
  exec::parallel_both(s.pairs.size(), s.wall_pairs.size(), kPairGrain, with(scratch.chunks, bodies_meet),
                      with(scratch.wall_chunks, walls_are_met));
  const double found = clock_seconds();
  share_time(found - begun, scratch, s.counters);
  count(s, scratch.chunks), count(s, scratch.wall_chunks);
  const Assembly bodies{scratch.chunks,     s.pairs, s.contacts, scratch.old_contacts, scratch.memory_normal,
                        scratch.chunk_start};
  const Assembly walls{
      scratch.wall_chunks,     s.wall_pairs, s.wall_contacts, scratch.old_wall_contacts, scratch.wall_memory_normal,
      scratch.wall_chunk_start};
  bodies.make_room(), walls.make_room();
  exec::parallel_both(scratch.chunks.size(), scratch.wall_chunks.size(), 4, bodies, walls);
  s.counters.seconds_points += clock_seconds() - found;
}

void lay_out_laws(const Simulation& s, Scratch& scratch) {
  const std::size_t n = s.laws.size();
  if (n == 0) return;  // set-up poses bodies before there are laws
  scratch.law_kind.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    scratch.law_kind[k] = static_cast<std::uint8_t>(s.laws[k].index());
    std::visit(
        [&]<class L>(const L& law) {
          std::vector<L>& column = std::get<std::vector<L>>(scratch.laws);
          column.resize(n), column[k] = law;
        },
        s.laws[k]);
  }
  // Not of s.laws: pairs that never meet have a default there.
  for (const Case::Contact& c : s.contacts_given) scratch.kinds_used |= std::uint64_t{1} << c.law.index();
  const bool anything_beside = std::any_of(s.contacts_given.begin(), s.contacts_given.end(),
                                           [](const Case::Contact& c) { return c.beside.acts(); });
  if (anything_beside) {
    const std::size_t materials = s.materials.size();
    scratch.beside.resize(n);
    for (const Case::Contact& c : s.contacts_given) {
      const auto a = static_cast<std::size_t>(c.material_a), b = static_cast<std::size_t>(c.material_b);
      scratch.beside[a * materials + b] = scratch.beside[b * materials + a] = c.beside;
    }
  }
  for (const auto& shape : s.shapes) {
    scratch.first_part.push_back(static_cast<std::uint32_t>(scratch.unit_radius.size()));
    if (shape->kind != ShapeKind::clump) scratch.unit_radius.push_back(equivalent_radius(*shape));
    for (const Shape::Part& part : shape->parts)
      scratch.unit_radius.push_back(part.size * equivalent_radius(*part.shape));
    scratch.unit_inner.push_back(shape->inner_radius());
  }
  double widest = 0;
  for (const double r : s.particles.radius) widest = std::max(widest, r);
  for (const Case::Contact& c : s.contacts_given) {
    const auto* hertz = std::get_if<contact::HertzMindlin>(&c.law);
    if (hertz == nullptr || !hertz->adheres() || !(widest > 0)) continue;
    // Against a wall, the way is longest for the widest.
    scratch.adhesive_reach = std::max(scratch.adhesive_reach, -hertz->jkr(widest).parting_depth());
  }
  if (!s.contacts.keeps_parts) return;
  for (const auto& shape : s.shapes) scratch.unit_overlap.push_back(shape->overlap_length());
}

/// What contacts read of their bodies. Velocities of the step's end are foreseen as far as the forces of its beginning
/// tell: good to dt^2, and so is what dashpots do. Bodies that are near nothing are left out.
void gather_motion(const Simulation& s, double dt, Scratch& scratch) {
  const Particles& p = s.particles;
  const auto is_alone = [](const std::vector<std::uint32_t>& start, std::size_t i) { return start[i] == start[i + 1]; };
  scratch.motion.resize(p.size_rows());
  exec::parallel_chunks(p.size_rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (is_alone(scratch.as_a_start, i) && is_alone(scratch.as_b_start, i) && is_alone(scratch.wall_start, i))
        continue;
      BodyMotion& m = scratch.motion[i];
      m.position = p.position[i], m.velocity = p.velocity[i], m.spin = p.angular_velocity[i];
      m.gain = (0.5 * dt / p.mass[i]) * p.force[i];
      const Vec3 t = transpose_times(scratch.bodies.rotation(i), p.torque[i]), inertia = p.inertia[i];
      m.spin_gain = 0.5 * dt * (scratch.bodies.rotation(i) * Vec3{t.x / inertia.x, t.y / inertia.y, t.z / inertia.z});
      m.material = p.material[i];
    }
  });
}

namespace {

/// Of contact r, of a zone's point its part.
template <class Partner>
contact::Dashpots dashpots_of(const Simulation& s, const ContactRows<Partner>& table, std::size_t r) {
  const ContactTable& contacts = table.contacts;
  contact::Geometry g{contacts.normal[r], contacts.depth[r], contacts.gyration[r], contacts.energy_depth[r]};
  add_pair(s.particles, table, r, g);
  if (contacts.keeps_patches) g.area = contacts.area[r];
  const contact::Dashpots c = std::visit([&](const auto& law) { return law.dashpots(g); }, s.laws[table.law(r)]);
  const double share = contacts.keeps_shares ? contacts.share[r] : 1;
  return {share * c.normal, share * c.shear};
}

/// What the dashpots of a contact at `arm` from a body's centre take of its velocity: 1/s, no less than they take of
/// any of its motions.
double rate_of_dashpots(contact::Dashpots c, Vec3 normal, double gyration, Vec3 arm, double mass, double least) {
  const double along = dot(arm, normal), arm2 = norm2(arm), across2 = std::max(0.0, arm2 - along * along);
  // Three times the second moments resist rocking; the shear dashpot acts where its spring holds on.
  const double patch2 = gyration * gyration, reach = std::sqrt(arm2) + gyration;
  return std::max(c.normal * (1 / mass + (across2 + 3 * patch2) / least) + c.shear * along * along / least,
                  c.shear * (1 / mass + reach * reach / least));
}

/// rate_of_dashpots of the contacts of a table, of both bodies; a wall has none.
template <class Partner>
struct DashpotRates {
  const Simulation& s;
  const ContactRows<Partner>& table;
  std::vector<double>& of_a;
  std::vector<double>* of_b;

  void operator()(std::size_t begin, std::size_t end) const {
    const ContactTable& contacts = table.contacts;
    const auto rate = [&](contact::Dashpots c, std::size_t r, Vec3 arm, std::size_t body) {
      const Vec3 inertia = s.particles.inertia[body];
      const double least = s.dimensions == 2 ? inertia.z : std::min({inertia.x, inertia.y, inertia.z});
      return rate_of_dashpots(c, contacts.normal[r], contacts.gyration[r], arm, s.particles.mass[body], least);
    };
    for (std::size_t r = begin; r < end; ++r) {
      const contact::Dashpots c = dashpots_of(s, table, r);
      const Vec3 arm = contacts.point[r];
      of_a[r] = rate(c, r, arm, table.a(r));
      if constexpr (std::is_same_v<Partner, BodyPartner>) {
        const BodyMotion& a = table.scratch.motion[table.a(r)];
        (*of_b)[r] = rate(c, r, table.partner(table.b(r), a, arm, contacts.normal[r]).arm, table.b(r));
      }
    }
  }
};

struct RowRange {
  std::uint32_t begin, end;
};
/// Contact rows of the pairs [begin, end), which follow each other.
RowRange rows_of(const PairTable& pairs, std::uint32_t begin, std::uint32_t end) {
  if (begin == end) return {0, 0};
  return {pairs.first[begin], pairs.first[end - 1] + pairs.count[end - 1]};
}

/// f(row) for the contacts of the pairs listed, in the order of the list. Which of them touch is hard to foretell:
/// those are picked out without a branch first.
template <class F>
void each_contact(const PairTable& pairs, const std::uint32_t* begin, const std::uint32_t* end, F&& f) {
  std::array<std::uint32_t, 64> touching;
  while (begin != end) {
    const std::uint32_t* stop = begin + std::min<std::ptrdiff_t>(end - begin, touching.size());
    std::size_t n = 0;
    for (; begin != stop; ++begin) touching[n] = *begin, n += pairs.count[*begin] > 0 ? 1 : 0;
    for (std::size_t t = 0; t < n; ++t) {
      const std::uint32_t first = pairs.first[touching[t]];
      for (std::uint32_t r = first; r < first + pairs.count[touching[t]]; ++r) f(r);
    }
  }
}

/// What all dashpots of each body, and of each wall that is free to move, take of its velocity within a step, at most.
void gather_dashpots(const Simulation& s, const ContactRows<BodyPartner>& bodies, const ContactRows<WallPartner>& walls,
                     Scratch& scratch) {
  scratch.rate_a.resize(s.contacts.size()), scratch.rate_b.resize(s.contacts.size());
  scratch.wall_rate.resize(s.wall_contacts.size());
  exec::parallel_both(s.contacts.size(), s.wall_contacts.size(), kRowGrain,
                      DashpotRates<BodyPartner>{s, bodies, scratch.rate_a, &scratch.rate_b},
                      DashpotRates<WallPartner>{s, walls, scratch.wall_rate, nullptr});
  scratch.dashpots.resize(s.particles.size_rows());
  exec::parallel_chunks(s.particles.size_rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double rate = 0;
      const std::uint32_t* as_b = scratch.as_b.data();
      each_contact(s.pairs, as_b + scratch.as_b_start[i], as_b + scratch.as_b_start[i + 1],
                   [&](std::uint32_t r) { rate += scratch.rate_b[r]; });
      const RowRange as_a = rows_of(s.pairs, scratch.as_a_start[i], scratch.as_a_start[i + 1]);
      for (std::uint32_t r = as_a.begin; r < as_a.end; ++r) rate += scratch.rate_a[r];
      const RowRange on_walls = rows_of(s.wall_pairs, scratch.wall_start[i], scratch.wall_start[i + 1]);
      for (std::uint32_t r = on_walls.begin; r < on_walls.end; ++r) rate += scratch.wall_rate[r];
      scratch.dashpots[i] = s.dt * rate;
    }
  });
  scratch.wall_dashpots.assign(s.walls.size(), 0);
  for (const std::uint32_t k : scratch.wall_pairs_by_id) {
    const std::uint32_t w = s.wall_pairs.b[k];
    const auto& drive = s.walls[w].motion.drive;
    if (!drive || drive->kind != boundary::Motion::Drive::Kind::free) continue;
    for (std::uint32_t r = s.wall_pairs.first[k]; r < s.wall_pairs.first[k] + s.wall_pairs.count[k]; ++r) {
      const contact::Dashpots c = dashpots_of(s, walls, r);
      scratch.wall_dashpots[w] += s.dt / drive->mass * std::max(c.normal, c.shear);
    }
  }
}

}  // namespace

void compute_contact_forces(Simulation& s, double dt) {
  const auto start = std::chrono::steady_clock::now();
  Scratch& scratch = scratch_of(s);
  gather_motion(s, dt, scratch);
  scratch.torque_a.resize(s.contacts.size()), scratch.torque_b.resize(s.contacts.size());
  scratch.wall_torque.resize(s.wall_contacts.size());
  scratch.lost.resize(s.contacts.size()), scratch.wall_lost.resize(s.wall_contacts.size());
  const std::size_t materials = s.materials.size();
  const Batch<BodyPartner> bodies{s.particles,
                                  {materials,
                                   dt,
                                   scratch,
                                   s.pairs,
                                   s.contacts,
                                   scratch.memory_normal,
                                   scratch.torque_a,
                                   scratch.lost,
                                   {s.particles.domain, scratch, scratch.torque_b}}};
  const Batch<WallPartner> walls{s.particles,
                                 {materials,
                                  dt,
                                  scratch,
                                  s.wall_pairs,
                                  s.wall_contacts,
                                  scratch.wall_memory_normal,
                                  scratch.wall_torque,
                                  scratch.wall_lost,
                                  {dt, s.walls, scratch.wall_dashpots}}};
  scratch.dashpots.clear();
  if (s.braked != 0) gather_dashpots(s, bodies.table, walls.table, scratch);
  exec::parallel_both(s.contacts.size(), s.wall_contacts.size(), kRowGrain, bodies, walls);
  s.counters.seconds_forces += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void sum_forces(Simulation& s) {
  const auto start = std::chrono::steady_clock::now();
  const Scratch& scratch = scratch_of(s);
  Particles& p = s.particles;
  exec::parallel_chunks(p.size_rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 force = p.mass[i] * s.gravity, torque{}, lost{};
      const std::uint32_t* as_b = scratch.as_b.data();
      each_contact(s.pairs, as_b + scratch.as_b_start[i], as_b + scratch.as_b_start[i + 1],
                   [&](std::uint32_t r) { force += s.contacts.force[r], torque += scratch.torque_b[r]; });
      const RowRange as_a = rows_of(s.pairs, scratch.as_a_start[i], scratch.as_a_start[i + 1]);
      for (std::uint32_t r = as_a.begin; r < as_a.end; ++r)
        force -= s.contacts.force[r], torque += scratch.torque_a[r], lost += scratch.lost[r];
      const RowRange on_walls = rows_of(s.wall_pairs, scratch.wall_start[i], scratch.wall_start[i + 1]);
      for (std::uint32_t r = on_walls.begin; r < on_walls.end; ++r)
        force -= s.wall_contacts.force[r], torque += scratch.wall_torque[r], lost += scratch.wall_lost[r];
      p.force[i] = force, p.torque[i] = torque, p.lost[i] += lost;
    }
  });
  if (s.bonds.size() > 0) bond::add_forces(s.bonds, scratch.bonds_of, s.particles);
  for (Wall& w : s.walls) w.force = w.torque = {}, w.belt_power = 0;
  for (const std::uint32_t k : scratch.wall_pairs_by_id) {
    Wall& w = s.walls[s.wall_pairs.b[k]];
    for (std::uint32_t r = s.wall_pairs.first[k]; r < s.wall_pairs.first[k] + s.wall_pairs.count[k]; ++r)
      w.force += s.wall_contacts.force[r];
    if (w.motion.surface_velocity != Vec3{}) {
      for (std::uint32_t r = s.wall_pairs.first[k]; r < s.wall_pairs.first[k] + s.wall_pairs.count[k]; ++r)
        w.belt_power += dot(s.wall_contacts.force[r], w.surface_velocity(s.wall_contacts.normal[r]));
    }
    if (!w.has_torque()) continue;
    const Vec3 arm = p.position[s.wall_pairs.a[k]] - w.centre;
    for (std::uint32_t r = s.wall_pairs.first[k]; r < s.wall_pairs.first[k] + s.wall_pairs.count[k]; ++r)
      w.torque += cross(arm + s.wall_contacts.point[r], s.wall_contacts.force[r]) + s.wall_contacts.moment[r];
  }
  s.counters.seconds_forces += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace scree
