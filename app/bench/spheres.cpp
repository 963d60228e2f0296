// What a step costs on a settled bed of spheres: Hertz-Mindlin with history, and on the same bed linear springs,
// rolling resistance and JKR.
#include "app/bench/spheres.h"

#include <fmt/format.h>

#include <cmath>

#include "app/bench/step_cost.h"
#include "app/commands.h"
#include "exec/parallel.h"
#include "scenes/scenes.h"

namespace scree::app {

namespace {

/// Without friction, so that the columns of the lattice do not stand.
Case frictionless(Case c) {
  std::get<contact::HertzMindlin>(c.contacts[0].law).friction_angle = 0;
  return c;
}

struct Variant {
  const char* name;
  Case bed;
};

/// The bed's case with other laws, about as stiff.
std::vector<Variant> variants(const Case& bed) {
  Case linear = bed, rolling = bed, jkr = bed;
  const auto& hertz = std::get<contact::HertzMindlin>(bed.contacts[0].law);
  const double diameter = bed.particles[0].size.b,
               weight = bed.materials[0].density * M_PI / 6 * std::pow(diameter, 3) * 9.81, radius = diameter / 4;
  contact::Linear springs;
  // Hertz' stiffness under the weight of ten spheres.
  springs.kn = std::cbrt(6 * hertz.young * hertz.young * radius * 10 * weight), springs.kt = 2 * springs.kn / 7;
  springs.friction_angle = hertz.friction_angle, springs.damping_ratio = hertz.damping_ratio;
  linear.contacts[0].law = springs;
  auto& resistance = rolling.contacts[0].beside.rolling;
  resistance.model = contact::Rolling::Model::spring, resistance.friction = 0.1, resistance.twisting = 0.1;
  resistance.damping_ratio = 0.3;
  // A pull-off force of half a weight.
  std::get<contact::HertzMindlin>(jkr.contacts[0].law).work_of_adhesion = 0.5 * weight / (1.5 * M_PI * radius);
  return {{"hertz_mindlin", bed}, {"linear", linear}, {"with rolling resistance", rolling}, {"with jkr", jkr}};
}

}  // namespace

int bench_spheres(const std::string& json, const std::vector<int>& threads, bool quick) {
  const int steps = quick ? 50 : 400, turns = quick ? 1 : 5;
  const Case c = scenes::sphere_bed(quick ? 1000 : 20000);
  exec::set_threads(0);
  const double seconds = quick ? 0.01 : 0.1;
  Result<Simulation> bed = settled(c, frictionless(c), seconds, "settled spheres");
  std::vector<StepCost> rows;
  for (const Variant& v : variants(c)) {
    Status ready = bed ? ok() : Status(bed.error());
    Simulation s;
    if (ready) s = *bed, ready = change_laws(s, v.bed, 0.02 * seconds);
    if (!ready) {
      fmt::print(stderr, "scree bench: {}: {}\n", v.name, ready.error().message);
      return kRunFailed;
    }
    for (StepCost& r : median_costs(s, fmt::format("settled spheres, {}", v.name), threads, steps, turns))
      rows.push_back(std::move(r));
  }
  return tell(rows, "spheres", json, quick);
}

}  // namespace scree::app
