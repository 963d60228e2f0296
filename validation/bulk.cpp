// Beds of many grains: the long cases.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "io/library/library.h"
#include "sim/measure.h"
#include "validation/validation.h"

namespace scree::validation::detail {

namespace {

/// y = intercept + slope x, least squares.
struct Line {
  double slope = 0, intercept = 0;
};

Line line_through(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) n += 1, sx += x[k], sy += y[k], sxx += x[k] * x[k], sxy += x[k] * y[k];
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return {slope, (sy - slope * sx) / n};
}

/// Path of the ball of penetration.yaml, and what it went into.
Outcome penetration() {
  const std::string published = "../shared/data/penetration25k/particles.txt";
  const bool has_bed = std::filesystem::exists(published);
  constexpr double g = 9.8, floor = -0.0902431, d = 0.002, radius = 0.01;
  const auto ball = [](double z, double v) {
    return fmt::format(
        "{{name: ball, shapes: sphere, size: 20 mm, material: steel, velocity: [0, 0, {:.17g}], place: {{at: [[0, 0, "
        "{:.17g}]]}}}}",
        v, z);
  };
  // The ball falls alone, as it touches nothing for 20 ms; then it meets the bed.
  Simulation flight = world("penetration", {"particles=[" + ball(0.06, -5) + "]"});
  Curve z{"computed", {}, {}, false, false}, free{"free flight, closed form", {}, {}, true, false};
  advance(flight, 0.02, [&](const Simulation& now) {
    if (now.step % 200 == 0) z.x.push_back(now.time), z.y.push_back(now.particles.position[0].z);
  });
  const double fallen = flight.particles.position[0].z, speed = -flight.particles.velocity[0].z;
  for (int k = 0; k <= 44; ++k) {
    const double t = 0.0005 * k;
    free.x.push_back(t), free.y.push_back(0.06 - 5 * t - g * t * t / 2);
  }
  const double exact = 0.06 - 5 * flight.time - g * flight.time * flight.time / 2;

  std::string bed =
      "{name: bed, shapes: sphere, material: bed, place: {file: {path: ../../" + published + ", other_rows: skip}}}";
  std::vector<std::string> set{"particles=[" + bed + ", " + ball(fallen, -speed) + "]"};
  Case c;
  if (has_bed) {
    c = read("penetration", set);
  } else {
    Simulation soft = world("penetration", {"materials.bed.young_modulus=10 MPa", "materials.steel.young_modulus=1 GPa",
                                            "time_step={fraction: 0.3}", "stages[0].duration=0.2 s"});
    advance(soft, 0.2);
    c = read("penetration", {"particles=[" + ball(fallen, -speed) + "]"});
    Case packed = read("penetration");
    std::vector<Vec3> places(soft.particles.size_rows());
    for (std::size_t i = 0; i < places.size(); ++i) places[soft.particles.id[i]] = soft.particles.position[i];
    packed.particles[0].place = Case::AtPoints{places};
    c.particles.insert(c.particles.begin(), packed.particles[0]);
  }
  Result<Simulation> made = set_up(c, [](const std::string& shape) { return io::load_shape(shape); });
  if (!made) throw std::runtime_error(made.error().message);
  Simulation s = std::move(*made);
  const std::uint32_t id = s.next_id - 1;
  const auto row_of_ball = [id](const Simulation& now) {
    for (std::size_t i = 0;; ++i) {
      if (now.particles.id[i] == id) return i;
    }
  };
  std::vector<double> tops;
  for (const Vec3 x : s.particles.position) {
    if (std::hypot(x.x, x.y) < radius && x.z < fallen - radius) tops.push_back(x.z);
  }
  const double surface = *std::max_element(tops.begin(), tops.end()) + d / 2;
  const double start = flight.time;
  double deepest = 0, at = 0, energy = 0, gained = 0, at_25 = 0, at_28 = 0;
  advance(s, 0.012, [&](const Simulation& now) {
    const std::size_t i = row_of_ball(now);
    const double height = now.particles.position[i].z;
    if (start + now.time <= 0.025) at_25 = height;
    if (start + now.time <= 0.028) at_28 = height;
    if (height < deepest) deepest = height, at = start + now.time;
    const double e = norm2(now.particles.velocity[i]) / 2 + g * height;
    if (energy != 0 && at == start + now.time) gained = std::max(gained, e - energy);
    if (at == start + now.time) energy = energy == 0 ? e : std::min(energy, e);
    if (now.step % 60 == 0) z.x.push_back(start + now.time), z.y.push_back(height);
  });
  Outcome o;
  o.checks.push_back({"height of the ball at 20 ms, in free flight", "m", fallen, exact, 1e-6});
  o.checks.push_back({"deepest point: no lower than the ball lies on the floor", "m", deepest, floor + radius, 0, 0,
                      Check::Kind::at_least});
  o.checks.push_back({"deepest point: no higher than two grains above that; the bed is too shallow to stop the ball",
                      "m", deepest, floor + radius + 2 * d, 0, 0, Check::Kind::at_most});
  o.checks.push_back({"time of the deepest point: not before unhindered flight", "s", at,
                      start + (fallen - deepest) / speed, 0, 0, Check::Kind::at_least});
  o.checks.push_back({"the same at half of the speed of impact on the mean, from the bed's surface", "s", at,
                      start + (fallen - surface - radius) / speed + 2 * (surface + radius - deepest) / speed, 0, 0,
                      Check::Kind::at_most});
  o.checks.push_back({"largest gain of the ball's energy on its way down, over that at impact", "",
                      gained / (speed * speed / 2), 0.01, 0, 0, Check::Kind::at_most});
  // Off the publication's figure (docs/validation.md).
  o.checks.push_back({"height at 25 ms; the eight codes'", "m", at_25, -0.0633, 0, 0, Check::Kind::reported});
  o.checks.push_back({"height at 28 ms; the eight codes'", "m", at_28, -0.0719, 0, 0, Check::Kind::reported});
  o.checks.push_back({"deepest point", "m", deepest, 0, 0, 0, Check::Kind::reported});
  o.checks.push_back({"its time", "s", at, 0, 0, 0, Check::Kind::reported});
  o.checks.push_back({"thickness of the bed under the ball", "m", surface - floor, 0, 0, 0, Check::Kind::reported});
  o.notes.push_back(has_bed ? "The published bed of 25 000 spheres, from " + published + "."
                            : "A bed of its own: " + published + " is not here.");
  o.notes.push_back(
      "The eight codes of the publication agree on the deepest point and its time; their values are not printed as "
      "numbers, so that ours are reported. What is held is the free flight and what any sound solution keeps to.");
  o.plots.push_back(
      {"Height of the ball",
       "time (s)",
       "z (m)",
       {free, {"ball on the floor", {0, start + 0.012}, {floor + radius, floor + radius}, true, false}, z}});
  return o;
}

/// Mass flow through the orifice of that width (m) out of a settled bed: kg/s.
double discharge_rate(const Simulation& bed, double width, Curve& mass) {
  const Case c = read("hopper_discharge", {fmt::format("stages[1].add.floor.cone.radius_from={:.17g}", width / 2)});
  Simulation s = bed;
  StagedRun run(c, s);
  run.next_stage();
  const double begin = s.time;
  std::vector<double> times, gone;
  double next = 0;
  run.finish_stage([&](const Simulation& now) {
    const double t = now.time - begin;
    if (t < next) return;
    next += 0.01;
    mass.x.push_back(t), mass.y.push_back(now.flows.removed_mass[0]);
    if (t > 0.2) times.push_back(t), gone.push_back(now.flows.removed_mass[0]);
  });
  return line_through(times, gone).slope;
}

/// Beverloo, Leniger & van de Velde (1961): W = C rho_b sqrt(g) (D - k d)^2.5.
Outcome hopper_discharge() {
  constexpr double d = 0.006, k = 1.4;
  const Case c = read("hopper_discharge");
  Simulation bed = world("hopper_discharge");
  StagedRun(c, bed).finish_stage();
  const double density = c.materials[0].density * measure(bed, c.measures[0])[0], unit = density * std::sqrt(kG);
  Outcome o;
  Plot masses{"Mass that has run out", "time (s)", "kg", {}};
  Curve rates{"computed", {}, {}, false, true};
  std::vector<double> widths, roots;
  for (const double ratio : {4.5, 5.5, 6.5, 7.5}) {
    Curve mass{fmt::format("D = {} d", ratio), {}, {}, false, false};
    const double rate = discharge_rate(bed, ratio * d, mass);
    masses.curves.push_back(mass);
    rates.x.push_back(ratio), rates.y.push_back(rate);
    widths.push_back(ratio * d), roots.push_back(std::pow(rate / unit, 0.4));
    o.checks.push_back({fmt::format("C at D = {} d, with k = 1.4", ratio), "",
                        rate / (unit * std::pow((ratio - k) * d, 2.5)), 0.58, 0.08 / 0.58});
  }
  const Line fit = line_through(widths, roots);
  const double factor = std::pow(fit.slope, 2.5), offset = -fit.intercept / fit.slope;
  Curve law{"Beverloo's law, C 0.58, k 1.4", {}, {}, true, false};
  for (int n = 0; n <= 60; ++n) {
    const double ratio = 4 + 0.07 * n;
    law.x.push_back(ratio), law.y.push_back(0.58 * unit * std::pow((ratio - k) * d, 2.5));
  }
  double worst = 0;
  for (std::size_t n = 0; n < widths.size(); ++n)
    worst = std::max(worst, std::abs(rates.y[n] / (factor * unit * std::pow(widths[n] - offset, 2.5)) - 1));
  o.checks.push_back({"largest distance of a rate from the law of power 2.5 fitted to all, over the law", "", worst,
                      0.05, 0, 0, Check::Kind::at_most});
  o.checks.push_back({"C, where C and k are fitted", "", factor, 0.58, 0, 0, Check::Kind::reported});
  o.checks.push_back({"k, where C and k are fitted", "", offset / d, k, 0, 0, Check::Kind::reported});
  o.checks.push_back({"bulk density of the bed at rest", "kg/m^3", density, 0, 0, 0, Check::Kind::reported});
  o.plots.push_back({"Mass flow against the orifice's width over the grain's", "D/d", "kg/s", {law, rates}});
  o.plots.push_back(masses);
  return o;
}

/// A packing in a cubic box that is periodic along all axes, pressed and let go in small steps of even strain.
struct Packing {
  Case c;
  Simulation s;
  double side = 0;    ///< m
  double volume = 0;  ///< m^3, of the grains

