// LIBS: scree_sim
// The laws with a text over vectors on the rows of a contact table, by vector lanes, against plain words: the same bits
// for every row, whatever the vector's width, the rows beside it and the list they come in.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/random.h"
#include "oracle/any_law.h"
#include "oracle/plain_laws.h"
#include "oracle/vector_widths.h"
#include "sim/contact_rows.h"
#include "sim/run_shapes.h"

namespace scree {
namespace {

using contact::Bloks3d;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// How often what the law distinguishes has come up.
struct Seen {
  int slid = 0, stuck = 0, fresh = 0, reversed = 0, points = 0, pushed = 0, broken = 0, gripped = 0, braked = 0,
      rolled = 0;
};

template <class L>
L random_law(Random& u) {
  L law = oracle::any_law<L>(u).make();
  if constexpr (requires { law.work_of_adhesion; }) law.work_of_adhesion = u.below(3) == 0 ? u.uniform(0, 10) : 0;
  return law;
}
template <>
Bloks3d random_law<Bloks3d>(Random& u) {
  Bloks3d law;
  law.kn = std::pow(10, u.uniform(2, 6)), law.ks = u.below(5) == 0 ? 0 : law.kn * u.uniform(0.1, 1.5);
  law.knn = u.below(2) ? 0 : std::pow(10, u.uniform(5, 10)), law.exponent = u.below(2) ? 3 : u.uniform(1, 4);
  if (law.knn > 0 && u.below(3) == 0) law.kn = 0;
  law.friction_angle = u.below(5) == 0 ? 0 : u.uniform(0, 1.4), law.damping_ratio = u.uniform(0, 1);
  law.damping_sliding = u.uniform(), law.damping_sticking = u.uniform(0, 1.3);
  law.prepare(u.below(5) == 0 ? 0 : std::pow(10, u.uniform(-4, 1)));
  return law;
}

/// A contact table between bodies, or between bodies and walls, that no simulation has made.
template <class L>
struct World {
  std::size_t materials = 1;
  double dt = 1e-5;
  std::shared_ptr<Scratch> scratch = std::make_shared<Scratch>();  ///< shared by copies, which leave it alone
  Domain domain;
  std::vector<Wall> walls;
  std::vector<L> laws;
  Particles particles;
  PairTable pairs;
  ContactTable contacts;
  std::vector<Vec3> normals, torque_b;
  RowsOnA on_a;
  std::vector<OnA> sums;
  Seen* seen;

