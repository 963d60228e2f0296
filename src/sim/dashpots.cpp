#include "sim/dashpots.h"

#include <algorithm>
#include <cmath>

#include "exec/parallel.h"
#include "sim/body_contacts.h"
#include "sim/pair_geometry.h"
#include "sim/relative_motion-inl.h"
#include "sim/spread.h"

namespace scree {

namespace {

/// Of contact r, of a zone's point its part.
template <class Partner>
contact::Dashpots dashpots_of(const Simulation& s, const ContactRows<Partner>& table, std::size_t r) {
  const ContactTable& contacts = table.contacts;
  contact::Geometry g = geometry_of(contacts, r);
  add_pair(table, r, g);
  const contact::Dashpots c = std::visit([&](const auto& law) { return law.dashpots(g); }, s.laws[table.law(r)]);
  const double share = contacts.keeps_shares ? contacts.share[r] : 1;
  return {share * c.normal, share * c.shear};
}

/// RateOfDashpots of the contacts of a table, of both bodies; a wall has none.
template <class Partner>
struct DashpotRates {
  const Simulation& s;
  const ContactRows<Partner>& table;
  std::vector<double>& of_a;
  std::vector<double>& of_b;

  void operator()(std::size_t begin, std::size_t end) const {
    law_by_law(table, begin, end,
               [&]<class L>(std::size_t kind, const std::vector<L>&, const std::uint32_t* rows, std::size_t first,
                            std::size_t n) {
                 if constexpr (L::kTraits.lanes)
                   dashpots_by_lanes(table, table.scratch.laws, kind, rows, first, n, of_a, of_b);
                 else
                   for (std::size_t k = 0; k < n; ++k) one(rows == nullptr ? first + k : rows[k]);
               });
  }

  void one(std::size_t r) const {
    const ContactTable& contacts = table.contacts;
    const contact::Dashpots c = dashpots_of(s, table, r);
    const double gyration = contacts.keeps_patches ? contacts.gyration[r] : 0;
    const auto rate = [&](Vec3 arm, std::size_t body) {
      const BodySize& size = table.scratch.body_size[body];
      return HWY_NAMESPACE::RateOfDashpots(c, contacts.normal[r], gyration, arm, size.mass, size.least);
    };
    const Vec3 arm = contacts.point[r];
    of_a[r] = rate(arm, table.a(r));
    if constexpr (std::is_same_v<Partner, BodyPartner>) {
      const BodyMotion& a = table.scratch.motion[table.a(r)];
      of_b[r] = rate(table.partner(table.b(r), a, arm, contacts.normal[r]).arm, table.b(r));
    }
  }
};

void gather_wall_dashpots(const Simulation& s, const ContactRows<WallPartner>& table, Scratch& scratch) {
  const auto is_free = [](const Wall& w) {
    return w.motion.drive && w.motion.drive->kind == boundary::Motion::Drive::Kind::free;
  };
  scratch.wall_dashpots.assign(s.walls.size(), 0);
  if (std::ranges::none_of(s.walls, is_free)) return;
  sum_by_wall(
      s, scratch.wall_taken,
      [&](const Wall& w, std::size_t r, ExactSum& taken) {
        if (!is_free(w)) return;
        const contact::Dashpots c = dashpots_of(s, table, r);
        taken += std::max(c.normal, c.shear);
      },
      is_free);
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
                      DashpotRates<BodyPartner>{s, bodies, scratch.rate_a, scratch.rate_b},
                      DashpotRates<WallPartner>{s, walls, scratch.wall_rate, scratch.rate_b});
  scratch.dashpots.resize(s.particles.size_rows());
  exec::parallel_chunks(s.particles.own_rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    thread_local ContactsAsB as_b;
    const auto fetch = [&](std::uint32_t r) { __builtin_prefetch(&scratch.rate_b[r]); };
    for (std::size_t i = begin; i < end; ++i) {
      double rate = 0;
      const std::size_t place = (i - begin) % ContactsAsB::kTogether;
      if (place == 0)
        as_b.list(s.pairs, s.contacts.size(), scratch.as_b_start, scratch.as_b, i,
                  std::min(i + ContactsAsB::kTogether, end), fetch);
      for (const std::uint32_t r : as_b.of(place)) rate += scratch.rate_b[r];
      const RowRange as_a = rows_of(s.pairs, scratch.as_a_start[i], scratch.as_a_start[i + 1]);
      for (std::uint32_t r = as_a.begin; r < as_a.end; ++r) rate += scratch.rate_a[r];
      const RowRange on_walls = rows_of(s.wall_pairs, scratch.wall_start[i], scratch.wall_start[i + 1]);
      for (std::uint32_t r = on_walls.begin; r < on_walls.end; ++r) rate += scratch.wall_rate[r];
      scratch.dashpots[i] = s.dt * rate;
    }
  });
  if (s.spread.ranks != nullptr)
    update_copies<double>(
        s, scratch, [&](std::uint32_t i) { return scratch.dashpots[i]; },
        [&](std::uint32_t i, double taken) { scratch.dashpots[i] = taken; });
  gather_wall_dashpots(s, walls, scratch);
}

}  // namespace scree