  Packing() : c(read("jamming")), s(world("jamming")), side(c.periodic.high.x) {
    for (const double r : s.particles.size) volume += M_PI / 6 * r * r * r;
  }
  double fraction() const { return volume / (side * side * side); }

  /// To another solid fraction: all places move with the box.
  void strain_to(double phi) {
    const double factor = std::cbrt(fraction() / phi);
    side *= factor;
    PlacesGiven places;
    const Particles& p = s.particles;
    const std::size_t n = p.size_rows();
    places.points.resize(n), places.size.resize(n), places.velocity.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t id = p.id[i];
      places.points[id] = factor * p.position[i], places.size[id] = p.size[i], places.velocity[id] = p.velocity[i];
    }
    const Vec3 corner{side, side, side};
    c.periodic.high = corner;
    c.measures[0].inside->max = corner;
    c.particles[0].place = std::move(places);
    c.particles[0].may_overlap = true;
    Result<Simulation> made = set_up(c, [](const std::string& shape) { return io::load_shape(shape); });
    if (!made) throw std::runtime_error(made.error().message);
    s = std::move(*made);
  }
  /// Steps; with `quench` all velocities are taken away whenever the forces have begun to do work against them.
  void relax(int steps, bool quench) {
    for (int k = 0; k < steps; ++k) {
      advance(s, s.dt);
      if (!quench) continue;
      double power = 0;
      for (std::size_t i = 0; i < s.particles.size_rows(); ++i)
        power += dot(s.particles.force[i], s.particles.velocity[i]);
      if (power < 0) std::fill(s.particles.velocity.begin(), s.particles.velocity.end(), Vec3{});
    }
  }
  double pressure() const { return measure(s, c.measures[0]).back(); }
  double coordination() const { return measure(s, c.measures[1])[1]; }
  double rattlers() const { return measure(s, c.measures[1])[2]; }
  /// Quenches until the forces are balanced, or for that many steps.
  void balance(int steps) {
    do relax(500, true), steps -= 500;
    while (steps > 0 && imbalance() > 3e-4);
  }
  /// Mean of what is left of the forces on a grain over the mean contact force.
  double imbalance() const {
    double left = 0, held = 0;
    for (const Vec3 f : s.particles.force) left += norm(f) / static_cast<double>(s.particles.size_rows());
    for (const Vec3 f : s.contacts.force) held += norm(f) / static_cast<double>(s.contacts.size());
    return left / held;
  }
};

