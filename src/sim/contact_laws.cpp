// From contact points to forces: every contact by its pair's law.
#include <algorithm>
#include <array>
#include <bit>

#include "base/timer.h"
#include "exec/parallel.h"
#include "sim/contact_rows.h"
#include "sim/dashpots.h"
#include "sim/pair_geometry.h"
#include "sim/relative_motion-inl.h"
#include "sim/scratch.h"

namespace scree {

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
  const double widest = s.census.widest;
  // Against a wall, the way is longest for the widest.
  for (const Case::Contact& c : s.contacts_given)
    if (widest > 0) scratch.adhesive_reach = std::max(scratch.adhesive_reach, -parting_depth(c.law, widest));
}

namespace {

/// The laws on a contact table, a batch of rows at a time.
template <class Partner>
struct Batch {
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
    if constexpr (L::kTraits.pair || kBeside) add_pair(table, r, g);
    if constexpr (L::kTraits.patch) g.area = contacts.area[r], g.area_moment = contacts.area_moment[r];
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
  void apply_all(std::size_t kind, const std::vector<L>& laws, const std::uint32_t* rows, std::size_t begin,
                 std::size_t n) const {
    if constexpr (L::kTraits.lanes) {
      apply_by_lanes(table, table.scratch.laws, kind, rows, begin, n);
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
      if (one_kind) return apply_all<false, kBeside>(kind, laws, nullptr, begin, end - begin);
      std::array<std::uint32_t, kRowGrain> rows{};
      std::size_t n = 0;
      for (std::size_t r = begin; r < end; ++r) {
        rows[n] = static_cast<std::uint32_t>(r);
        n += table.scratch.law_kind[table.law(r)] == kind ? 1 : 0;
      }
      apply_all<true, kBeside>(kind, laws, rows.data(), 0, n);
    };
    std::apply(
        [&](const auto&... laws) {
          std::size_t kind = 0;
          (of_kind(kind++, laws), ...);
        },
        table.scratch.laws);
  }
};

/// What contacts read of their bodies. Velocities of the step's end are foreseen as far as the forces of its beginning
/// tell: good to dt^2, and so is what dashpots do. Bodies that are near nothing are left out.
void gather_motion(const Simulation& s, double dt, Scratch& scratch) {
  const Particles& p = s.particles;
  const auto is_alone = [](const std::vector<std::uint32_t>& start, std::size_t i) { return start[i] == start[i + 1]; };
  scratch.motion.resize(p.size_rows()), scratch.body_size.resize(p.size_rows());
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
      scratch.body_size[i] = {radius_of(p, scratch, i, 0), p.mass[i]};
    }
  });
}

}  // namespace

void compute_contact_forces(Simulation& s, double dt) {
  const Timer timer(s.counters.seconds_forces);
  Scratch& scratch = scratch_of(s);
  gather_motion(s, dt, scratch);
  scratch.torque_a.resize(s.contacts.size()), scratch.torque_b.resize(s.contacts.size());
  scratch.wall_torque.resize(s.wall_contacts.size());
  scratch.lost.resize(s.contacts.size()), scratch.wall_lost.resize(s.wall_contacts.size());
  const std::size_t materials = s.materials.size();
  const Batch<BodyPartner> bodies{{s.particles,
                                   materials,
                                   dt,
                                   scratch,
                                   s.pairs,
                                   s.contacts,
                                   scratch.memory_normal,
                                   scratch.torque_a,
                                   scratch.lost,
                                   {s.particles.domain, scratch, scratch.torque_b}}};
  const Batch<WallPartner> walls{{s.particles,
                                  materials,
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
}

}  // namespace scree
