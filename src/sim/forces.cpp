// Contacts of a step: points found, memory merged, law applied, forces gathered.
#include <algorithm>
#include <chrono>

#include "exec/parallel.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr std::size_t kPairGrain = 256;
constexpr std::size_t kRowGrain = 512;

/// Gives the points of one pair the memory of its last step. A point keeps what the point of the same key had. What was
/// stored by points that are gone is shared out among the new ones - among all, where none is new - so that none is
/// lost or doubled.
void merge_memory(const OldContacts& old, std::uint32_t old_first, std::uint32_t old_count, ContactTable& now,
                  std::vector<Vec3>& normals, std::size_t first, std::size_t count) {
  Vec3 orphaned{};
  double orphaned_torsion = 0;
  std::size_t fresh = count;
  for (std::size_t r = first; r < first + count; ++r) now.shear[r] = {}, now.torsion[r] = 0, normals[r] = {};
  for (std::uint32_t o = old_first; o < old_first + old_count; ++o) {
    std::size_t r = first;
    while (r < first + count && now.key[r] != old.key[o]) ++r;
    if (r == first + count) {
      orphaned += old.shear[o], orphaned_torsion += old.torsion[o];
      continue;
    }
    now.shear[r] = old.shear[o], now.torsion[r] = old.torsion[o];
    normals[r] = old.normal[o];
    --fresh;
  }
  if (old_count == 0 || count == 0) return;
  const bool share_with_all = fresh == 0;
  const double part = 1.0 / static_cast<double>(share_with_all ? count : fresh);
  for (std::size_t r = first; r < first + count; ++r) {
    const bool is_fresh = normals[r] == Vec3{};
    if (!is_fresh && !share_with_all) continue;
    now.shear[r] += part * orphaned, now.torsion[r] += part * orphaned_torsion;
    if (is_fresh) normals[r] = old.normal[old_first];
  }
}

/// Found points, chunk by chunk, become the contact table; each pair learns its rows.
void assemble(std::vector<narrow::FoundPoints>& chunks, std::size_t grain, PairTable& pairs, ContactTable& contacts,
              OldContacts& old, std::vector<Vec3>& normals, std::vector<std::uint32_t>& start) {
  start.assign(chunks.size() + 1, 0);
  for (std::size_t c = 0; c < chunks.size(); ++c)
    start[c + 1] = start[c] + static_cast<std::uint32_t>(chunks[c].points.size());
  old.take(contacts);
  contacts.resize(start.back());
  normals.resize(start.back());
  exec::parallel_for(chunks.size(), 4, [&](std::size_t c) {
    const std::vector<narrow::FoundPoint>& points = chunks[c].points;
    std::size_t next = 0;
    const std::size_t end = std::min((c + 1) * grain, pairs.size());
    for (std::size_t k = c * grain; k < end; ++k) {
      const std::size_t row = start[c] + next;
      std::size_t count = 0;
      for (; next < points.size() && points[next].pair == k; ++next, ++count) {
        const narrow::FoundPoint& p = points[next];
        const std::size_t r = row + count;
        contacts.pair[r] = p.pair, contacts.key[r] = p.key, contacts.point[r] = p.point, contacts.normal[r] = p.normal;
        contacts.depth[r] = p.depth, contacts.penetration[r] = p.penetration, contacts.gyration[r] = p.gyration;
        contacts.energy_depth[r] = p.energy_depth;
      }
      if (count > 0) merge_memory(old, pairs.first[k], pairs.count[k], contacts, normals, row, count);
      pairs.first[k] = static_cast<std::uint32_t>(row), pairs.count[k] = static_cast<std::uint32_t>(count);
    }
  });
}

narrow::ContactGeometry geometry_of(const Simulation& s) {
  return s.detection.contact_geometry == Case::ContactGeometry::overlap ? narrow::ContactGeometry::overlap
                                                                        : narrow::ContactGeometry::contact_zone;
}

