#include "app/bench/stretch.h"

#include <algorithm>

#include "app/bench/record.h"
#include "base/hash.h"

namespace scree::app {

namespace {

/// Positions and velocities, by id: the same whatever the list.
std::uint64_t motion_hash(const Simulation& s) {
  std::uint64_t sum = 0;  // of the rows' own hashes: rows may stand in any order
  const Particles& p = s.particles;
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    Hash64 hash;
    hash.value(p.id[i]), hash.value(p.position[i]), hash.value(p.velocity[i]);
    sum += hash.digest();
  }
  return sum;
}

}  // namespace

Stretch stretch(Simulation s, int warm, int steps) {
  for (int k = 0; k < warm && !s.fault; ++k) step(s);
  s.counters = {};
  const double begin = cpu_seconds();
  for (int k = 0; k < steps && !s.fault; ++k) step(s);
  const double n = static_cast<double>(s.particles.size_rows()), per = 1e9 / (n * steps);
  const Counters& c = s.counters;
  return {.cpu = (cpu_seconds() - begin) * per,
          .neighbours = c.seconds_neighbours * per,
          .planes = c.seconds_planes * per,
          .points = c.seconds_points * per,
          .forces = c.seconds_forces * per,
          .integrate = c.seconds_integrate * per,
          .pairs = static_cast<double>(s.pairs.size()) / n,
          .contacts = static_cast<double>(s.contacts.size()) / n,
          .wall_contacts = s.wall_contacts.size(),
          .skin = s.skin / s.skin_tuning.diameter,
          .steps_per_list = steps / static_cast<double>(std::max<std::uint64_t>(c.rebuilds, 1)),
          .hash = motion_hash(s),
          .failed = s.fault.has_value()};
}

std::vector<Stretch> medians(const std::vector<Simulation>& starts, int warm, int steps, int turns) {
  std::vector<std::vector<Stretch>> all(starts.size());
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t k = 0; k < starts.size(); ++k) all[k].push_back(stretch(starts[k], warm, steps));
  }
  std::vector<Stretch> out;
  for (std::vector<Stretch>& of : all) {
    std::sort(of.begin(), of.end(), [](const Stretch& a, const Stretch& b) { return a.cpu < b.cpu; });
    out.push_back(of[of.size() / 2]);
  }
  return out;
}

}  // namespace scree::app