  World(std::size_t rows, Random& u, Seen* counts) : seen(counts) {
    materials = 1 + u.below(3), dt = u.below(8) == 0 ? 0 : 1e-5;
    for (std::size_t k = 0; k < materials * materials; ++k) laws.push_back(random_law<L>(u));
    if (u.below(2)) domain = {{0, 0, 0}, {1, 1, 1}, {u.below(2) == 1, u.below(2) == 1, true}};
    constexpr std::size_t kBodies = 20;
    scratch->motion.resize(kBodies);
    for (BodyMotion& m : scratch->motion) {
      m.position = {u.uniform(), u.uniform(), u.uniform()};
      m.velocity = std::pow(10, u.uniform(-5, 0)) * u.direction(), m.spin = u.uniform(0, 50) * u.direction();
      m.gain = 0.1 * m.velocity + 1e-3 * u.direction(), m.spin_gain = u.uniform() * u.direction();
      m.material = static_cast<std::uint32_t>(u.below(materials));
      if (u.below(6) == 0) m.velocity = m.spin = m.gain = m.spin_gain = {};
    }
    scratch->shapes = std::make_shared<const RunShapes>(
        std::vector<std::shared_ptr<const Shape>>{std::make_shared<const Shape>(make_sphere("ball"))});
    particles.resize(kBodies);
    for (std::size_t i = 0; i < kBodies; ++i) {
      particles.size[i] = u.uniform(0.01, 0.1), particles.mass[i] = std::pow(10, u.uniform(-3, 0));
      const double mass = particles.mass[i], radius = 0.5 * particles.size[i];
      scratch->body_size.push_back({radius, mass, 1.4 * mass * radius * radius, mass * radius * radius * u.uniform()});
    }
    scratch->body_size.emplace_back();  // read and not used
    contacts.keeps_rolling = u.below(2) == 1;
    if (contacts.keeps_rolling || u.below(2)) {
      using Model = contact::Rolling::Model;
      for (std::size_t k = 0; k < materials * materials; ++k) {
        contact::Beside beside;
        if (contacts.keeps_rolling && u.below(4) != 0)
          beside.rolling = {u.below(2) ? Model::constant : Model::spring, u.uniform(), u.uniform(), u.uniform()};
        beside.pull.work_of_adhesion = u.below(2) ? 0 : u.uniform();
        scratch->beside.push_back(beside);
      }
    }
    for (int k = 0; k < 4; ++k) {
      Wall w;
      w.material = static_cast<std::uint32_t>(u.below(materials)), w.velocity = u.uniform() * u.direction();
      w.motion.velocity = w.velocity;
      if (k > 0) w.motion.surface_velocity = u.direction(), w.spin = u.uniform(0, 5) * u.direction();
      if (k > 1) w.acceleration = u.direction(), w.centre = u.uniform() * u.direction();
      walls.push_back(w);
    }
    contacts.keeps_patches = u.below(3) != 0;
    contacts.keeps_moments = contacts.keeps_patches || contacts.keeps_rolling;
    contacts.keeps_anchors = contacts.keeps_patches && u.below(2) == 1;
    contacts.keeps_shares = contacts.keeps_patches && u.below(2) == 1;
    const bool brakes = u.below(2) == 1;
    const auto taken = [&] { return u.below(3) == 0 ? 0.1 * u.uniform() : std::pow(10, u.uniform(-2, 2)); };
    for (std::size_t k = 0; k < kBodies && brakes; ++k) scratch->dashpots.push_back(taken());
    for (std::size_t k = 0; k < walls.size(); ++k) scratch->wall_dashpots.push_back(k % 2 == 0 ? 0 : taken());
    pairs.resize(rows), contacts.resize(rows), normals.resize(rows), torque_b.resize(rows);
    on_a.torque.resize(rows), on_a.lost.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) add(r, u);
  }

  void add(std::size_t r, Random& u) {
    // Rows of one pair follow each other.
    const std::size_t p = r > 0 && u.below(3) == 0 ? contacts.pair[r - 1] : r;
    contacts.pair[r] = static_cast<std::uint32_t>(p);
    if (p == r)
      pairs.a[p] = static_cast<std::uint32_t>(u.below(10)), pairs.b[p] = static_cast<std::uint32_t>(10 + u.below(10));
    const Vec3 n = u.below(8) == 0 ? Vec3{0, 0, u.below(2) ? 1.0 : -1.0} : u.direction();
    contacts.point[r] = 0.02 * u.direction(), contacts.normal[r] = n;
    contacts.depth[r] = u.below(8) == 0 ? 0 : std::pow(10, u.uniform(-7, -2));
    if (contacts.keeps_patches) {
      contacts.energy_depth[r] = u.below(8) == 0 ? 0 : contacts.depth[r] * u.uniform(0.5, 2);
      contacts.gyration[r] = u.below(3) == 0 ? 0 : 0.02 * u.uniform();
    }
    // No memory; a normal as it was, nearly so, anywhere, turned round within a step.
    const std::array<Vec3, 6> last{Vec3{},
                                   Vec3{-0.0, 0, 0},
                                   n,
                                   normalized(n + 0.1 * u.uniform() * u.direction()),
                                   u.direction(),
                                   normalized(0.05 * u.uniform() * u.direction() - n)};
    normals[r] = last[u.below(last.size())];
    contacts.shear[r] = u.below(6) == 0 ? Vec3{} : std::pow(10, u.uniform(-6, 4)) * u.direction();
    // A pair that does not roll has none, and which pair of materials it is the walls say later.
    const bool all_roll = std::all_of(scratch->beside.begin(), scratch->beside.end(),
                                      [](const contact::Beside& b) { return b.rolling.acts(); });
    if (contacts.keeps_rolling && all_roll) contacts.rolling[r] = std::pow(10, u.uniform(-8, 2)) * u.direction();
    if (contacts.keeps_patches)
      contacts.torsion[r] = u.below(6) == 0 ? 0 : std::pow(10, u.uniform(-8, 2)) * u.uniform(-1, 1);
    if (contacts.keeps_anchors) {
      // Where the patch is, beside it, far away; as long as the radius of gyration, shorter, none.
      const std::array<double, 3> away{0, contacts.gyration[r] * u.uniform(), 0.05 * u.uniform()};
      contacts.anchor[r] = contacts.point[r] + away[u.below(3)] * u.direction();
      contacts.axis[r] =
          (u.below(5) == 0 ? 0 : contacts.gyration[r] * u.uniform()) * normalized(cross(n, u.direction()));
    }
    const auto any = [&](double low, double high) { return std::pow(10, u.uniform(low, high)) * u.direction(); };
    contacts.damping[r] = any(-4, 4);
    if (contacts.keeps_anchors) contacts.damping_moment[r] = any(-6, 2);
    if (contacts.keeps_shares) contacts.share[r] = u.below(4) == 0 ? 1e-6 : u.uniform(0.05, 1);
    if (!contacts.keeps_patches)
      return;  // what is no number makes others, or not, by how the text of points is cut short
    if (u.below(40) == 0) contacts.depth[r] = u.below(2) ? kNone : std::numeric_limits<double>::infinity();
    if (u.below(40) == 0) contacts.shear[r].x = kNone;
    contacts.force[r] = contacts.moment[r] = on_a.torque[r] = torque_b[r] = {-1, -2, -3};
    contacts.energy[r] = -4, contacts.sliding[r] = 7;
  }

