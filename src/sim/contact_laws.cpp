// From contact points to forces: every contact by its pair's law.
#include <algorithm>

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
  scratch.all_by_lanes = scratch.kinds_used != 0 &&
                         std::ranges::all_of(s.contacts_given, [](const auto& c) { return traits_of(c.law).lanes; });
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
  scratch.adhesive_reach = adhesive_reach(s);
}

double adhesive_reach(const Simulation& s) {
  double reach = 0;
  // Against a wall, the way is longest for the widest.
  if (s.census.widest > 0)
    for (const Case::Contact& c : s.contacts_given) reach = std::max(reach, -parting_depth(c.law, s.census.widest));
  return reach;
}

namespace {

/// The laws on a contact table, a batch of rows at a time.
template <class Partner>
struct Batch {
  ContactRows<Partner> table;

  template <bool kBeside, class L>
  void apply(const L& law, const contact::Beside* beside, std::size_t r, RowsOnA& on_a) const {
    ContactTable& contacts = table.contacts;
    const Vec3 arm = contacts.point[r];
    const BodyMotion& a = table.scratch.motion[table.a(r)];
    const PartnerMotion b = table.partner(table.b(r), a, arm, contacts.normal[r]);
    const auto motion = HWY_NAMESPACE::RelativeMotion<contact::Motion>(a, arm, b, table.dt);
    contact::Motion of_law = motion;
    // A zone's point is its part of a contact: the law sees what the whole would have stored.
    const double share = contacts.keeps_shares ? contacts.share[r] : 1, whole = 1 / share;
    const double torsion = contacts.keeps_patches ? contacts.torsion[r] : 0;
    contact::Memory memory{whole * contacts.shear[r], whole * torsion, table.memory_normals[r]};
    memory.stored = whole * contacts.stored[r];
    memory.damping = whole * contacts.damping[r];
    if (contacts.keeps_anchors) memory.damping_moment = whole * contacts.damping_moment[r];
    HWY_NAMESPACE::Brake(of_law, table.braking(r));
    if (contacts.keeps_anchors) memory.grip = HWY_NAMESPACE::CarriedGrip(contacts.anchor[r], arm, a.spin, motion);
    contact::Geometry g = geometry_of(contacts, r);
    if constexpr (L::kTraits.pair || kBeside) add_pair(table, r, g);
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
    contacts.shear[r] = share * memory.shear;
    if (contacts.keeps_patches) contacts.torsion[r] = share * memory.torsion;
    contacts.stored[r] = share * memory.stored;
    if (contacts.keeps_anchors) contacts.anchor[r] = arm + memory.grip;
    contacts.force[r] = w.force;
    if (contacts.keeps_moments) contacts.moment[r] = w.moment;
    contacts.energy[r] = w.energy, contacts.sliding[r] = w.sliding ? 1 : 0;
    on_a.torque[r - on_a.base] = -HWY_NAMESPACE::TorqueOn(arm, w), on_a.lost[r - on_a.base] = w.lost;
    table.partner.set_torque(r, HWY_NAMESPACE::TorqueOn(b.arm, w));
  }

  /// Rows rows[0..n), or, where there is no list, begin to begin + n.
  template <bool kBeside, class L>
  void apply_all(std::size_t kind, const std::vector<L>& laws, const std::uint32_t* rows, std::size_t begin,
                 std::size_t n, RowsOnA& on_a) const {
    if constexpr (L::kTraits.lanes) {
      apply_by_lanes(table, table.scratch.laws, kind, rows, begin, n, on_a);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t r = rows == nullptr ? begin + k : rows[k], m = table.law(r);
        apply<kBeside>(laws[m], kBeside ? &table.scratch.beside[m] : nullptr, r, on_a);
      }
    }
  }

  /// The contacts of those A whose first row is one of [begin, end): law by law.
  void operator()(std::size_t begin, std::size_t end) const {
    begin = first_of_its_a(begin), end = first_of_its_a(end);
    if (begin >= end) return;
    thread_local RowsOnA on_a;
    on_a.base = begin, on_a.torque.resize(end - begin), on_a.lost.resize(end - begin);
    table.scratch.beside.empty() ? by_law<false>(begin, end, on_a) : by_law<true>(begin, end, on_a);
    add_up(begin, end, on_a);
  }

  /// The first row from r on that is not of the A of the row before r; they ascend.
  std::size_t first_of_its_a(std::size_t r) const {
    if (r == 0 || r >= table.contacts.size()) return r;
    const std::uint32_t before = table.a(r - 1);
    std::size_t end = table.contacts.size();
    while (r < end) {
      const std::size_t middle = r + (end - r) / 2;
      if (table.a(middle) == before)
        r = middle + 1;
      else
        end = middle;
    }
    return r;
  }