Outcome jamming() {
  Packing p;
  while (p.fraction() < 0.62) p.strain_to(1.015 * p.fraction()), p.relax(100, false);
  while (p.fraction() < 0.65) p.strain_to(p.fraction() + 0.002), p.relax(200, true);
  // Let go: each step takes half of what is left of the pressure, until little is.
  Curve pressure{"computed", {}, {}, false, false}, contacts{"computed", {}, {}, false, true};
  const double stiffness = 1e6 / 0.1;  // kn/d: Pa
  double phi = p.fraction(), jammed = 0;
  p.balance(8000);
  double before_phi = 0, before_pressure = 0;
  for (int k = 0; k < 12; ++k) {
    const double now = p.pressure() / stiffness;
    pressure.x.push_back(phi), pressure.y.push_back(now);
    contacts.x.push_back(std::log10(now)), contacts.y.push_back(p.coordination());
    jammed = k == 0 ? phi - 3 * now : phi - now * (phi - before_phi) / (now - before_pressure);
    if (now < 5e-5) break;
    before_phi = phi, before_pressure = now;
    phi = std::max(jammed + 0.4 * (phi - jammed), phi - 0.002);
    p.strain_to(phi), p.balance(8000);
  }
  Outcome o;
  o.checks.push_back({"solid fraction where the pressure vanishes", "", jammed, 0.637, 0.005 / 0.637});
  o.checks.push_back({"contacts of a grain there, without rattlers", "", p.coordination(), 6, 0.1 / 6});
  o.checks.push_back({"what is left of the forces on a grain, over a contact force", "", p.imbalance(), 0.01, 0, 0,
                      Check::Kind::at_most});
  o.checks.push_back({"share of rattlers", "", p.rattlers(), 0, 0, 0, Check::Kind::reported});
  o.plots.push_back({"Pressure over kn/d while the packing is let go",
                     "solid fraction",
                     "",
                     {pressure, {"0.637", {0.637, 0.637}, {0, pressure.y.front()}, true, false}}});
  o.plots.push_back({"Contacts of a grain, without rattlers",
                     "log10 of the pressure over kn/d",
                     "",
                     {{"isostatic", {contacts.x.back(), contacts.x.front()}, {6, 6}, true, false}, contacts}});
  return o;
}