  /// B as the plain words have it.
  struct Other {
    Vec3 velocity, spin, arm, gain, spin_gain;
    std::uint32_t material;
  };
  Other other(std::size_t r, bool of_walls) const {
    const BodyMotion& a = scratch->motion[pairs.a[contacts.pair[r]]];
    const std::uint32_t j = pairs.b[contacts.pair[r]];
    if (!of_walls) {
      const BodyMotion& b = scratch->motion[j];
      const Vec3 d = b.position - a.position;
      const Vec3 arm = contacts.point[r] - (domain.any() ? nearest_image(domain, d) : d);
      return {b.velocity, b.spin, arm, b.gain, b.spin_gain, b.material};
    }
    const Wall& w = walls[j];
    if (w.motion.is_plain()) return {w.velocity, {}, {}, {}, {}, w.material};
    return {w.velocity + w.surface_velocity(contacts.normal[r]),
            w.spin,
            a.position + contacts.point[r] - w.centre,
            0.5 * dt * w.acceleration,
            {},
            w.material};
  }
  void apply_plainly(std::size_t r, bool of_walls) {
    const BodyMotion& a = scratch->motion[pairs.a[contacts.pair[r]]];
    const Other b = other(r, of_walls);
    const Vec3 arm = contacts.point[r];
    contact::Motion m;
    m.velocity = b.velocity + cross(b.spin, b.arm) - a.velocity - cross(a.spin, arm);
    m.angular_velocity = b.spin - a.spin, m.mean_spin = 0.5 * (b.spin + a.spin), m.dt = dt;
    m.gain = b.gain + cross(b.spin_gain, b.arm) - a.gain - cross(a.spin_gain, arm);
    m.angular_gain = b.spin_gain - a.spin_gain;
    const double share = contacts.keeps_shares ? contacts.share[r] : 1, whole = 1 / share;
    const bool patches = contacts.keeps_patches;
    contact::Memory memory{whole * contacts.shear[r], patches ? whole * contacts.torsion[r] : 0, normals[r]};
    if (contacts.keeps_anchors) {
      const Vec3 off = contacts.anchor[r] - arm;
      memory.grip =
          off + dt * (cross(a.spin, contacts.anchor[r]) + 0.5 * (m.velocity + cross(m.angular_velocity, off)));
      seen->gripped += norm(memory.grip) > contacts.gyration[r] ? 1 : 0;
    }
    memory.stored = whole * contacts.stored[r];
    memory.damping = whole * contacts.damping[r];
    if (contacts.keeps_anchors) memory.damping_moment = whole * contacts.damping_moment[r];
    const Vec3 gain = m.gain, angular_gain = m.angular_gain;
    if (!scratch->dashpots.empty()) {
      const std::uint32_t i = pairs.a[contacts.pair[r]], j = pairs.b[contacts.pair[r]];
      const double taken = scratch->dashpots[i] + (of_walls ? scratch->wall_dashpots[j] : scratch->dashpots[j]);
      m.braking = std::max(0.0, 0.5 * (taken - 0.5));
      const double ahead = 1 + std::min(2 * m.braking, 2.0);
      m.braking = ahead * m.braking, m.gain *= ahead, m.angular_gain *= ahead;
      seen->braked += m.braking > 0 ? 1 : 0;
    }
    contact::Memory same = memory;
    contact::Geometry g{.normal = contacts.normal[r], .depth = contacts.depth[r], .energy_depth = contacts.depth[r]};
    if (patches) g.gyration = contacts.gyration[r], g.energy_depth = contacts.energy_depth[r];
    const std::size_t row = a.material * materials + b.material;
    const L& law = laws[row];
    add_two(pairs.a[contacts.pair[r]], pairs.b[contacts.pair[r]], of_walls, g);
    if (contacts.keeps_anchors) g.axis = contacts.axis[r];
    contact::Wrench one = law(g, m, same), w = one;
    // In plain words, but for the patches of laws other than BLOKS3D's.
    const bool is_point = !(g.gyration > 0) && !contacts.keeps_patches;
    if (std::is_same_v<L, Bloks3d> || is_point)
      w = oracle::plain_law(law, g, m, memory), expect_same(w, memory, one, same);
    else
      memory = same;
    // By the forces at both ends of the step.
    const Vec3 force = w.damping + whole * contacts.damping[r], along = m.velocity;
    const Vec3 moment = w.damping_moment + (contacts.keeps_anchors ? whole * contacts.damping_moment[r] : Vec3{});
    const double half = -0.5 * dt, normal = half * (dot(force, g.normal) * dot(along, g.normal));
    one.lost.x = normal, one.lost.y = half * (dot(force, along) + dot(moment, m.angular_velocity)) - normal;
    contacts.damping[r] = share * w.damping;
    if (contacts.keeps_anchors) contacts.damping_moment[r] = share * w.damping_moment;
    if (!scratch->beside.empty()) {
      const contact::Beside& beside = scratch->beside[row];
      if (beside.rolling.acts()) {
        contact::Motion free = m;  // rolling's own dashpot is not braked
        free.braking = 0, free.gain = gain, free.angular_gain = angular_gain;
        memory.rolling = whole * contacts.rolling[r];
        memory.stored = same.stored;
        w.lost = one.lost;
        oracle::plain_rolling(beside.rolling, g, free, law.normal_stiffness(g), law.shear_stiffness(g), normals[r],
                              memory, w);
        contacts.rolling[r] = share * memory.rolling, same.stored = memory.stored, one.lost = w.lost;
        ++seen->rolled;
      }
      oracle::plain_pull(beside.pull, g, w);
    }
    w.force *= share, w.moment *= share, w.energy *= share;
    contacts.shear[r] = share * memory.shear;
    if (patches) contacts.torsion[r] = share * memory.torsion;
    if (contacts.keeps_anchors) contacts.anchor[r] = arm + memory.grip;
    contacts.stored[r] = share * same.stored, on_a.lost[r] = share * one.lost;  // the oracle keeps no ledger
    contacts.force[r] = w.force;
    if (contacts.keeps_moments) contacts.moment[r] = w.moment;
    contacts.energy[r] = w.energy, contacts.sliding[r] = w.sliding ? 1 : 0;
    on_a.torque[r] = -(cross(arm, w.force) + w.moment);
    if (!of_walls) torque_b[r] = cross(b.arm, w.force) + w.moment;
    (w.sliding ? seen->slid : seen->stuck)++;
    seen->fresh += normals[r] == Vec3{} ? 1 : 0, seen->reversed += dot(normals[r], g.normal) < -0.99 ? 1 : 0;
    seen->points += g.gyration > 0 ? 0 : 1, seen->pushed += w.normal_force > 0 ? 1 : 0;
    seen->broken += std::isfinite(w.energy) && is_finite(w.force) ? 0 : 1;
  }