void count(Simulation& s, const std::vector<narrow::FoundPoints>& chunks) {
  for (const narrow::FoundPoints& c : chunks) {
    s.counters.planes_skipped += c.counters.skipped, s.counters.planes_cached += c.counters.cached;
    s.counters.planes_solved += c.counters.solved, s.counters.planes_cold += c.counters.cold;
    s.counters.planes_searched += c.counters.searched;
    s.counters.iterations += c.counters.iterations, s.counters.evaluations += c.counters.evaluations;
    s.counters.iterations_max = std::max(s.counters.iterations_max, c.counters.iterations_max);
    s.counters.seconds_planes += c.seconds_planes, s.counters.seconds_points += c.seconds_points;
  }
}

/// One law for a batch of rows; `partner` gives B's motion and the arm from B's centroid.
template <class L, class Partner>
void apply_law(const Simulation& s, const L* laws, double dt, const PairTable& pairs, ContactTable& contacts,
               const std::vector<Vec3>& normals, std::vector<Vec3>& torque_a, std::size_t begin, std::size_t end,
               Partner&& partner) {
  const Particles& p = s.particles;
  for (std::size_t r = begin; r < end; ++r) {
    const std::uint32_t k = contacts.pair[r], i = pairs.a[k], j = pairs.b[k];
    const auto other = partner(j, i, contacts.point[r]);
    const Vec3 wa = p.angular_velocity[i], arm = contacts.point[r];
    contact::Motion motion;
    motion.velocity = other.velocity + cross(other.spin, other.arm) - p.velocity[i] - cross(wa, arm);
    motion.angular_velocity = other.spin - wa;
    motion.mean_spin = 0.5 * (other.spin + wa);
    motion.dt = dt;
    contact::Memory memory{contacts.shear[r], contacts.torsion[r], normals[r]};
    const L& law = laws[p.material[i] * s.materials.size() + other.material];
    const contact::Wrench w =
        law({contacts.normal[r], contacts.depth[r], contacts.gyration[r], contacts.energy_depth[r]}, motion, memory);
    contacts.shear[r] = memory.shear, contacts.torsion[r] = memory.torsion;
    contacts.force[r] = w.force, contacts.moment[r] = w.moment;
    contacts.energy[r] = w.energy, contacts.sliding[r] = w.sliding ? 1 : 0;
    torque_a[r] = -(cross(arm, w.force) + w.moment);
    other.set_torque(r, cross(other.arm, w.force) + w.moment);
  }
}

struct BodyPartner {
  Vec3 velocity, spin, arm;
  std::uint32_t material;
  std::vector<Vec3>* torque;
  void set_torque(std::size_t r, Vec3 t) const { (*torque)[r] = t; }
};
struct WallPartner {
  Vec3 velocity, spin, arm;
  std::uint32_t material;
  void set_torque(std::size_t, Vec3) const {}
};

}  // namespace

