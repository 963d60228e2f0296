// From the forces of contacts and bonds to those on bodies and walls.
#include "base/timer.h"
#include "exec/parallel.h"
#include "sim/body_contacts.h"
#include "sim/contact_rows.h"
#include "sim/scratch.h"

namespace scree {

void sum_forces(Simulation& s) {
  const Timer timer(s.counters.seconds_forces);
  const Scratch& scratch = scratch_of(s);
  Particles& p = s.particles;
  exec::parallel_chunks(p.own_rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
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
}

}  // namespace scree