/// Angle (rad) of the way from the drum's axis to the centre of the grains' mass, from straight down.
double lean(const Simulation& s) {
  double x = 0, z = 0;
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    const double m = s.particles.mass[i];
    x += m * s.particles.position[i].x, z += m * s.particles.position[i].z;
  }
  return std::atan2(std::abs(x), -z);
}

Outcome rotating_drum() {
  constexpr double radius = 0.066;
  const Case c = read("rotating_drum");
  Simulation s = world("rotating_drum");
  double weight = 0;
  for (const double m : s.particles.mass) weight += m * kG;
  StagedRun run(c, s);
  run.finish_stage();
  Outcome o;
  Plot path{"Angle of the centre of mass about the axis", "time (s)", "degree", {}};
  Curve angles{"computed", {}, {}, false, true};
  double imbalance = 0;
  for (std::size_t n = 1; n < c.stages.size(); ++n) {
    run.next_stage();
    // Once it has turned by some 60 degrees, and no less than for half of the stage, the flow is steady.
    const double begin = s.time, length = *c.stages[n].duration;
    Curve curve{c.stages[n].name, {}, {}, false, false};
    double sum = 0, torque = 0, lever = 0;
    int steps = 0, samples = 0;
    run.finish_stage([&](const Simulation& now) {
      const double t = now.time - begin;
      const bool is_steady = t > 0.5 * length;
      if (is_steady) torque += now.walls[0].torque.y, ++steps;
      if (now.step % 20 != 0) return;
      const double angle = lean(now);
      curve.x.push_back(now.time), curve.y.push_back(angle * 180 / M_PI);
      if (!is_steady) return;
      double mass = 0, x = 0;
      for (std::size_t i = 0; i < now.particles.size_rows(); ++i)
        mass += now.particles.mass[i], x += now.particles.mass[i] * now.particles.position[i].x;
      sum += angle * 180 / M_PI, lever += x / mass, ++samples;
    });
    path.curves.push_back(curve);
    const double rate = c.stages[n].move[0].motion.rotation->rate;
    angles.x.push_back(rate * rate * radius / kG), angles.y.push_back(sum / samples);
    imbalance = std::max(imbalance, std::abs(std::abs(torque / steps) / (weight * std::abs(lever / samples)) - 1));
  }
  const std::array<const char*, 4> name{"0.005", "0.02", "0.08", "0.2"};
  o.checks.push_back(
      {"dynamic angle at a Froude number of 0.005: at least", "degree", angles.y[0], 20, 0, 0, Check::Kind::at_least});
  o.checks.push_back({"the same: at most", "degree", angles.y[0], 35, 0, 0, Check::Kind::at_most});
  for (std::size_t n = 1; n < angles.y.size(); ++n) {
    o.checks.push_back({fmt::format("angle at {}: above that at {}", name[n], name[n - 1]), "degree", angles.y[n],
                        angles.y[n - 1], 0, 0, Check::Kind::at_least});
  }
  o.checks.push_back({"torque of the drum, over weight times lever of the centre of mass, minus 1: largest", "",
                      imbalance, 0.05, 0, 0, Check::Kind::at_most});
  o.plots.push_back({"Dynamic angle of repose", "Froude number", "degree", {angles}});
  o.plots.push_back(path);
  return o;
}

