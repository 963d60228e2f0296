// Single spheres: impacts, rolling.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/validation.h"

namespace scree::validation::detail {

namespace {

/// What an impact looks like from outside.
struct Impact {
  double force = 0, depth = 0, time = 0;
  Curve path{"computed", {}, {}, false, false};  ///< N over m
};

Impact impact(Simulation& s, double seconds, const ContactTable& contacts) {
  Impact i;
  double last = 0;
  advance(s, seconds, [&](const Simulation& now) {
    const double depth = contacts.size() > 0 ? contacts.depth[0] : 0;
    if (depth > 0) {
      const double f = norm(contacts.force[0]);
      i.time += now.dt;
      i.force = std::max(i.force, f), i.depth = std::max(i.depth, depth);
      if (depth >= last && (i.path.x.empty() || depth > i.path.x.back() + 1e-7))
        i.path.x.push_back(depth), i.path.y.push_back(f);
    }
    last = depth;
  });
  return i;
}

Curve hertz(double young, double radius, double deepest) {
  Curve c{"Hertz", {}, {}, true, false};
  for (int k = 0; k <= 50; ++k) {
    const double d = deepest * k / 50;
    c.x.push_back(d), c.y.push_back(4.0 / 3 * young * std::sqrt(radius) * std::pow(d, 1.5));
  }
  return c;
}

Outcome impact_of(const std::string& file, double seconds, bool wall, double force, double depth, double time,
                  double young, double radius) {
  Simulation s = world(file);
  Impact i = impact(s, seconds, wall ? s.wall_contacts : s.contacts);
  Outcome o;
  o.checks.push_back({"largest force", "N", i.force, force, 0.005});
  o.checks.push_back({"largest overlap", "m", i.depth, depth, 0.005});
  o.checks.push_back({"duration of the contact", "s", i.time, time, 0.005});
  o.plots.push_back(
      {"Force against overlap, while the bodies approach", "m", "N", {hertz(young, radius, i.depth), i.path}});
  return o;
}

Outcome two_glass_spheres() {
  return impact_of("impact_glass", 60e-6, false, 10.6969e3, 274.113e-6, 40.339e-6, 48e9 / (2 * (1 - 0.04)), 5e-3);
}

Outcome alloy_on_wall() {
  const double young = 1 / ((1 - 0.09) / 70e9 + (1 - 0.09) / 70e12);
  return impact_of("impact_wall", 1e-3, true, 11.3653e3, 49.737e-6, 731.95e-6, young, 0.1);
}

Outcome oblique() {
  const double mu = 0.092, e = 0.98, v = 3.9, r = 2.5e-3;
  Outcome o;
  Curve tangential{"computed", {}, {}, false, true}, spin{"computed", {}, {}, false, true};
  Curve tangential_exact{"closed form, sliding throughout", {}, {}, true, false}, spin_exact = tangential_exact;
  for (const double degrees : {10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0}) {
    const double vn = v * std::cos(degrees * kDegree), vt = v * std::sin(degrees * kDegree);
    Simulation s = world("impact_oblique", {fmt::format("particles[0].velocity=[{:.17g}, 0, {:.17g}]", vt, -vn),
                                            fmt::format("particles[0].place.at[0]=[0, 0, {:.17g}]", r + 1e-6)});
    advance(s, 100e-6);
    const double e_t = s.particles.velocity[0].x / vt, w = std::abs(s.particles.angular_velocity[0].y);
    tangential.x.push_back(degrees), tangential.y.push_back(e_t);
    spin.x.push_back(degrees), spin.y.push_back(w);
    if (degrees < 40) continue;  // below, part of the contact sticks
    const double exact = 1 - mu * (1 + e) * vn / vt, spin_now = 2.5 * mu * (1 + e) * vn / r;
    tangential_exact.x.push_back(degrees), tangential_exact.y.push_back(exact);
    spin_exact.x.push_back(degrees), spin_exact.y.push_back(spin_now);
    if (degrees != 40 && degrees != 60) continue;
    o.checks.push_back({fmt::format("tangential restitution at {:.0f} degrees", degrees), "", e_t,
                        degrees == 40 ? .7829 : .8948, 0.005});
    o.checks.push_back(
        {fmt::format("spin after it at {:.0f} degrees", degrees), "rad/s", w, degrees == 40 ? 544.2 : 355.2, 0.005});
  }
  o.plots.push_back(
      {"Tangential restitution of the centre", "angle from the normal (degree)", "", {tangential_exact, tangential}});
  o.plots.push_back({"Spin after the impact", "angle from the normal (degree)", "rad/s", {spin_exact, spin}});
  return o;
}

Outcome cancelling_spins() {
  Simulation s = world("impact_spinning");
  advance(s, 100e-6);
  const Particles& p = s.particles;
  Outcome o;
  o.checks.push_back(
      {"tangential velocity after the impact", "m/s", norm(Vec3{0, p.velocity[0].y, p.velocity[0].z}), 0, 1e-6, 0.125});
  o.checks.push_back({"spin after the impact", "rad/s", p.angular_velocity[0].z, 50, 1e-6});
  o.checks.push_back({"normal velocity after the impact", "m/s", -p.velocity[0].x, 0.98 * 0.2, 1e-3});
  return o;
}

Outcome bounce() {
  Simulation s = world("bounce");
  Curve z{"computed", {}, {}, false, false};
  double touched = 0, released = 0, speed = 0, apex = 0, apex_time = 0;
  advance(s, 0.7, [&](const Simulation& now) {
    const double height = now.particles.position[0].z;
    const bool touches = height < 0.1;
    if (touched == 0 && touches) touched = now.time;
    if (touched > 0 && released == 0 && !touches) released = now.time, speed = now.particles.velocity[0].z;
    if (released > 0 && height > apex) apex = height, apex_time = now.time;
    if (now.step % 400 == 0) z.x.push_back(now.time), z.y.push_back(height);
  });
  Curve exact{"free flight, closed form", {}, {}, true, false};
  for (int k = 0; k <= 140; ++k) {
    const double t = 0.005 * k;
    const double down = 0.5 - kG * t * t / 2, since = t - .333829;
    exact.x.push_back(t), exact.y.push_back(t < .285617 ? down
                                            : since > 0 ? 0.1 + 2.202104 * since - kG * since * since / 2
                                                        : NAN);
  }
  Outcome o;
  o.checks.push_back({"first contact", "s", touched, .285617, 0.001});
  o.checks.push_back({"release", "s", released, .333829, 0.001});
  o.checks.push_back({"speed at release", "m/s", speed, 2.202104, 0.001});
  o.checks.push_back({"height of the apex", "m", apex, .347244, 0.001});
  o.checks.push_back({"time of the apex", "s", apex_time, .558381, 0.001});
  o.plots.push_back({"Height of the centre", "time (s)", "m", {exact, z}});
  return o;
}

Outcome roll() {
  Simulation s = world("roll");
  const double t = 2.0 / (7 * 0.3 * kG);
  Curve v{"computed", {}, {}, false, false}, spin{"R times the spin", {}, {}, false, false};
  double rolls = 0;
  advance(s, 0.5, [&](const Simulation& now) {
    const double x = now.particles.velocity[0].x, wr = 0.5 * now.particles.angular_velocity[0].y;
    if (rolls == 0 && x - wr < 1e-3) rolls = now.time;
    if (now.step % 200 != 0) return;
    v.x.push_back(now.time), v.y.push_back(x), spin.x.push_back(now.time), spin.y.push_back(wr);
  });
  Outcome o;
  o.checks.push_back({"speed when it rolls", "m/s", s.particles.velocity[0].x, 5.0 / 7, 0.005});
  o.checks.push_back({"time when it begins to roll", "s", rolls, t, 0.005});
  o.plots.push_back({"A sliding ball begins to roll",
                     "time (s)",
                     "m/s",
                     {{"closed form", {0, t, 0.5}, {1, 5.0 / 7, 5.0 / 7}, true, false}, v, spin}});
  return o;
}

Outcome roll_resisted() {
  Simulation s = world("roll_resisted");
  Curve v{"computed", {}, {}, false, false};
  double stopped = 0, place = 0;
  advance(s, 1, [&](const Simulation& now) {
    const double x = now.particles.velocity[0].x;
    if (stopped == 0 && x <= 0) stopped = now.time, place = now.particles.position[0].x;
    if (now.step % 200 == 0) v.x.push_back(now.time), v.y.push_back(x);
  });
  Outcome o;
  o.checks.push_back({"time until it stops", "s", stopped, .50968, 0.005});
  o.checks.push_back({"way until it stops", "m", place, .20851, 0.005});
  o.checks.push_back({"way from there to the end of the run", "m", std::abs(s.particles.position[0].x - place), 1e-5, 0,
                      0, Check::Kind::at_most});
  o.plots.push_back({"A ball slides, rolls and stops", "time (s)", "m/s", {v}});
  return o;
}

/// A ball let go on a slope, below and above the slope at which its resistance to rolling (mu_r 0.1) gives way.
Outcome rolling_slope() {
  constexpr double mu_r = 0.1;
  Outcome o;
  Plot plot{"Speed down a slope 2 % steeper than the limit", "time (s)", "m/s", {}};
  const auto on_slope = [](const char* model, double tangent) {
    const double a = std::atan(tangent);
    return world("rolling_slope", {fmt::format("contacts[0].rolling.model={}", model),
                                   fmt::format("gravity=[{:.17g}, 0, {:.17g}]", kG * std::sin(a), -kG * std::cos(a))});
  };
  const double steep = 1.02 * mu_r, angle = std::atan(steep);
  const double exact = 5.0 / 7 * kG * (std::sin(angle) - mu_r * std::cos(angle));
  plot.curves.push_back({"closed form", {0, 3}, {0, 3 * exact}, true, false});
  for (const char* model : {"constant", "spring"}) {
    Simulation held = on_slope(model, 0.98 * mu_r);
    advance(held, 2);
    const double place = held.particles.position[0].x;
    double creep = 0;
    advance(held, 1,
            [&](const Simulation& now) { creep = std::max(creep, std::abs(now.particles.position[0].x - place)); });
    Simulation rolls = on_slope(model, steep);
    Curve v{model, {0}, {0}, false, false};
    const auto look = [&](const Simulation& now) {
      if (now.step % 400 == 0) v.x.push_back(now.time), v.y.push_back(now.particles.velocity[0].x);
    };
    advance(rolls, 1.5, look);
    const double speed = rolls.particles.velocity[0].x, begin = rolls.time;
    advance(rolls, 1.5, look);
    const double gained = (rolls.particles.velocity[0].x - speed) / (rolls.time - begin);
    o.checks.push_back({fmt::format("creep in 1 s at 0.98 of the limit, model {}", model), "m", creep, 1e-6, 0, 0,
                        Check::Kind::at_most});
    o.checks.push_back(
        {fmt::format("acceleration at 1.02 of the limit, model {}", model), "m/s^2", gained, exact, 0.005});
    plot.curves.push_back(v);
  }
  o.plots.push_back(plot);
  return o;
}

/// Error of the depth (of the first one) after 10 ms of a contact that swings, with that damping and time step.
double oscillator_error(double zeta, double dt) {
  Simulation s =
      world("oscillator", {fmt::format("contacts[0].damping_ratio={}", zeta), fmt::format("time_step={:.17g}", dt)});
  const double first = 0.1 - s.particles.position[0].z, omega = std::sqrt(5e4 / s.particles.mass[0]);
  advance(s, 0.01);
  const double damped = omega * std::sqrt(1 - zeta * zeta), decay = std::exp(-zeta * omega * s.time);
  const double exact =
      first * decay * (std::cos(damped * s.time) + zeta / std::sqrt(1 - zeta * zeta) * std::sin(damped * s.time));
  return std::abs(0.1 - s.particles.position[0].z - exact) / first;
}

Outcome order() {
  Outcome o;
  Plot plot{
      "Error of the depth after 10 ms against the time step", "log10 of the time step (s)", "log10 of the error", {}};
  for (const double zeta : {0.0, 0.2}) {
    Curve c{zeta > 0 ? "with a dashpot" : "spring alone", {}, {}, false, false};
    for (const double dt : {2e-4, 1e-4, 5e-5, 2.5e-5})
      c.x.push_back(std::log10(dt)), c.y.push_back(std::log10(oscillator_error(zeta, dt)));
    const double slope = (c.y.front() - c.y.back()) / (c.x.front() - c.x.back());
    o.checks.push_back({fmt::format("order of accuracy, {}", c.name), "", slope, 2, 0.05});
    plot.curves.push_back(c);
  }
  o.plots.push_back(plot);
  return o;
}

}  // namespace

std::vector<PublishedCase> sphere_cases() {
  return {
      {"two-glass-spheres",
       "Two glass spheres meet head on",
       "Chung & Ooi 2011, test 1; Hertz 1882",
       true,
       {"impact_glass"},
       two_glass_spheres},
      {"alloy-on-wall",
       "A sphere of aluminium alloy meets a wall",
       "Chung & Ooi 2011, test 2; Hertz 1882",
       true,
       {"impact_wall"},
       alloy_on_wall},
      {"oblique-impact",
       "An aluminium oxide sphere meets a plate at an angle",
       "Kharaz et al. 2001, as in Chung & Ooi 2011; closed form while it slides",
       true,
       {"impact_oblique"},
       oblique},
      {"cancelling-spins",
       "Two spheres with spins that cancel at the contact",
       "symmetry",
       true,
       {"impact_spinning"},
       cancelling_spins},
      {"bounce", "A sphere falls on a floor and bounces", "closed form", true, {"bounce"}, bounce},
      {"order-of-accuracy",
       "A contact that swings, at finer and finer time steps",
       "closed form; velocity Verlet is of second order",
       true,
       {"oscillator"},
       order},
      {"roll", "A sliding ball begins to roll", "closed form", true, {"roll"}, roll},
      {"rolling-resistance", "A rolling ball stops", "closed form", true, {"roll_resisted"}, roll_resisted},
      {"rolling-slope",
       "A ball on a slope just below and just above its resistance to rolling",
       "closed form",
       true,
       {"rolling_slope"},
       rolling_slope},
  };
}

}  // namespace scree::validation::detail
