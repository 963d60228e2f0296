// From the forces of contacts and bonds to those on bodies and walls.
#include <algorithm>

#include "base/timer.h"
#include "exec/parallel.h"
#include "sim/body_contacts.h"
#include "sim/contact_rows.h"
#include "sim/scratch.h"
#include "sim/spread.h"

namespace scree {

namespace {

void sum_on_grains(Simulation& s, const Scratch& scratch) {
  Particles& p = s.particles;
  exec::parallel_chunks(p.own_rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    thread_local ContactsAsB as_b;
    const auto fetch = [&](std::uint32_t r) {
      __builtin_prefetch(&s.contacts.force[r]), __builtin_prefetch(&scratch.torque_b[r]);
    };
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t place = (i - begin) % ContactsAsB::kTogether;
      if (place == 0)
        as_b.list(s.pairs, s.contacts.size(), scratch.as_b_start, scratch.as_b, i,
                  std::min(i + ContactsAsB::kTogether, end), fetch);
      Vec3 force = p.mass[i] * s.gravity, torque{}, lost{};
      if (p.keeps_outer) force += p.outer_force[i], torque += p.outer_torque[i];
      for (const std::uint32_t r : as_b.of(place)) force += s.contacts.force[r], torque += scratch.torque_b[r];
      const auto add = [&](const OnA& sum) { force -= sum.force, torque += sum.torque, lost += sum.lost; };
      const RowRange rows = rows_of(s.pairs, scratch.as_a_start[i], scratch.as_a_start[i + 1]);
      if (rows.begin != rows.end) add(scratch.on_a[i]);
      const RowRange on_walls = rows_of(s.wall_pairs, scratch.wall_start[i], scratch.wall_start[i + 1]);
      if (on_walls.begin != on_walls.end) add(scratch.on_a_by_walls[on_walls.begin]);
      p.force[i] = force, p.torque[i] = torque, p.lost[i] += lost;
    }
  });
}

/// Of every wall in every step: a wall that moves does work, and whoever looks at a state looks at the forces.
/// Where the state is spread over ranks, walls that stand keep their parts until the whole is asked for.
void sum_on_walls(Simulation& s, std::vector<OnWall>& sums) {
  const ContactTable& c = s.wall_contacts;
  sum_by_wall(
      s, sums,
      [&](const Wall& w, std::size_t r, OnWall& sum) {
        sum.force += c.force[r];
        if (w.motion.surface_velocity != Vec3{}) sum.belt_power += dot(c.force[r], w.surface_velocity(c.normal[r]));
        if (!w.has_torque()) return;
        const Vec3 arm = s.particles.position[s.wall_pairs.a[c.pair[r]]] - w.centre;
        sum.torque += cross(arm + c.point[r], c.force[r]) + (c.keeps_moments ? c.moment[r] : Vec3{});
      },
      [](const Wall& w) { return !w.stands(); });
  for (std::size_t k = 0; k < s.walls.size(); ++k) take_sums(s.walls[k], sums[k]);
  if (s.spread.ranks != nullptr)
    s.spread.on_standing_walls.assign(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(s.walls.size()));
}

}  // namespace

void sum_forces(Simulation& s) {
  Scratch& scratch = scratch_of(s);
  {
    const Timer timer(s.counters.seconds_forces);
    sum_on_grains(s, scratch);
    if (s.bonds.size() > 0) bond::add_forces(s.bonds, scratch.bonds_of, s.particles);
  }
  send_forces(s);
  sum_on_walls(s, scratch.on_walls);
}

}  // namespace scree