/// Height of the highest grain over the distance from the axis through the origin.
Curve heap_profile(const Simulation& s, const std::string& name) {
  constexpr double width = 0.01;  // of a ring: m
  std::vector<double> top, count;
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    const Vec3 x = s.particles.position[i];
    const auto ring = static_cast<std::size_t>(std::hypot(x.x, x.y) / width);
    if (ring >= top.size()) top.resize(ring + 1), count.resize(ring + 1);
    top[ring] = std::max(top[ring], x.z), count[ring] += 1;
  }
  Curve c{name, {}, {}, false, false};
  for (std::size_t k = 0; k < top.size(); ++k)
    if (count[k] > 0) c.x.push_back((static_cast<double>(k) + 0.5) * width), c.y.push_back(top[k]);
  return c;
}

Outcome repose_cubes() {
  struct Heap {
    std::string name;
    std::vector<std::string> set;
    double angle = 0;
  };
  const std::string rolls = "{model: spring, friction: 0.05}";
  std::array<Heap, 4> heaps{{{"cubes, friction 0.2", {"contacts[0].friction=0.2"}},
                             {"cubes, friction 0.4", {"contacts[0].friction=0.4"}},
                             {"cubes, friction 0.8", {"contacts[0].friction=0.8"}},
                             {"spheres, friction 0.4",
                              {"contacts[0].friction=0.4", "particles[0].shapes=sphere",
                               "particles[0].size=12.407 mm",  // of the cube's volume
                               "contacts[0].rolling=" + rolls, "contacts[1].rolling=" + rolls}}}};
  Outcome o;
  Plot plot{"Highest grains of the heap", "distance from the axis (m)", "height (m)", {}};
  double fastest = 0;
  for (Heap& h : heaps) {
    const Case c = read("repose_cubes", h.set);
    Simulation s = world("repose_cubes", h.set);
    StagedRun(c, s).finish();
    h.angle = measure(s, c.measures[0])[0];
    plot.curves.push_back(heap_profile(s, h.name));
    double squares = 0;
    for (const Vec3 v : s.particles.velocity) squares += norm2(v) / static_cast<double>(s.particles.size_rows());
    fastest = std::max(fastest, std::sqrt(squares));
  }
  const auto above = [&](const std::string& what, double angle, double limit) {
    o.checks.push_back({what, "degree", angle, limit, 0, 0, Check::Kind::at_least});
  };
  above("cubes at a friction of 0.2: steeper than its angle of friction", heaps[0].angle, std::atan(0.2) * 180 / M_PI);
  above("cubes at 0.4: steeper than at 0.2", heaps[1].angle, heaps[0].angle);
  above("cubes at 0.8: steeper than at 0.2", heaps[2].angle, heaps[0].angle);
  above("cubes at 0.4: steeper than spheres", heaps[1].angle, heaps[3].angle);
  o.checks.push_back({"cubes at 0.8: at most", "degree", heaps[2].angle, 60, 0, 0, Check::Kind::at_most});
  o.checks.push_back({"root mean square of the grains' speeds at the end, largest of the heaps", "m/s", fastest, 0.01,
                      0, 0, Check::Kind::at_most});
  o.plots.push_back(plot);
  return o;
}

