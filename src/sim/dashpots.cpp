#include "sim/dashpots.h"

#include <algorithm>
#include <cmath>

#include "exec/parallel.h"
#include "sim/body_contacts.h"
#include "sim/pair_geometry.h"

namespace scree {

namespace {

/// Of contact r, of a zone's point its part.
template <class Partner>
contact::Dashpots dashpots_of(const Simulation& s, const ContactRows<Partner>& table, std::size_t r) {
  const ContactTable& contacts = table.contacts;
  contact::Geometry g{contacts.normal[r], contacts.depth[r], contacts.gyration[r], contacts.energy_depth[r]};
  add_pair(table, r, g);
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

void gather_wall_dashpots(const Simulation& s, const ContactRows<WallPartner>& table, Scratch& scratch) {
  const auto is_free = [](const Wall& w) {
    return w.motion.drive && w.motion.drive->kind == boundary::Motion::Drive::Kind::free;
  };
  scratch.wall_dashpots.assign(s.walls.size(), 0);
  if (std::ranges::none_of(s.walls, is_free)) return;
  sum_by_wall(s, scratch.wall_taken, [&](const Wall& w, std::size_t r, ExactSum& taken) {
    if (!is_free(w)) return;
    const contact::Dashpots c = dashpots_of(s, table, r);
    taken += std::max(c.normal, c.shear);
  });
  for (std::size_t w = 0; w < s.walls.size(); ++w)
    if (is_free(s.walls[w]))
      scratch.wall_dashpots[w] = s.dt / s.walls[w].motion.drive->mass * scratch.wall_taken[w].value();
}

}  // namespace

void gather_dashpots(const Simulation& s, const ContactRows<BodyPartner>& bodies, const ContactRows<WallPartner>& walls,
                     Scratch& scratch) {
  scratch.rate_a.resize(s.contacts.size()), scratch.rate_b.resize(s.contacts.size());
  scratch.wall_rate.resize(s.wall_contacts.size());
  exec::parallel_both(s.contacts.size(), s.wall_contacts.size(), kRowGrain,
                      DashpotRates<BodyPartner>{s, bodies, scratch.rate_a, &scratch.rate_b},
                      DashpotRates<WallPartner>{s, walls, scratch.wall_rate, nullptr});
  scratch.dashpots.resize(s.particles.size_rows());
  exec::parallel_chunks(s.particles.own_rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
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
  gather_wall_dashpots(s, walls, scratch);
}

}  // namespace scree