  void add_up(std::size_t begin, std::size_t end, const RowsOnA& rows) const {
    for (std::size_t r = begin; r < end;) {
      const std::uint32_t i = table.a(r);
      const std::size_t at = Partner::place_of_sum(i, r);
      OnA sum{};
      for (; r < end && table.a(r) == i; ++r)
        sum.force += table.contacts.force[r], sum.torque += rows.torque[r - begin], sum.lost += rows.lost[r - begin];
      table.on_a[at] = sum;
    }
  }

  template <bool kBeside>
  void by_law(std::size_t begin, std::size_t end, RowsOnA& on_a) const {
    law_by_law(table, begin, end,
               [&](std::size_t kind, const auto& laws, const std::uint32_t* rows, std::size_t first, std::size_t n) {
                 apply_all<kBeside>(kind, laws, rows, first, n, on_a);
               });
  }
};

/// rad/s^2, from the torque that turns row i.
Vec3 gained_spin(const Particles& p, const narrow::Bodies& bodies, std::size_t i) {
  const Vec3 inertia = p.inertia[i];
  if (bodies.kind(i) == ShapeKind::sphere) return (1 / inertia.x) * p.torque[i];
  const Vec3 t = transpose_times(bodies.rotation(i), p.torque[i]);
  return bodies.rotation(i) * Vec3{t.x / inertia.x, t.y / inertia.y, t.z / inertia.z};
}

/// What contacts read of their bodies. Velocities of the step's end are foreseen as far as the forces of its beginning
/// tell: good to dt^2, and so is what dashpots do. Bodies that are near nothing are left out.
void gather_motion(const Simulation& s, double dt, Scratch& scratch) {
  const Particles& p = s.particles;
  const auto is_alone = [](const std::vector<std::uint32_t>& start, std::size_t i) { return start[i] == start[i + 1]; };
  scratch.motion.resize(p.size_rows()), scratch.body_size.resize(p.size_rows() + 1);  // a vector reads on past a row
  exec::parallel_chunks(p.size_rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (is_alone(scratch.as_a_start, i) && is_alone(scratch.as_b_start, i) && is_alone(scratch.wall_start, i))
        continue;
      BodyMotion& m = scratch.motion[i];
      m.position = p.position[i], m.velocity = p.velocity[i], m.spin = p.angular_velocity[i];
      m.gain = (0.5 * dt / p.mass[i]) * p.force[i];
      m.spin_gain = 0.5 * dt * gained_spin(p, scratch.bodies, i);
      m.material = p.material[i];
      const double radius = radius_of(p, scratch, i, 0);
      const Vec3 inertia = p.inertia[i];
      const double least = s.dimensions == 2 ? inertia.z : std::min({inertia.x, inertia.y, inertia.z});
      scratch.body_size[i] = {radius, p.mass[i], rolling_inertia(p.mass[i], radius), least};
    }
  });
}

}  // namespace

void compute_contact_forces(Simulation& s, double dt) {
  const Timer timer(s.counters.seconds_forces);
  Scratch& scratch = scratch_of(s);
  gather_motion(s, dt, scratch);
  scratch.torque_b.resize(s.contacts.size());
  scratch.on_a.resize(s.particles.size_rows()), scratch.on_a_by_walls.resize(s.wall_contacts.size());
  const std::size_t materials = s.materials.size();
  const Batch<BodyPartner> bodies{{s.particles,
                                   materials,
                                   dt,
                                   scratch,
                                   s.pairs,
                                   s.contacts,
                                   scratch.memory_normal,
                                   scratch.points_with_forces ? &scratch.old_contacts : nullptr,
                                   scratch.on_a,
                                   {s.particles.domain, scratch, scratch.torque_b}}};
  const Batch<WallPartner> walls{{s.particles,
                                  materials,
                                  dt,
                                  scratch,
                                  s.wall_pairs,
                                  s.wall_contacts,
                                  scratch.wall_memory_normal,
                                  nullptr,
                                  scratch.on_a_by_walls,
                                  {dt, s.walls, scratch.wall_dashpots}}};
  scratch.dashpots.clear();
  if (s.braked != 0) {
    if (scratch.points_with_forces)
      exec::parallel_chunks(s.contacts.size(), kRowGrain,
                            [&](std::size_t begin, std::size_t end) { make_points(bodies.table, begin, end); });
    const double before = s.spread.ranks == nullptr ? 0 : s.spread.ranks->traffic().seconds;
    gather_dashpots(s, bodies.table, walls.table, scratch);
    if (s.spread.ranks != nullptr) s.spread.waited_in_forces += s.spread.ranks->traffic().seconds - before;
  }
  exec::parallel_both(s.contacts.size(), s.wall_contacts.size(), kRowGrain, bodies, walls);
}

}  // namespace scree