/// Boxes of angular grains are filled, then a wall goes; the common plane by the paper's search.
Outcome wall_release() {
  Outcome o;
  Curve mean{"mean", {}, {}, false, true}, most{"at most", {}, {}, false, true};
  Plot energy{"Kinetic energy of a grain", "time (s)", "J", {}};
  double gained = 0, worst_mean = 0, worst_most = 0;
  std::vector<double> shares;
  for (const int count : {180, 270, 360, 450, 540}) {
    const std::vector<std::string> set{fmt::format("particles[0].count={}", count)};
    const Case c = read("wall_release", set);
    Simulation s = world("wall_release", set);
    Totals t = totals(s);
    const double scale = t.potential;
    double least = t.kinetic_translation + t.kinetic_rotation + t.potential + t.elastic, next = 0;
    Curve kinetic{fmt::format("{} grains", count), {}, {}, false, false};
    const auto look = [&](const Simulation& now) {
      if (now.time < next) return;
      next += 0.005;
      t = totals(now);
      const double moving = t.kinetic_translation + t.kinetic_rotation, whole = moving + t.potential + t.elastic;
      gained = std::max(gained, (whole - least) / scale), least = std::min(least, whole);
      kinetic.x.push_back(now.time), kinetic.y.push_back(moving / count);
    };
    StagedRun(c, s).finish(look);
    double outside = 0;
    for (const Vec3 x : s.particles.position) outside += x.x > 0.3 ? 1 : 0;
    shares.push_back(outside / count);
    const auto searched = static_cast<double>(s.counters.planes_searched);
    const double iterations = static_cast<double>(s.counters.iterations) / searched;
    mean.x.push_back(count), mean.y.push_back(iterations);
    most.x.push_back(count), most.y.push_back(static_cast<double>(s.counters.iterations_max));
    worst_mean = std::max(worst_mean, iterations), worst_most = std::max(worst_most, most.y.back());
    energy.curves.push_back(kinetic);
  }
  o.checks.push_back({"iterations of a search for the common plane, mean; the largest of five runs", "", worst_mean,
                      1.54, 0, 0, Check::Kind::at_most});
  o.checks.push_back({"the same, at most", "", worst_most, 4, 0, 0, Check::Kind::at_most});
  o.checks.push_back({"largest gain of energy between two looks, over the weight's at the start", "", gained, 1e-3, 0,
                      0, Check::Kind::at_most});
  o.checks.push_back({"share of 540 grains that have left the box half a second later: more than of 180", "",
                      shares.back(), shares.front(), 0, 0, Check::Kind::at_least});
  o.notes.push_back("The paper's 1.54 and 4 are those of its run of 30 000 grains.");
  o.plots.push_back({"Iterations of the fast common plane", "grains", "", {mean, most}});
  o.plots.push_back(energy);
  return o;
}

}  // namespace

std::vector<PublishedCase> bulk_cases() {
  return {
      {"penetration",
       "A steel ball falls into a bed of 25 000 spheres",
       "Dosta et al. 2024, case 3: free flight; bounds on the deepest point",
       false,
       {"penetration"},
       penetration},
      {"wall-release",
       "180 to 540 angular grains fill a box, then a wall goes",
       "Nezami et al. 2004, section 7.2: 1.54 iterations of a search on the mean, at most 4",
       false,
       {"wall_release"},
       wall_release},
      {"hopper-discharge",
       "A flat-bottomed silo empties through four orifices",
       "Beverloo et al. 1961: C 0.58 +- 0.08 at k 1.4",
       false,
       {"hopper_discharge"},
       hopper_discharge},
      {"jamming",
       "Frictionless spheres jam under even pressure",
       "O'Hern et al. 2003: solid fraction 0.637 +- 0.005; isostatic: 6.0 +- 0.1 contacts",
       false,
       {"jamming"},
       jamming},
      {"rotating-drum",
       "A rotating drum at four speeds",
       "Mellmann 2001: rolling to cascading, steeper with the Froude number; balance of torques",
       false,
       {"rotating_drum"},
       rotating_drum},
      {"angle-of-repose",
       "Heaps of cubes at three frictions, and of spheres",
       "Zhou et al. 2001: steeper with more friction than 0.2; cubes steeper than spheres",
       false,
       {"repose_cubes"},
       repose_cubes},
      direct_shear_case(),
  };
}

}  // namespace scree::validation::detail
