// Rigid bodies and polyhedra.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "io/library/library.h"
#include "sim/scratch.h"
#include "validation/validation.h"

namespace scree::validation::detail {

namespace {

/// Volume and moment of inertia of regular bodies of unit edge, from the library's corners.
Outcome mass_properties_of_regular_bodies() {
  struct Regular {
    const char* shape;
    double volume, moment;  // unit edge; moment over mass and edge^2
  };
  constexpr std::array<Regular, 5> bodies{{{"tetrahedron", .117851130198, 1.0 / 20},
                                           {"cube", 1, 1.0 / 6},
                                           {"octahedron", .471404520791, 1.0 / 10},
                                           {"dodecahedron", 7.663118960625, .607355503742},
                                           {"icosahedron", 2.181694990625, .261803398875}}};
  Outcome o;
  for (const Regular& r : bodies) {
    const Result<std::shared_ptr<const Shape>> shape = io::load_shape(r.shape);
    if (!shape) throw std::runtime_error(shape.error().message);
    const Shape& s = **shape;
    const Polyhedron::Edge e = s.body.edges[0];
    const double edge = norm(s.body.vertices[e.v1] - s.body.vertices[e.v0]);
    const double mass = s.mass(1 / edge, 1, 1);
    const Vec3 moments = s.moments(1 / edge, 1, 1);
    o.checks.push_back({fmt::format("volume of the {} of unit edge", r.shape), "m^3", mass, r.volume, 1e-9});
    for (const auto& [which, moment] : {std::pair{"smallest", moments.x}, std::pair{"largest", moments.z}}) {
      o.checks.push_back({fmt::format("its {} moment of inertia over mass and edge squared", which), "", moment / mass,
                          r.moment, 1e-9});
    }
  }
  return o;
}

/// The free body with other moments of inertia (kg m^2), turning with `w` (rad/s, along its axes).
Simulation spinning(Vec3 inertia, Vec3 w) {
  Simulation s = world("free_spin");
  s.particles.inertia[0] = inertia;
  s.particles.angular_momentum[0] = {inertia.x * w.x, inertia.y * w.y, inertia.z * w.z};
  return s;
}

Vec3 in_body(const Simulation& s) {
  return transpose_times(rotation_matrix(s.particles.orientation[0]), s.particles.angular_momentum[0]);
}

Outcome symmetric_top() {
  Simulation s = spinning({2, 2, 1}, {0.1, 0, 1});
  const double period = 4 * M_PI;
  Curve computed{"computed", {}, {}, false, false}, exact{"closed form", {}, {}, true, false};
  double angle = 0, before = 0;
  advance(s, 3 * period, [&](const Simulation& now) {
    const Vec3 l = in_body(now);
    const double a = std::atan2(l.y, l.x);
    angle += std::remainder(a - before, 2 * M_PI), before = a;
    if (now.step % 200 != 0) return;
    computed.x.push_back(now.time), computed.y.push_back(l.x / 2);
    exact.x.push_back(now.time), exact.y.push_back(0.1 * std::cos(2 * M_PI * now.time / period));
  });
  Outcome o;
  o.checks.push_back({"period in the body's frame", "s", 2 * M_PI * s.time / std::abs(angle), period, 1e-3});
  o.plots.push_back({"Angular velocity about the body's first axis", "time (s)", "rad/s", {exact, computed}});
  return o;
}

Outcome tumbling_box() {
  const Vec3 inertia{13.0 / 12, 10.0 / 12, 5.0 / 12};
  Simulation s = spinning(inertia, {0.01, 1, 0.02});
  const Vec3 l0 = s.particles.angular_momentum[0];
  const double e0 = 0.5 * (13.0 / 12 * 1e-4 + 10.0 / 12 + 5.0 / 12 * 4e-4);
  double energy = 0, momentum = 0, before = l0.y;
  int flips = 0;
  Curve y{"about the middle axis", {}, {}, false, false};
  advance(s, 60, [&](const Simulation& now) {
    const Vec3 l = in_body(now);
    energy = std::max(energy,
                      std::abs(0.5 * (l.x * l.x / inertia.x + l.y * l.y / inertia.y + l.z * l.z / inertia.z) / e0 - 1));
    momentum = std::max(momentum, norm(now.particles.angular_momentum[0] - l0) / norm(l0));
    flips += l.y * before < 0, before = l.y;
    if (now.step % 100 == 0) y.x.push_back(now.time), y.y.push_back(l.y / inertia.y);
  });
  Outcome o;
  o.checks.push_back({"drift of the energy over 60 s", "", energy, 1e-6, 0, 0, Check::Kind::at_most});
  o.checks.push_back({"drift of the angular momentum", "", momentum, 1e-6, 0, 0, Check::Kind::at_most});
  o.checks.push_back({"turns of the middle axis", "", static_cast<double>(flips), 1, 0, 0, Check::Kind::at_least});
  o.plots.push_back({"Angular velocity of the box about its middle axis", "time (s)", "rad/s", {y}});
  return o;
}

/// Velocity along x against time.
Curve speed(Simulation& s, double seconds, const std::string& name) {
  Curve c{name, {s.time}, {s.particles.velocity[0].x}, false, false};
  const auto every = static_cast<std::uint64_t>(std::max(1.0, seconds / s.dt / 200));
  advance(s, seconds, [&](const Simulation& now) {
    if (now.step % every == 0) c.x.push_back(now.time), c.y.push_back(now.particles.velocity[0].x);
  });
  return c;
}

/// Slope of the line through the points from x on.
double slope(const Curve& c, double from) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < c.x.size(); ++k) {
    if (c.x[k] < from) continue;
    n += 1, sx += c.x[k], sy += c.y[k], sxx += c.x[k] * c.x[k], sxy += c.x[k] * c.y[k];
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Outcome slide() {
  const double angle = 40 * kDegree, mu = std::tan(35 * kDegree);
  const double exact = kG * (std::sin(angle) - mu * std::cos(angle));
  Simulation free = world("slide");
  Simulation capped = world("slide", {"contacts[0].damping.sliding=0.01"});
  Simulation plain = world("slide", {"contacts[0].damping.sliding=1e9", "stages[0].duration=2 s"});
  const Curve a = speed(free, 2, "friction alone"), b = speed(capped, 2, "dual damping, d1 = 0.01"),
              c = speed(plain, 2, "dashpot without a cap");
  const Curve theory{"theory", {0, 2}, {0, 2 * exact}, true, false};
  Outcome o;
  o.checks.push_back({"acceleration, friction alone", "m/s^2", slope(a, 0.3), exact, 0.003});
  o.checks.push_back({"acceleration with the cap of 0.01, which adds that share to friction", "m/s^2", slope(b, 0.3),
                      kG * (std::sin(angle) - 1.01 * mu * std::cos(angle)), 0.003});
  o.checks.push_back({"acceleration without a cap, over the theory: it ends at a constant speed", "",
                      slope(c, 1) / exact, 0.1, 0, 0, Check::Kind::at_most});
  o.plots.push_back({"Zhao et al. 2006, Fig. 14: speed down the slope", "time (s)", "m/s", {theory, a, b, c}});
  return o;
}

Outcome stick() {
  const double angle = 30 * kDegree;
  Simulation s =
      world("slide", {fmt::format("gravity=[{:.17g}, 0, {:.17g}]", kG * std::sin(angle), -kG * std::cos(angle)),
                      "stages[0].duration=11 s"});
  advance(s, 1);
  const Vec3 before = s.particles.position[0];
  double most = 0;
  advance(s, 10, [&](const Simulation& now) { most = std::max(most, norm(now.particles.position[0] - before)); });
  Outcome o;
  o.checks.push_back({"creep on a slope of 30 degrees in 10 s", "m", most, 1e-6, 0, 0, Check::Kind::at_most});
  return o;
}

Outcome slide_to_rest() {
  const double mu = 0.3, v0 = 1;
  Simulation s = world("slide_to_rest");
  const double x0 = s.particles.position[0].x;
  double rest = 0;
  Curve v{"computed", {0}, {v0}, false, false};
  advance(s, 0.6, [&](const Simulation& now) {
    const double x = now.particles.velocity[0].x;
    if (rest == 0 && x <= 0) rest = now.time;
    if (now.step % 500 == 0) v.x.push_back(now.time), v.y.push_back(x);
  });
  const double t = v0 / (mu * kG);
  Outcome o;
  o.checks.push_back({"way", "m", s.particles.position[0].x - x0, v0 * v0 / (2 * mu * kG), 0.003});
  o.checks.push_back({"time until it stops", "s", rest, t, 0.003});
  o.plots.push_back(
      {"Speed of the cube", "time (s)", "m/s", {{"closed form", {0, t, 0.6}, {v0, 0, 0}, true, false}, v}});
  return o;
}

/// A box of these edges (size 1) in the place of every shape.
ShapeSource boxes(double x, double y, double z) {
  return [x, y, z](const std::string& name) -> Result<std::shared_ptr<const Shape>> {
    std::vector<Vec3> corners;
    for (const double u : {-0.5, 0.5}) {
      for (const double v : {-0.5, 0.5}) {
        for (const double w : {-0.5, 0.5}) corners.push_back({u * x, v * y, w * z});
      }
    }
    const Result<Polyhedron> hull = convex_hull(corners);
    if (!hull) return hull.error();
    Result<Shape> shape = make_shape(name, *hull);
    if (!shape) return shape.error();
    return std::make_shared<const Shape>(std::move(*shape));
  };
}

/// Slope of the floor (degrees) at which a square column `ratio` times as high as wide topples; gravity is tilted by
/// a tenth of a degree a second, from a degree below what is expected.
double topples_at(double ratio, double damping, double expected) {
  Case c = read("topple", {fmt::format("contacts[0].damping.ratio={}", damping)});
  c.particles[0].shapes = {"column"};
  c.particles[0].place = Case::AtPoints{{{0.05 * ratio, 0, 0}}};
  Result<Simulation> made = set_up(c, boxes(ratio, 1, 1));
  if (!made) throw std::runtime_error(made.error().message);
  Simulation s = std::move(*made);
  // Turned a little about the upright: nothing may rest on a symmetry that rounding could keep or break.
  s.particles.orientation[0] = s.particles.orientation[0] * axis_angle({1, 0, 0}, 1e-3);
  const Vec3 up = rotate(s.particles.orientation[0], {1, 0, 0});
  const double from = expected - 1;
  double angle = 0;
  const bool toppled = advance_while(s, 30, [&](Simulation& now) {
    if (dot(rotate(now.particles.orientation[0], {1, 0, 0}), up) < std::cos(0.5 * kDegree)) return false;
    angle = (from + 0.1 * std::max(0.0, now.time - 2)) * kDegree * std::min(1.0, now.time);
    now.gravity = {-kG * std::cos(angle), kG * std::sin(angle), 0};
    return true;
  });
  if (!toppled) throw std::runtime_error("the block did not topple");
  return angle / kDegree;
}

Outcome topple() {
  Outcome o;
  for (const double ratio : {2.0, 3.0}) {
    for (const double damping : {0.02, 0.1, 0.4}) {
      const double expected = std::atan(1 / ratio) / kDegree;
      o.checks.push_back({fmt::format("slope at which a column 1:{:.0f} topples, damping ratio {}", ratio, damping),
                          "degree", topples_at(ratio, damping, expected), expected, 0.1 / expected});
    }
  }
  return o;
}

/// Laws as case files have them, with the friction given: name and text, without the closing brace.
std::vector<std::pair<std::string, std::string>> laws_with(double friction, bool energy) {
  const std::string pair = fmt::format("contacts[0]={{between: [stone, stone], friction: {:.17g}, ", friction);
  std::vector<std::pair<std::string, std::string>> laws{
      {"bloks3d", pair + "law: bloks3d, kn: 2 MN/m, ks: 1.6 MN/m, damping: {sliding: 0.01, sticking: 0.9, ratio: "},
      {"linear", pair + "law: linear, kn: 2 MN/m, damping_ratio: "},
      {"hertz_mindlin", pair + "law: hertz_mindlin, restitution: "}};
  if (energy) laws.emplace_back("energy", pair + "law: energy, pressure: 20 MPa, kt: 1 MN/m, damping_ratio: ");
  return laws;
}
/// Overrides for one of them with a share of critical damping.
std::vector<std::string> with_damping(const std::pair<std::string, std::string>& law, double damping) {
  if (law.first == "bloks3d") return {law.second + fmt::format("{}}}}}", damping)};
  if (law.first != "hertz_mindlin") return {law.second + fmt::format("{}}}", damping)};
  // What comes back, about, of that share of critical damping; the moduli are the material's.
  const double back = std::exp(-M_PI * damping / std::sqrt(1 - damping * damping));
  return {law.second + fmt::format("{:.17g}}}", std::max(0.05, back)),
          "materials.stone={density: 2650 kg/m^3, young_modulus: 1 GPa, poisson_ratio: 0.25}"};
}

/// Takes velocity away until nothing moves.
void bring_to_rest(Simulation& s, double seconds) {
  Particles& p = s.particles;
  advance(s, seconds, [&](const Simulation&) {
    for (std::size_t i = 0; i < p.size_rows(); ++i)
      p.velocity[i] = 0.99 * p.velocity[i], p.angular_momentum[i] = 0.99 * p.angular_momentum[i];
  });
}

Outcome held_on_a_slope() {
  const double angle = 30 * kDegree;
  Outcome o;
  for (const auto& law : laws_with(std::tan(35 * kDegree), true)) {
    for (const std::string geometry : {"overlap", "contact_zone"}) {
      if (law.first == "energy" && geometry != "overlap") continue;
      for (const double damping : {0.0, 0.02, 0.3}) {
        std::vector<std::string> set = with_damping(law, damping);
        set.push_back("detection={contact_geometry: " + geometry + "}");
        set.push_back(fmt::format("gravity=[{:.17g}, 0, {:.17g}]", kG * std::sin(angle), -kG * std::cos(angle)));
        Simulation s = world("slide", set);
        bring_to_rest(s, 1);
        const Vec3 at = s.particles.position[0];
        double most = 0, turning = 0;
        advance(s, 60, [&](const Simulation& now) {
          most = std::max(most, norm(now.particles.position[0] - at));
          if (now.step % 1000 == 0) turning = std::max(turning, totals(now).kinetic_rotation);
        });
        const std::string which = fmt::format("{}, {}, damping {}", law.first, geometry, damping);
        o.checks.push_back({"creep in 60 s, " + which, "m", most, 1e-6, 0, 0, Check::Kind::at_most});
        o.checks.push_back({"rotational energy, " + which, "J", turning, 1e-15, 0, 0, Check::Kind::at_most});
      }
    }
  }
  o.notes.push_back(
      "A cube on a slope of 30 degrees, friction angle 35 degrees, brought to rest before it is looked at.");
  return o;
}

Outcome stack_of_ten() {
  Outcome o;
  for (const auto& law : laws_with(0.5, false)) {
    for (const std::string geometry : {"overlap", "contact_zone"}) {
      std::vector<std::string> set = with_damping(law, 0.1);
      set.push_back("detection={contact_geometry: " + geometry + "}");
      Case c = read("stack", set);
      auto& places = std::get<Case::AtPoints>(c.particles[0].place).points;
      for (std::size_t i = 0; i < places.size(); ++i)
        places[i].x += i % 2 == 0 ? 0 : 3e-3, places[i].y += i / 2 % 2 == 0 ? 0 : 2e-3;
      Simulation s = world(c);
      advance(s, 10);
      const std::vector<Vec3> settled = s.particles.position;
      double weight = 0, worst = 0, drift = 0;
      for (const double m : s.particles.mass) weight += m * kG;
      advance(s, 10,
              [&](const Simulation& now) { worst = std::max(worst, std::abs(-now.walls[0].force.z / weight - 1)); });
      for (std::size_t i = 0; i < settled.size(); ++i)
        drift = std::max(drift, norm(s.particles.position[i] - settled[i]));
      const std::string which = law.first + ", " + geometry;
      o.checks.push_back(
          {"force on the floor over the weight, less 1, " + which, "", worst, 1e-3, 0, 0, Check::Kind::at_most});
      o.checks.push_back(
          {"drift of any cube over an edge in 10 s, " + which, "", drift / 0.1, 1e-3, 0, 0, Check::Kind::at_most});
    }
  }
  o.notes.push_back("Ten cubes shifted by 3 and 2 mm against each other, looked at from 10 to 20 s.");
  return o;
}

/// From `share` of the angle at which it balances until it lands.
struct Swing {
  double time = 0, speed = 0;                ///< of the run: s, rad/s
  double closed_time = 0, closed_speed = 0;  ///< of a rigid body, by quadrature of the energy integral
  Curve computed{"computed", {}, {}, false, false};
};
Swing rock(double width, double height, double kn, double share) {
  Case c =
      read("rocking_block", {fmt::format("contacts[0].kn={} N/m", kn), fmt::format("contacts[0].ks={} N/m", 0.8 * kn)});
  Result<Simulation> made = set_up(c, boxes(height, width, width));
  if (!made) throw std::runtime_error(made.error().message);
  Simulation s = std::move(*made);
  Particles& p = s.particles;
  const double mass = p.mass[0], reach = 0.5 * std::hypot(width, height), balance = std::atan2(width, height);
  const double from = share * balance, inertia = mass * (width * width + height * height) / 3;
  const double depth = mass * kG / (0.5 * kn);  // an edge has half of a face's stiffness
  p.orientation[0] = p.orientation[0] * axis_angle({0, 0, 1}, from);
  const auto corner = [&](double side) { return rotate(p.orientation[0], {-height / 2, side * width / 2, 0}); };
  const Vec3 edge = corner(corner(1).x < corner(-1).x ? 1 : -1);
  p.position[0] = {-edge.x - depth, -edge.y, 0};
  for (double& t : p.travel) t += 20;
  refresh_forces(s);
  Swing out;
  const auto height_at = [&](double angle) { return kG * mass * reach * std::cos(balance - angle); };
  const auto speed_at = [&](double angle) { return std::sqrt(2 * (height_at(from) - height_at(angle)) / inertia); };
  // It lands where the other edge comes down on the springs that the first one has pressed.
  const double landed = depth / width;
  out.closed_speed = speed_at(landed);
  constexpr int kParts = 20000;
  for (int k = 0; k < kParts; ++k) {
    const double u = (k + 0.5) / kParts, angle = from - (from - landed) * u * u;  // takes the root at the start away
    out.closed_time += 2 * (from - landed) * u / speed_at(angle) / kParts;
  }
  const auto lean = [&] {
    const Vec3 axis = rotate(p.orientation[0], {1, 0, 0});
    return std::atan2(axis.y, axis.x);
  };
  const double sign = lean() > 0 ? 1 : -1;
  const bool lands = advance_while(s, 5 * out.closed_time, [&](const Simulation& now) {
    if (now.step > 0 && now.step % 100 == 0)
      out.computed.x.push_back(now.time), out.computed.y.push_back(sign * lean() / from);
    return sign * lean() > landed;
  });
  if (!lands) throw std::runtime_error("the block did not land");
  out.time = s.time, out.speed = norm(p.angular_velocity[0]);
  return out;
}

Outcome rocking_block() {
  Outcome o;
  Plot plot{"Tilt over that at the start, 0.5 x 2 m, 1 GN/m", "time (s)", "", {}};
  for (const double width : {0.5, 0.3}) {
    for (const double kn : {1e8, 1e9}) {
      for (const double share : {0.1, 0.5, 0.9}) {
        const double height = width == 0.5 ? 2 : 1;
        Swing swing = rock(width, height, kn, share);
        const std::string which =
            fmt::format("{} x {} m, {:.0e} N/m, from {} of the balance", width, height, kn, share);
        o.checks.push_back({"time until it lands, " + which, "s", swing.time, swing.closed_time, 0.005});
        o.checks.push_back({"angular velocity then, " + which, "rad/s", swing.speed, swing.closed_speed, 0.01});
        if (width != 0.5 || kn != 1e9) continue;
        swing.computed.name = fmt::format("from {} of the balance", share);
        plot.curves.push_back(swing.computed);
      }
    }
  }
  o.plots.push_back(plot);
  return o;
}

Outcome stack() {
  Simulation s = world("stack");
  double kinetic_early = 0, kinetic_late = 0;
  Curve energy{"kinetic energy", {}, {}, false, false};
  std::vector<Vec3> settled;
  advance(s, 12, [&](const Simulation& now) {
    if (now.step % 200 != 0) return;
    const Totals t = totals(now);
    const double e = t.kinetic_translation + t.kinetic_rotation;
    energy.x.push_back(now.time), energy.y.push_back(std::log10(std::max(e, 1e-30)));
    if (now.time < 2) {
      if (now.time > 1) kinetic_early = std::max(kinetic_early, e);  // it breathes: one instant says little
    } else {
      if (settled.empty()) settled = now.particles.position;
      kinetic_late = std::max(kinetic_late, e);
    }
  });
  double drift = 0, base = 0, weight = 0;
  for (std::size_t i = 0; i < settled.size(); ++i) {
    drift = std::max(drift, norm(s.particles.position[i] - settled[i]));
    weight += s.particles.mass[i] * kG;
  }
  for (const Vec3 f : s.wall_contacts.force) base += std::abs(f.z);
  Outcome o;
  o.checks.push_back({"force on the floor", "N", base, weight, 1e-3});
  o.checks.push_back({"drift of any cube over ten seconds", "m", drift, 1e-4, 0, 0, Check::Kind::at_most});
  o.checks.push_back({"kinetic energy after 2 s, at most that from 1 to 2 s and 1e-12 J", "J", kinetic_late,
                      kinetic_early + 1e-12, 0, 0, Check::Kind::at_most});
  o.plots.push_back({"Kinetic energy of the stack", "time (s)", "log10 of J", {energy}});
  return o;
}

/// Time until a cube that spins flat on the floor stops, and angle until then (rad), from w0 = 20 rad/s.
struct Spin {
  double time = 0, angle = 0, after = 0, drift = 0;  ///< s; rad; rad/s that it still turns later; m
  Curve curve;
};

Spin spin_down(const std::string& geometry, double height) {
  Simulation s = world("spinning_cube", {"detection={contact_geometry: " + geometry + "}",
                                         fmt::format("particles[0].place.at[0]=[0, 0, {:.17g}]", height)});
  const Vec3 place = s.particles.position[0];
  Spin out;
  out.curve.name = "computed, " + geometry;
  advance(s, 0.6, [&](const Simulation& now) {
    const double w = now.particles.angular_velocity[0].z;
    if (out.time == 0) out.angle += w * now.dt;
    if (out.time == 0 && w <= 0) out.time = now.time;
    if (now.time > 0.5) out.after = std::max(out.after, norm(now.particles.angular_velocity[0]));
    out.drift = std::max(out.drift, norm(now.particles.position[0] - place));
    if (now.step % 100 == 0) out.curve.x.push_back(now.time), out.curve.y.push_back(w);
  });
  return out;
}

/// A patch under even pressure turns against mu N times its mean radius: a (sqrt 2 + ln(1 + sqrt 2))/6 of a square,
/// a/sqrt 2 of its four corners. I = m a^2/6.
Outcome spinning_cube() {
  constexpr double a = 0.1, w0 = 20, mu = 0.3;
  const double square = (std::sqrt(2) + std::log1p(std::sqrt(2))) / 6, corners = 1 / std::sqrt(2);
  Outcome o;
  Plot plot{"Angular velocity of the cube", "time (s)", "rad/s", {}};
  for (const auto& [geometry, lever, springs] :
       {std::tuple{"overlap", square, 1.0}, std::tuple{"contact_zone", corners, 1.0}}) {
    const double stops = a * w0 / (6 * mu * kG * lever);
    const Spin spin = spin_down(geometry, a / 2 - 2650 * a * a * a * kG / (springs * 130e3));  // at rest on its springs
    const std::string with = fmt::format(" ({})", geometry);
    o.checks.push_back({"time until it stops" + with, "s", spin.time, stops, 0.01});
    o.checks.push_back({"angle until then" + with, "rad", spin.angle, w0 * stops / 2, 0.01});
    o.checks.push_back({"angular velocity after 0.5 s" + with, "rad/s", spin.after, 1e-3, 0, 0, Check::Kind::at_most});
    o.checks.push_back({"way of its centre" + with, "m", spin.drift, 0.01 * a, 0, 0, Check::Kind::at_most});
    plot.curves.push_back({fmt::format("closed form, {}", geometry), {0, stops, 0.6}, {w0, 0, 0}, true, false});
    plot.curves.push_back(spin.curve);
  }
  o.notes.push_back("The closed form is that of a patch under even pressure.");
  o.plots.push_back(plot);
  return o;
}

/// Work against the contact while the second cube of closed_path.yaml is led once around.
struct Loop {
  double work = 0, largest = 0;  ///< J: over the whole path; of the energy that it stores on the way
  Curve curve;                   ///< work so far over the largest
};

Loop lead_around(const std::string& name, const std::vector<std::string>& set) {
  Simulation s = world("closed_path", set);
  const Quat home = s.particles.orientation[1];
  constexpr int steps = 6000;
  Loop out;
  out.curve.name = name;
  Vec3 force, torque, x;
  Quat turn;
  for (int k = 0; k <= steps; ++k) {
    const double a = 2 * M_PI * k / steps;
    const Vec3 at{0.3 + 0.5 * std::sin(a), 0.2 + 0.4 * (1 - std::cos(a)), 0.88 + 0.06 * std::sin(2 * a)};
    const Vec3 r{0.3 * std::sin(a), -0.4 * std::sin(2 * a), 0.5 * (1 - std::cos(a))};
    const double angle = norm(r);
    const Quat now = angle > 0 ? axis_angle(r / angle, angle) * home : home;
    Particles& p = s.particles;
    p.position[1] = at, p.orientation[1] = now;
    for (double& t : p.travel) t += 1;  // nothing known about the pair's gap holds any more
    refresh_forces(s);
    if (s.fault) throw std::runtime_error(s.fault->text());
    if (k > 0) {
      const Quat by = now * conjugate(turn);  // a small rotation: its vector is twice the imaginary part
      out.work -= 0.5 * dot(force + p.force[1], at - x) + dot(torque + p.torque[1], Vec3{by.x, by.y, by.z});
    }
    force = p.force[1], torque = p.torque[1], x = at, turn = now;
    out.largest = std::max(out.largest, out.work);
    if (k % 20 == 0) out.curve.x.push_back(static_cast<double>(k) / steps), out.curve.y.push_back(out.work);
  }
  for (double& w : out.curve.y) w /= out.largest;
  return out;
}

Outcome closed_path() {
  struct Way {
    const char* name;
    std::vector<std::string> set;
    bool conserves;
  };
  const std::string loop = "contacts[0]={between: [stone, stone], ";
  const std::vector<Way> ways{
      {"energy, exponent 2", {}, true},
      {"energy, exponent 3", {"contacts[0].exponent=3"}, true},
      {"linear", {loop + "law: linear, kn: 1 MN/m, damping_ratio: 0, friction: 0}"}, false},
      {"bloks3d", {loop + "law: bloks3d, kn: 1 MN/m, ks: 0, friction: 0}"}, false},
      {"bloks3d, contact_zone",
       {loop + "law: bloks3d, kn: 1 MN/m, ks: 0, friction: 0}", "detection={contact_geometry: contact_zone}"},
       false}};
  Outcome o;
  Plot plot{"Work put in so far, over its largest value", "share of the path", "", {}};
  for (const Way& way : ways) {
    const Loop l = lead_around(way.name, way.set);
    const std::string quantity = fmt::format("net work of {} over the largest on the way", way.name);
    if (way.conserves) {
      o.checks.push_back({quantity, "", std::abs(l.work) / l.largest, 2e-5, 0, 0, Check::Kind::at_most});
    } else {
      o.checks.push_back({quantity, "", l.work / l.largest, 0, 0, 0, Check::Kind::reported});
    }
    if (way.set.empty() || !way.conserves) plot.curves.push_back(l.curve);
  }
  o.notes.push_back(
      "Net work above 0 is lost on the way around, below 0 gained; the other direction has the other sign.");
  o.plots.push_back(plot);
  return o;
}

}  // namespace

std::vector<PublishedCase> polyhedron_cases() {
  return {
      {"mass-properties",
       "Mass properties of the regular bodies",
       "closed forms",
       true,
       {},
       mass_properties_of_regular_bodies},
      {"symmetric-top", "Symmetric top, I = (2, 2, 1) kg m^2", "closed form", true, {"free_spin"}, symmetric_top},
      {"tumbling-box",
       "Torque-free box 1:2:3 about its middle axis",
       "conservation of energy and angular momentum",
       true,
       {"free_spin"},
       tumbling_box},
      {"slide",
       "A cube slides down a slope of 40 degrees",
       "Zhao et al. 2006, Fig. 14; closed form",
       true,
       {"slide"},
       slide},
      {"stick", "A cube stays on a slope below the friction angle", "closed form", true, {"slide"}, stick},
      {"slide-to-rest", "A cube slides to rest", "closed form", true, {"slide_to_rest"}, slide_to_rest},
      {"topple", "Columns topple on a slope", "statics: the tangent is width over height", true, {"topple"}, topple},
      {"stack", "A stack of ten cubes", "statics", true, {"stack"}, stack},
      {"stack-of-ten", "Ten cubes, by every law and both geometries", "statics", false, {"stack"}, stack_of_ten},
      {"held-on-a-slope",
       "A cube that friction holds, by every law and both geometries",
       "statics",
       false,
       {"slide"},
       held_on_a_slope},
      {"rocking-block",
       "A block rocks on its edge",
       "energy integral of the rigid body",
       true,
       {"rocking_block"},
       rocking_block},
      {"spinning-cube",
       "A flat cube spins on a floor and comes to rest",
       "closed form: friction at the mean radius of the patch",
       true,
       {"spinning_cube"},
       spinning_cube},
      {"closed-path",
       "A cube is led on a closed path over another, without friction",
       "a potential yields no net work; what the other laws do is reported",
       true,
       {"closed_path"},
       closed_path},
  };
}

}  // namespace scree::validation::detail