  void add_two(std::uint32_t i, std::uint32_t j, bool of_walls, contact::Geometry& g) const {
    const auto radius = [&](std::uint32_t k) { return 0.5 * particles.size[k]; };
    const auto inertia = [&](std::uint32_t k) { return 1.4 * particles.mass[k] * radius(k) * radius(k); };
    const auto in_series = [](double x, double y) { return x * y / (x + y); };
    g.radius = radius(i), g.mass = particles.mass[i], g.rolling_inertia = inertia(i);
    if (of_walls) return;
    g.radius = in_series(g.radius, radius(j)), g.mass = in_series(g.mass, particles.mass[j]);
    g.rolling_inertia = in_series(g.rolling_inertia, inertia(j));
  }
  /// Bits of a number; all that are none are alike, and so are the zeros of both signs.
  static std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(std::isnan(x) ? kNone : x + 0.0); }
  static void put(Vec3 v, std::vector<std::uint64_t>* out) {
    for (const double x : {v.x, v.y, v.z}) out->push_back(bits(x));
  }
  static void expect_same(const contact::Wrench& w, const contact::Memory& m, const contact::Wrench& v,
                          const contact::Memory& l) {
    std::vector<std::uint64_t> plain, law;
    put(w.force, &plain), put(w.moment, &plain), put(m.shear, &plain), put(m.normal, &plain), put(m.grip, &plain);
    put(w.damping, &plain), put(w.damping_moment, &plain);
    put({w.normal_force, w.energy, m.torsion}, &plain), plain.push_back(w.sliding);
    put(v.force, &law), put(v.moment, &law), put(l.shear, &law), put(l.normal, &law), put(l.grip, &law);
    put(v.damping, &law), put(v.damping_moment, &law);
    put({v.normal_force, v.energy, l.torsion}, &law), law.push_back(v.sliding);
    EXPECT_EQ(plain, law) << "one contact alone";
  }
  std::vector<std::vector<std::uint64_t>> bits_by_row() const {
    std::vector<std::vector<std::uint64_t>> out(contacts.size());
    for (std::size_t r = 0; r < out.size(); ++r) {
      for (const Vec3 v : {contacts.force[r], contacts.shear[r], on_a.torque[r], torque_b[r], on_a.lost[r]})
        put(v, &out[r]);
      put({contacts.energy[r], contacts.stored[r]}, &out[r]);
      if (contacts.keeps_moments) put(contacts.moment[r], &out[r]);
      if (contacts.keeps_patches) put({contacts.torsion[r]}, &out[r]);
      if (contacts.keeps_anchors) put(contacts.anchor[r], &out[r]);
      put(contacts.damping[r], &out[r]);
      if (contacts.keeps_rolling) put(contacts.rolling[r], &out[r]);
      if (contacts.keeps_anchors) put(contacts.damping_moment[r], &out[r]);
      out[r].push_back(static_cast<std::uint64_t>(contacts.sliding[r]));
    }
    return out;
  }