void find_contacts(Simulation& s) {
  Scratch& scratch = scratch_of(s);
  const narrow::ContactGeometry geometry = geometry_of(s);
  scratch.wall_planes.clear();
  for (const PlaneWall& w : s.walls) scratch.wall_planes.push_back({w.point, w.normal, w.travel});
  const auto run = [&](PairTable& pairs, std::vector<narrow::FoundPoints>& chunks, auto&& find) {
    chunks.resize((pairs.size() + kPairGrain - 1) / kPairGrain);
    exec::parallel_chunks(pairs.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
      narrow::FoundPoints& out = chunks[begin / kPairGrain];
      out.clear();
      find(begin, end, out);
    });
    count(s, chunks);
  };
  run(s.pairs, scratch.chunks, [&](std::size_t begin, std::size_t end, narrow::FoundPoints& out) {
    narrow::find_body_contacts(s.particles, scratch.bodies, s.pairs, begin, end, s.detection.common_plane, geometry,
                               out);
  });
  run(s.wall_pairs, scratch.wall_chunks, [&](std::size_t begin, std::size_t end, narrow::FoundPoints& out) {
    narrow::find_wall_contacts(s.particles, scratch.bodies, scratch.wall_planes, s.wall_pairs, begin, end, geometry,
                               out);
  });
  const auto start = std::chrono::steady_clock::now();
  assemble(scratch.chunks, kPairGrain, s.pairs, s.contacts, scratch.old_contacts, scratch.memory_normal,
           scratch.chunk_start);
  assemble(scratch.wall_chunks, kPairGrain, s.wall_pairs, s.wall_contacts, scratch.old_wall_contacts,
           scratch.wall_memory_normal, scratch.chunk_start);
  s.counters.seconds_points += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void compute_contact_forces(Simulation& s, double dt) {
  const auto start = std::chrono::steady_clock::now();
  Scratch& scratch = scratch_of(s);
  const Particles& p = s.particles;
  scratch.torque_a.resize(s.contacts.size()), scratch.torque_b.resize(s.contacts.size());
  scratch.wall_torque.resize(s.wall_contacts.size());
  // One law per run so far, so one batch; with a second law the rows will be bucketed by law first.
  const contact::Bloks3d* laws = scratch.laws.data();
  exec::parallel_chunks(s.contacts.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    apply_law(s, laws, dt, s.pairs, s.contacts, scratch.memory_normal, scratch.torque_a, begin, end,
              [&](std::uint32_t j, std::uint32_t i, Vec3 arm) {
                return BodyPartner{p.velocity[j], p.angular_velocity[j], arm - (p.position[j] - p.position[i]),
                                   p.material[j], &scratch.torque_b};
              });
  });
  exec::parallel_chunks(s.wall_contacts.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    apply_law(s, laws, dt, s.wall_pairs, s.wall_contacts, scratch.wall_memory_normal, scratch.wall_torque, begin, end,
              [&](std::uint32_t w, std::uint32_t, Vec3) {
                return WallPartner{s.walls[w].velocity, {}, {}, s.walls[w].material};
              });
  });
  s.counters.seconds_forces += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void sum_forces(Simulation& s) {
  const auto start = std::chrono::steady_clock::now();
  const Scratch& scratch = scratch_of(s);
  Particles& p = s.particles;
  exec::parallel_chunks(p.size_rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 force = p.mass[i] * s.gravity, torque{};
      for (std::uint32_t e = scratch.as_b_start[i]; e < scratch.as_b_start[i + 1]; ++e) {
        const std::uint32_t k = scratch.as_b[e];
        for (std::uint32_t r = s.pairs.first[k]; r < s.pairs.first[k] + s.pairs.count[k]; ++r) {
          force += s.contacts.force[r], torque += scratch.torque_b[r];
        }
      }
      for (std::uint32_t k = scratch.as_a_start[i]; k < scratch.as_a_start[i + 1]; ++k) {
        for (std::uint32_t r = s.pairs.first[k]; r < s.pairs.first[k] + s.pairs.count[k]; ++r) {
          force -= s.contacts.force[r], torque += scratch.torque_a[r];
        }
      }
      for (std::uint32_t k = scratch.wall_start[i]; k < scratch.wall_start[i + 1]; ++k) {
        for (std::uint32_t r = s.wall_pairs.first[k]; r < s.wall_pairs.first[k] + s.wall_pairs.count[k]; ++r) {
          force -= s.wall_contacts.force[r], torque += scratch.wall_torque[r];
        }
      }
      p.force[i] = force, p.torque[i] = torque;
    }
  });
  for (PlaneWall& w : s.walls) w.force = {};
  for (std::size_t r = 0; r < s.wall_contacts.size(); ++r)
    s.walls[s.wall_pairs.b[s.wall_contacts.pair[r]]].force += s.wall_contacts.force[r];
  s.counters.seconds_forces += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace scree
