// LIBS: scree_io
// What a run is changed by from outside, as the keys of a stage.
#include "fuzz/fuzz.h"
#include "io/case/read_case.h"
#include "io/case/read_changes.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"

namespace scree::fuzz {
namespace {

constexpr std::uint64_t kMostGrains = 200;
constexpr const char* kCase = R"(
materials: {rock: {density: 2600}, steel: {density: 7800}}
contacts: [{between: [any, any], law: linear, kn: 20 kN/m, kt_over_kn: 0.5, friction: 0.4, restitution: 0.5}]
bonds: {cement: {modulus: 10 MPa, poisson: 0.2, normal_strength: 1 MPa, shear_strength: 1 MPa}}
clusters: {cube: {cube: {edge: 2, sphere_radius: 4 mm}, bonds: cement, distance: 1.05}}
walls:
  box: {box: {min: [0, 0, 0], max: [0.2, 0.2, 0.3]}, material: steel}
  drum: {cylinder: {from: [0.1, 0.1, 0.1], to: [0.1, 0.1, 0.2], radius: 3 cm}, material: steel}
particles:
  - {name: bed, shapes: [sphere, cube], size: 1 cm, count: 6, material: rock, place: {lattice: {above: box}}}
  - {name: blocks, cluster: cube, count: 1, material: rock, place: {at: [[0.05, 0.05, 0.2]]}}
  - {name: feed, shapes: sphere, size: 1 cm, count: 50, material: rock, place: {pour: {
      inside: {box: {min: [0, 0, 0.25], max: [0.2, 0.2, 0.3]}}, number_rate: 100 1/s}}}
outlets: {hole: {inside: {box: {min: [0, 0, -0.1], max: [0.2, 0.2, -0.05]}}}}
stages: [{name: fall, duration: 1 s}]
)";

struct Base {
  Case c;
  Simulation s;
  std::uint64_t hash = 0;
};
const Base& base() {
  static const Base made = [] {
    const io::ReadCase read = io::read_case_text(kCase, (scratch() / "case.yaml").string());
    for (const Diagnostic& d : read.diagnostics) std::cerr << format(d) << "\n";
    SCREE_KEEPS(!has_errors(read.diagnostics));
    Result<Simulation> s = set_up(read.value, io::load_shape);
    SCREE_KEEPS(s && !s->fault);
    for (int k = 0; k < 100; ++k) step(*s);
    SCREE_KEEPS(!s->fault);
    const std::uint64_t hash = state_hash(*s);
    return Base{read.value, std::move(*s), hash};
  }();
  return made;
}

/// What was accepted goes on, and a checkpoint of it too.
void goes_on(Simulation s, const Case& c) {
  const auto file = io::write_checkpoint(scratch() / "checkpoint", s, {}, c);
  SCREE_KEEPS(file);
  Result<io::Resumed> again = io::read_checkpoint(*file, c, io::load_shape);
  if (!again) std::cerr << again.error().message << "\n";
  SCREE_KEEPS(again);
  for (int k = 0; k < 3 && !s.fault; ++k) {
    step(s), step(again->state);
    SCREE_KEEPS(s.fault.has_value() == again->state.fault.has_value());
  }
  if (!s.fault) SCREE_KEEPS(state_hash(s) == state_hash(again->state));
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      "{}",
      "gravity: [0, 1 m/s^2, -9 m/s^2]\ndamping: {global: 2 1/s}\n",
      "move: {box.x_max: {velocity: [-1 cm/s, 0, 0]}, drum: {rotation: {axis: [0, 0, 1], through: [0.1, 0.1, 0], rate: "
      "30 rev/min}}}",
      "move: {box: {servo: {stress: 1 kPa, max_velocity: 0.1}}}",
      "move: {box.z_max: {free: {mass: 1 kg, force: 10 N, damping: 1 kg/s}}, drum: {oscillation: {amplitude: [0, 0, 1 "
      "mm], frequency: 50 Hz}}}",
      "insert:\n  - {shapes: tetrahedron, size: 1 cm, material: rock, place: {at: [[0.15, 0.15, 0.15]]}, velocity: [0, "
      "0, -1]}\n  - {cluster: cube, count: 1, material: rock, place: {at: [[0.15, 0.05, 0.2]]}}\n",
      "insert: [{shapes: [cube, sphere], size: {uniform: [8 mm, 12 mm]}, count: 5, material: rock, place: {random: "
      "{inside: "
      "{box: {min: [0.02, 0.02, 0.22], max: [0.18, 0.18, 0.28]}}}}}]",
      "remove: [drum, box.z_min]\ncut_above: 5 mm\nclose: [feed, hole]\nopen: hole\n"};
}

bool take(std::string_view input) {
  const Base& b = base();
  const io::ReadChanges read = io::read_changes(std::string(input), b.c, b.s);
  for (const Diagnostic& d : read.diagnostics) keeps_legible(format(d));
  if (has_errors(read.diagnostics)) return false;
  std::uint64_t grains = 0;
  for (const Case::Group& g : read.value.insert) grains += b.c.particles_of(g);
  if (grains > kMostGrains) return false;
  Simulation s = b.s;
  if (const Status made = change(s, b.c, read.value, {}, io::load_shape); !made) {
    keeps_legible(made.error().message);
    SCREE_KEEPS(state_hash(s) == b.hash);
    return false;
  }
  goes_on(std::move(s), b.c);
  return true;
}

}  // namespace scree::fuzz