  /// What the dashpots of row r take of its bodies, in plain words.
  void rate_plainly(std::size_t r, bool of_walls, std::vector<double>& of_a, std::vector<double>& of_b) const {
    const std::uint32_t i = pairs.a[contacts.pair[r]], j = pairs.b[contacts.pair[r]];
    const Other b = other(r, of_walls);
    contact::Geometry g{.normal = contacts.normal[r], .depth = contacts.depth[r]};
    add_two(i, j, of_walls, g);
    contact::Dashpots c = laws[scratch->motion[i].material * materials + b.material].dashpots(g);
    if (contacts.keeps_shares) c.normal *= contacts.share[r], c.shear *= contacts.share[r];
    const double gyration = contacts.keeps_patches ? contacts.gyration[r] : 0;
    const auto rate = [&](Vec3 arm, std::uint32_t body) {
      const double m = particles.mass[body], least = scratch->body_size[body].least;
      const double along = dot(arm, g.normal), arm2 = norm2(arm), across2 = std::max(0.0, arm2 - along * along);
      const double reach = std::sqrt(arm2) + gyration;
      return std::max(
          c.normal * (1 / m + (across2 + 3 * (gyration * gyration)) / least) + c.shear * along * along / least,
          c.shear * (1 / m + reach * reach / least));
    };
    of_a[r] = rate(contacts.point[r], i);
    if (!of_walls) of_b[r] = rate(b.arm, j);
  }

