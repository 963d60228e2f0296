#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "sim/row_order.h"
#include "sim/scratch.h"

namespace scree {

namespace {

Totals sum_bodies(const Simulation& s, const RowOrder& ids, std::size_t begin, std::size_t end) {
  const Particles& p = s.particles;
  // A fall along a periodic axis never ends: there is no potential.
  Vec3 falls = s.gravity;
  for (std::size_t a = 0; a < 3; ++a)
    if (p.domain.periodic[a]) falls[a] = 0;
  Totals t;
  for (std::size_t place = begin; place < end; ++place) {
    const std::size_t i = ids.row(ids.particle, place);
    const double v2 = norm2(p.velocity[i]);
    t.kinetic_translation += 0.5 * p.mass[i] * v2;
    t.kinetic_rotation += integrate::rotational_energy(p.orientation[i], p.angular_momentum[i], p.inertia[i]);
    t.potential -= p.mass[i] * dot(falls, p.position[i]);
    t.momentum += p.mass[i] * p.velocity[i];
    t.angular_momentum += p.mass[i] * cross(p.position[i], p.velocity[i]) + p.angular_momentum[i];
    t.max_speed = std::max(t.max_speed, std::sqrt(v2));
  }
  return t;
}

Totals add(Totals a, const Totals& b) {
  a.kinetic_translation += b.kinetic_translation, a.kinetic_rotation += b.kinetic_rotation, a.potential += b.potential;
  a.momentum += b.momentum, a.angular_momentum += b.angular_momentum;
  a.max_speed = std::max(a.max_speed, b.max_speed);
  return a;
}

/// row(place): the contacts in the order of the ids.
template <class Row, class SmallerSize>
void sum_contacts(const PairTable& pairs, const ContactTable& contacts, Row&& row, SmallerSize&& size, Totals& t) {
  for (std::size_t place = 0; place < contacts.size(); ++place) {
    const std::size_t r = row(place);
    const std::uint32_t k = contacts.pair[r];
    t.elastic += contacts.energy[r];
    t.contacts += pairs.first[k] == r ? 1 : 0;
    t.sliding += contacts.sliding[r] ? 1 : 0;
    t.max_overlap = std::max(t.max_overlap, contacts.penetration[r] / size(k));
  }
  t.candidate_pairs += pairs.size(), t.contact_points += contacts.size();
}

void sum_bonds(const Simulation& s, Totals& t) {
  if (!s.has_clusters) return;
  for (std::size_t r = 0; r < s.bonds.size(); ++r) t.bonds_elastic += s.bonds.energy[r], t.bonds += s.bonds.alive[r];
  if (const Scratch* scratch = s.scratch.get()) {
    t.fragments = scratch->fragments.count();
    return;
  }
  bond::Adjacency bonds_of;
  bond::Fragments fragments;
  bonds_of.build(s.bonds, s.particles.size_rows());
  fragments.build(s.particles, s.bonds, bonds_of);
  t.fragments = fragments.count();
}

}  // namespace

Totals totals(const Simulation& s) {
  const Particles& p = s.particles;
  const RowOrder ids = id_order(s);
  Totals t = exec::parallel_reduce(
      p.size_rows(), 1024, Totals{}, [&](std::size_t begin, std::size_t end) { return sum_bodies(s, ids, begin, end); },
      add);
  sum_contacts(
      s.pairs, s.contacts, [&](std::size_t place) { return ids.row(ids.contact, place); },
      [&](std::uint32_t k) { return std::min(overlap_length(s, s.pairs.a[k]), overlap_length(s, s.pairs.b[k])); }, t);
  sum_contacts(
      s.wall_pairs, s.wall_contacts, [&](std::size_t place) { return ids.row(ids.wall_contact, place); },
      [&](std::uint32_t k) { return overlap_length(s, s.wall_pairs.a[k]); }, t);
  sum_bonds(s, t);
  return t;
}

std::uint64_t state_hash(const Simulation& s) {
  Hash64 h;
  visit_state_in(id_order(s), s, [&h](const std::string& name, const auto& value) {
    h.bytes(name.data(), name.size());
    if constexpr (requires { value.data(); }) {
      h.value(value.size());
      h.bytes(value.data(), value.size() * sizeof(value[0]));
    } else {
      h.value(value);
    }
  });
  for (const Wall& w : s.walls) {
    h.value(w.id), h.bytes(w.name.data(), w.name.size());
    h.value(w.point), h.value(w.normal), h.value(w.velocity), h.value(w.travel), h.value(w.material);
    if (!w.mesh && w.motion.is_plain()) continue;
    h.value(w.orientation), h.value(w.centre), h.value(w.spin), h.value(w.motion_started), h.value(w.reach);
    if (w.motion.drive) h.value(w.driven), h.value(w.stiffness);
  }
  return h.digest();
}

std::size_t Simulation::bytes() const {
  std::size_t b = particles.bytes() + pairs.bytes() + wall_pairs.bytes() + contacts.bytes() + wall_contacts.bytes() +
                  position_at_rebuild.capacity() * sizeof(Vec3) + bonds.bytes();
  for (const Wall& w : walls) b += w.mesh ? w.mesh->bytes() : 0;
  if (const Scratch* c = scratch.get()) {
    b += c->bodies.bytes() + c->old_pairs.bytes() + c->old_wall_pairs.bytes() + c->old_contacts.bytes() +
         c->old_wall_contacts.bytes();
    for (const auto& n : c->near_facets) b += n.bytes();
    b += (c->as_b_start.capacity() + c->as_b.capacity() + c->as_a_start.capacity() + c->wall_start.capacity() +
          c->wall_pairs_by_id.capacity() + c->old_start.capacity() + c->found_order.capacity()) *
         sizeof(std::uint32_t);
    b += (c->memory_normal.capacity() + c->wall_memory_normal.capacity() + c->torque_a.capacity() +
          c->torque_b.capacity() + c->wall_torque.capacity()) *
         sizeof(Vec3);
    b += c->motion.capacity() * sizeof(BodyMotion);
    b += c->bonds_of.bytes() + c->fragments.bytes() + c->units.bytes();
    b += c->search.bytes() + c->found_pairs.capacity() * sizeof(neighbour::Pair);
    for (const auto& f : c->chunks) b += f.points.capacity() * sizeof(narrow::FoundPoint);
    for (const auto& f : c->wall_chunks) b += f.points.capacity() * sizeof(narrow::FoundPoint);
  }
  return b;
}

}  // namespace scree