  /// `rows` empty: all from `begin` on. Rates: of dashpots, or nothing to have the laws applied.
  struct Rates {
    std::vector<double> of_a, of_b;
  };
  void apply_lanes(const std::vector<std::uint32_t>& rows, std::size_t begin, bool of_walls, Rates* rates = nullptr) {
    const std::uint32_t* list = rows.empty() ? nullptr : rows.data();
    const std::size_t first = rows.empty() ? begin : 0, n = rows.empty() ? contacts.size() - begin : rows.size();
    LawColumns of_all;
    std::get<std::vector<L>>(of_all) = laws;
    const std::size_t kind = Law(L{}).index();
    const auto apply = [&](const auto& table) {
      if (rates == nullptr) return apply_by_lanes(table, of_all, kind, list, first, n, on_a);
      dashpots_by_lanes(table, of_all, kind, list, first, n, rates->of_a, rates->of_b);
    };
    if (of_walls) {
      apply(ContactRows<WallPartner>{particles,
                                     materials,
                                     dt,
                                     *scratch,
                                     pairs,
                                     contacts,
                                     normals,
                                     nullptr,
                                     sums,
                                     {dt, walls, scratch->wall_dashpots}});
    } else {
      apply(ContactRows<BodyPartner>{
          particles, materials, dt, *scratch, pairs, contacts, normals, nullptr, sums, {domain, *scratch, torque_b}});
    }
  }
};

template <class L>
void expect_lanes_as_alone(bool of_walls) {
  Random u(of_walls ? 2 : 1);
  Seen seen;
  int rated = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    World<L> start(u.below(41), u, &seen);
    if (of_walls)
      for (std::uint32_t& j : start.pairs.b) j = static_cast<std::uint32_t>(u.below(start.walls.size()));
    // In a line, from anywhere; or listed, with gaps.
    std::vector<std::uint32_t> rows, applied;
    const std::size_t begin = u.below(start.contacts.size() + 1);
    for (std::uint32_t r = 0; r < start.contacts.size(); ++r) {
      if (turn % 2 == 0 && u.below(4) != 0) rows.push_back(r);
      if (r >= begin) applied.push_back(r);
    }
    if (!rows.empty()) applied = rows;
    World<L> plain = start;
    for (const std::uint32_t r : applied) plain.apply_plainly(r, of_walls);
    const auto expected = plain.bits_by_row();
    oracle::expect_same_for_any_vector_width([&] {
      World<L> by_lanes = start;
      by_lanes.apply_lanes(rows, begin, of_walls);
      const auto found = by_lanes.bits_by_row();
      for (std::size_t r = 0; r < found.size(); ++r)
        for (std::size_t k = 0; k < found[r].size(); ++k)
          EXPECT_EQ(found[r][k], expected[r][k]) << "turn " << turn << " row " << r << " number " << k;
      typename World<L>::Rates rates{std::vector<double>(found.size()), std::vector<double>(found.size())},
          expect = rates;
      start.apply_lanes(rows, begin, of_walls, &rates);
      for (const std::uint32_t r : applied) start.rate_plainly(r, of_walls, expect.of_a, expect.of_b);
      for (std::size_t r = 0; r < found.size(); ++r) {
        EXPECT_EQ(World<L>::bits(rates.of_a[r]), World<L>::bits(expect.of_a[r])) << "turn " << turn << " row " << r;
        EXPECT_EQ(World<L>::bits(rates.of_b[r]), World<L>::bits(expect.of_b[r])) << "turn " << turn << " row " << r;
        rated += rates.of_a[r] > 0 ? 1 : 0;
      }
      return found;
    });
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  for (const int n : {seen.slid, seen.stuck, seen.fresh, seen.reversed, seen.points, seen.pushed, seen.broken,
                      seen.gripped, seen.braked, seen.rolled})
    EXPECT_GT(n, 200);
  EXPECT_GT(rated, 1000);
}

template <class Law>
class LawLanes : public testing::Test {};
using LawsWithLanes = testing::Types<Bloks3d, contact::Linear, contact::HertzMindlin, contact::HertzCoulomb>;
TYPED_TEST_SUITE(LawLanes, LawsWithLanes);

TYPED_TEST(LawLanes, GiveTheBitsOfOneContactBetweenBodies) { expect_lanes_as_alone<TypeParam>(false); }
TYPED_TEST(LawLanes, GiveTheBitsOfOneContactOnAWall) { expect_lanes_as_alone<TypeParam>(true); }

}  // namespace
}  // namespace scree
