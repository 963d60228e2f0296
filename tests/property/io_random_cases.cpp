// Random valid cases, with words, units and bounds from the table of keys, from their text to their hash: read without
// mistakes, run with the invariants of every phase and without a fault; a run that was saved and resumed, one on two
// threads and one with another neighbour search and order in memory end with the same bits. SCREE_CASES: how many,
// SCREE_SEED: others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.h"
#include "exec/parallel.h"
#include "io/case/key.h"
#include "io/case/read_case.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"
#include "sim/invariants.h"
#include "sim/row_order.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// Writes one case: grains of 8 to 16 mm in a box of about ten of them, hard enough that no fault is due.
class Writer {
 public:
  explicit Writer(std::uint64_t seed, std::uint64_t number) : r_(seed, number) {}

  std::string operator()() {
    choose();
    out_ << "seed: " << 1 + r_.below(1000) << "\ndimensions: " << (planar_ ? 2 : 3) << "\n";
    if (planar_ && chance(0.5)) out_ << "thickness: 2 cm\n";
    if (chance(0.3))
      out_ << "gravity: " << vec(r_.uniform(-5, 5), planar_ ? -9 : r_.uniform(-5, 5), -8, "m/s^2") << "\n";
    if (periodic_x_ || periodic_y_) {
      out_ << "periodic: {";
      if (periodic_x_) out_ << "x: [0, 10 cm]";
      if (periodic_y_) out_ << (periodic_x_ ? ", " : "") << "y: [0, 10 cm]";
      out_ << "}\n";
    }
    materials();
    contacts();
    clusters();
    detection();
    walls();
    particles();
    outlets();
    measure();
    stages();
    if (chance(0.3)) out_ << "time_step: {fraction: " << value("time_step.fraction", 0.05, 0.2) << "}\n";
    if (chance(0.5))
      out_ << "output: {every: 1 ms, checkpoint: 2 ms, contacts: " << (chance(0.5) ? "true" : "false") << "}\n";
    return out_.str();
  }

 private:
  bool chance(double p) { return r_.uniform() < p; }
  std::string one(std::initializer_list<const char*> of) { return of.begin()[r_.below(of.size())]; }
  static const Key& key(const char* path) {
    for (const Key& k : case_keys())
      if (k.path == path) return k;
    ADD_FAILURE() << "no key " << path;
    std::abort();
  }
  /// One of the words that the table of keys has for it.
  std::string word(const char* path) {
    const std::vector<std::string>& words = key(path).forms.front().words;
    return words[r_.below(words.size())];
  }
  /// A number that the key takes, between two (SI): bare, or with the unit of the table.
  std::string value(const char* path, double low, double high) {
    const Form& f = key(path).forms.back();
    EXPECT_TRUE(f.range.holds(low) && f.range.holds(high)) << path;
    const std::string v = exact(r_.uniform(low, high));
    return f.kind == Form::Kind::quantity && chance(0.7) ? v + " " + f.dimension.unit : v;
  }
  /// In two dimensions without its z.
  std::string vec(double x, double y, double z, const char* unit) const {
    std::ostringstream t;
    t << "[" << x << " " << unit << ", " << y << " " << unit << ", " << (planar_ ? 0 : z) << " " << unit << "]";
    return t.str();
  }

  void choose() {
    planar_ = chance(0.25);
    periodic_x_ = chance(0.3), periodic_y_ = !planar_ && chance(0.25);
    energy_ = !planar_ && chance(0.15);
    clustered_ = !planar_ && !energy_ && chance(0.2);
    has_drum_ = !planar_ && !periodic_x_ && !periodic_y_ && chance(0.4);
    materials_ = energy_ || chance(0.6) ? 1 : 2;
    // Round bodies alone, with edges alone, both with clumps.
    bodies_ = energy_ ? 1 : static_cast<int>(r_.below(3));
    zone_ = !planar_ && !energy_ && chance(0.3);
  }

  void materials() {
    out_ << "materials:\n";
    for (int m = 0; m < materials_; ++m)
      out_ << "  m" << m << ": {density: " << value("materials.*.density", 1500, 4000)
           << ", young_modulus: 20 MPa, poisson_ratio: " << value("materials.*.poisson_ratio", 0.1, 0.4)
           << ", restitution: " << value("materials.*.restitution", 0.2, 1) << "}\n";
  }

  void law() {
    const bool jkr = bodies_ == 0 && !planar_ && !clustered_ && !has_drum_ && chance(0.15);
    const std::string friction = chance(0.5) ? "friction: " + value("contacts[].friction", 0, 1)
                                             : "friction_angle: " + value("contacts[].friction_angle", 0, 0.8);
    const std::string name = energy_   ? "energy"
                             : jkr     ? "hertz_mindlin"
                             : planar_ ? one({"bloks3d", "linear"})
                                       : one({"bloks3d", "linear", "hertz_mindlin"});
    out_ << "law: " << name << ", " << friction;
    if (name == "bloks3d") {
      out_ << ", kn: " << value("contacts[].kn", 5e4, 2e5) << ", ks: " << value("contacts[].ks", 3e4, 5e4);
      if (chance(0.5)) out_ << ", knn: 1e5 kN/m^3, exponent: 3";
      if (chance(0.7))
        out_ << ", damping: {ratio: " << value("contacts[].damping.ratio", 0, 0.2) << ", sliding: 0.05, sticking: 0.8}";
    } else if (name == "linear") {
      out_ << ", kn: " << value("contacts[].kn", 5e4, 2e5);
      if (chance(0.5)) out_ << (chance(0.5) ? ", kt_over_kn: 0.5" : ", kt: 30 kN/m");
      out_ << (chance(0.5) ? ", restitution: 0.6" : ", damping_ratio: 0.2");
      if (chance(0.3)) out_ << ", tension: " << word("contacts[].tension");
    } else if (name == "hertz_mindlin") {
      if (chance(0.5)) out_ << ", restitution: " << value("contacts[].restitution", 0.1, 1);
    } else {
      out_ << ", pressure: 50 MPa, kt: 30 kN/m";
      if (chance(0.5)) out_ << ", damping_ratio: 0.2";
    }
    if (chance(0.3))
      out_ << ", rolling: {model: " << word("contacts[].rolling.model")
           << ", friction: " << value("contacts[].rolling.friction", 0, 0.3)
           << (!planar_ && chance(0.5) ? ", twisting: 0.05" : "") << "}";
    if (jkr || (chance(0.15) && !planar_))
      out_ << ", cohesion: {model: " << (jkr ? "jkr" : "dmt")
           << ", work_of_adhesion: " << value("contacts[].cohesion.work_of_adhesion", 0.01, 0.2) << "}";
  }
  void contacts() {
    out_ << "contacts:\n";
    for (int a = 0; a < materials_; ++a)
      for (int b = a; b < materials_; ++b) {
        out_ << "  - {between: [m" << a << ", m" << b << "], ";
        law();
        out_ << "}\n";
      }
  }

  void clusters() {
    if (!clustered_) return;
    out_ << "bonds:\n  glue: {" << (chance(0.5) ? "modulus: 100 MPa, kn_over_ks: 2" : "kn: 10 GN/m^3, ks: 5 GN/m^3")
         << ", damping: 0.1"
         << (chance(0.6) ? ", normal_strength: 20 kPa, shear_strength: 20 kPa" + one({"", ", scatter: 4"}) : "")
         << ", contact: kept}\n";
    out_ << "clusters:\n  lump: {"
         << one({"cube: {edge: 2, sphere_radius: 3 mm}", "packed_sphere: {radius: 8 mm, sphere_radius: 2.5 mm}",
                 "tablet: {radius: 8 mm, thickness: 8 mm, sphere_radius: 2.5 mm}",
                 "filling: {shape: cube, size: 14 mm, sphere_radius: 2.5 mm}"})
         << ", bonds: glue}\n";
  }

  void detection() {
    out_ << "detection: {neighbours: " << word("detection.neighbours")
         << ", memory_order: " << word("detection.memory_order")
         << ", skin: " << one({"auto", "auto", "1 mm", "0.1 mm"});
    if (bodies_ == 1)
      out_ << ", common_plane: "
           << (planar_ ? one({"auto", "separating_axis", "fast", "common_plane"}) : word("detection.common_plane"));
    if (zone_) out_ << ", contact_geometry: contact_zone, points: " << word("detection.points");
    out_ << "}\n";
  }

  void walls() {
    const std::string up = planar_ ? "y" : "z";
    out_ << "walls:\n  box:\n    box: {min: " << vec(0, 0, 0, "cm") << ", max: " << vec(10, 10, 12, "cm")
         << ", open: [";
    if (periodic_x_) out_ << "x_min, x_max, ";
    if (periodic_y_) out_ << "y_min, y_max, ";
    out_ << up << "_max]}\n    material: m0\n";
    if (chance(0.2)) out_ << "    oscillation: {amplitude: " << vec(0, 0.2, 0.5, "mm") << ", frequency: 50 Hz}\n";
    if (chance(0.2)) out_ << "    surface_velocity: " << vec(0.2, 0, 0, "m/s") << "\n";
    has_lid_ = chance(0.4);
    if (has_lid_) {
      out_ << "  lid:\n    plane: {point: " << vec(0, 11, 11, "cm")
           << ", normal: " << (planar_ ? "[0, -1, 0]" : "[0, 0, -1]") << "}\n    material: m" << materials_ - 1 << "\n";
      out_ << one({"    velocity: VEC\n", "    free: {mass: 0.5 kg, force: 5 N}\n",
                   "    servo: {force: 20 N, max_velocity: 0.2 m/s}\n",
                   "    free: {mass: 1 kg, stress: 1 kPa, area: 100 cm^2}\n"});
    }
    if (has_drum_)
      out_ << "  drum:\n    "
           << one({"cylinder: {from: [5 cm, 5 cm, 0], to: [5 cm, 5 cm, 12 cm], radius: 5 cm}",
                   "cone: {from: [5 cm, 5 cm, 0], to: [5 cm, 5 cm, 12 cm], radius_from: 4.6 cm, radius_to: 5 cm}"})
           << "\n    material: m0\n"
           << (chance(0.5) ? "    rotation: {axis: [0, 0, 1], through: [5 cm, 5 cm, 0], rate: 60 rev/min}\n" : "");
    std::string text = out_.str();
    if (const std::size_t at = text.find("VEC"); at != std::string::npos)
      text.replace(at, 3, vec(0, -0.2, -0.2, "m/s"));
    out_.str(text), out_.seekp(0, std::ios::end);
  }

  std::string shapes() {
    if (planar_)
      return bodies_ == 0   ? "disc"
             : bodies_ == 1 ? one({"square", "[triangle, hexagon]", "pentagon"})
                            : "[disc, square, octagon]";
    if (bodies_ == 0) return "sphere";
    if (bodies_ == 1) return one({"cube", "tetrahedron", "[grain14, pyramid]", "[plate, needle]", "dodecahedron"});
    return one({"[sphere, cube]", "dumbbell", "[tetrapod, sphere]", "[angle, cube]", "[dumbbell, octahedron, sphere]"});
  }
  std::string size() {
    return one({"10 mm", "{uniform: [8 mm, 12 mm]}", "{values: {sizes: [6 mm, 12 mm], shares: [3, 1]}}",
                "{sieve: {openings: [6 mm, 9 mm, 12 mm], passing: [0, 0.4, 1]}}"});
  }
  std::string region(double low, double high) {
    std::ostringstream t;
    if (has_drum_)
      t << "{cylinder: {from: [5 cm, 5 cm, " << low << " cm], to: [5 cm, 5 cm, " << high << " cm], radius: 4.5 cm}}";
    else
      t << "{box: {min: " << vec(0.1, low, low, "cm") << ", max: " << vec(9.9, planar_ ? high : 9.9, high, "cm")
        << "}}";
    return t.str();
  }
  void group(const std::string& name, double low, double high, bool pours, const char* indent) {
    const bool cluster = clustered_ && !pours && chance(0.7);
    out_ << indent << "- {name: " << name << ", "
         << (cluster ? "cluster: lump" : "shapes: " + shapes() + ", size: " + size()) << ", material: m"
         << r_.below(static_cast<std::uint64_t>(materials_))
         << ", velocity: " << vec(r_.uniform(-1, 1), r_.uniform(-1, 1), r_.uniform(-1.5, 0), "m/s");
    if (chance(0.3) && !planar_) out_ << ", angular_velocity: " << vec(20, -10, 5, "rad/s");
    const std::uint64_t n = cluster ? 2 + r_.below(4) : 5 + r_.below(planar_ ? 4 : name == "late" ? 8 : 26);
    if (pours)
      out_ << ", count: " << n << ", place: {pour: {inside: " << region(low, high)
           << ", number_rate: " << 1 + r_.below(20) << " kHz}}";
    else if (!has_drum_ && low < 1 && chance(0.5))
      out_ << ", count: " << n << ", place: {lattice: {inside: {min: " << vec(0.2, low, low, "cm")
           << ", max: " << vec(9.8, planar_ ? high : 9.8, high, "cm") << "}}}";
    else
      out_ << ", count: " << (planar_ ? n / 2 + 1 : n) << ", place: {random: {inside: " << region(low, high) << "}}";
    out_ << "}\n";
  }
  void particles() {
    out_ << "particles:\n";
    group("first", 0.1, 5.5, false, "  ");
    if (chance(0.3)) group("second", 5.6, 9.5, false, "  ");
    has_pour_ = chance(0.25);
    if (has_pour_) group("poured", 5.6, 10, true, "  ");
  }

  void outlets() {
    has_outlet_ = chance(0.25);
    if (has_outlet_)
      out_ << "outlets:\n  drain: {inside: " << region(0.1, 1.5) << ", open: " << one({"true", "false"}) << "}\n";
  }
  void measure() {
    if (!chance(0.4)) return;
    out_ << "measure:\n  z: {coordination: {}}\n  f: {flow: {point: " << vec(5, 3, 3, "cm")
         << ", normal: [1, 0, 0]}}\n";
  }

  void stages() {
    out_ << "stages:\n";
    const std::uint64_t n = 1 + r_.below(3);
    for (std::uint64_t k = 0; k < n; ++k) {
      out_ << "  - duration: " << (k + 1 == n ? 50 : r_.uniform(0.1, 1)) << " ms\n";
      if (chance(0.2)) out_ << "    until: {kinetic_energy_below: 1 mJ}\n";
      if (k == 0) continue;
      if (chance(0.3)) out_ << "    gravity: " << vec(3, -9, -9, "m/s^2") << "\n";
      if (chance(0.3)) out_ << "    friction: [{between: [any, any], friction: 0.1}]\n";
      if (chance(0.2)) out_ << "    cut_above: 6 cm\n";
      if (has_lid_ && chance(0.3))
        out_ << "    remove: lid\n", has_lid_ = false;
      else if (chance(0.3))
        out_ << "    move: {box: {velocity: " << vec(0.1, 0.05, 0.05, "m/s") << "}}\n";
      if (has_outlet_ && chance(0.5))
        out_ << "    " << one({"open", "close"}) << ": drain\n";
      else if (has_pour_ && chance(0.5))
        out_ << "    close: poured\n";
      if (k == 1 && chance(0.3)) out_ << "    insert:\n", group("late", 6, 10, false, "      ");
    }
  }

  Random r_;
  std::ostringstream out_;
  bool planar_ = false, periodic_x_ = false, periodic_y_ = false, energy_ = false, clustered_ = false, zone_ = false;
  bool has_lid_ = false, has_drum_ = false, has_pour_ = false, has_outlet_ = false;
  int materials_ = 1, bodies_ = 0;
};

constexpr std::uint64_t kSteps = 1500;

/// What a run has been through, so that cases without contacts do not pass for tests.
struct Seen {
  std::uint64_t contacts = 0, wall_contacts = 0, bonds = 0, broken = 0, stages = 0, rebuilds = 0, periodic = 0,
                planar = 0;
};

struct Touched {
  bool bodies = false, walls = false;
};

/// Whether random places ran out: no mistake of the engine, and no case.
bool is_crowded(const std::string& wrong) { return wrong.find("found a place without overlap") != std::string::npos; }

/// Steps until `end`; what went wrong as a sentence.
std::string run_to(Simulation& s, const Case& c, std::uint64_t end, bool with_a_look, Touched* touched = nullptr) {
  while (s.step < end) {
    for (;;) {
      std::optional<Totals> t;
      if (s.step % 10 == 0 && s.time > s.stage_started) t = totals(s);
      if (!stage_is_over(s, c, t ? &*t : nullptr)) break;
      const Result<bool> begun = begin_next_stage(s, c, load_shape);
      if (!begun) return "stage: " + begun.error().message;
      if (!*begun) return {};
    }
    if (with_a_look) {
      if (std::string wrong = step_and_check(s); !wrong.empty()) return wrong;
    } else {
      step(s);
    }
    if (touched && s.contacts.size() > 0) touched->bodies = true;
    if (touched && s.wall_contacts.size() > 0) touched->walls = true;
    if (s.fault) return "fault: " + s.fault->message;
  }
  return {};
}

struct Threads {
  explicit Threads(int n) { exec::set_threads(n); }
  ~Threads() { exec::set_threads(1); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
};

class RandomCases : public testing::Test {
 protected:
  void SetUp() override { exec::set_threads(1), fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string hold(const std::string& text, Seen& seen) const {
    const ReadCase read = read_case_text(text, (folder_ / "case.yaml").string());
    if (!read.diagnostics.empty()) return format(read.diagnostics[0]);
    const Case& c = read.value;
    Result<Simulation> built = set_up(c, load_shape);
    if (!built) return "set-up: " + built.error().message;
    const Simulation start = *built;
    Simulation& s = *built;

    Touched touched;
    if (std::string wrong = run_to(s, c, kSteps / 2, true, &touched); !wrong.empty()) return wrong;
    const auto saved = write_checkpoint(folder_, s, {}, c);
    if (!saved) return "checkpoint: " + saved.error().message;
    if (std::string wrong = run_to(s, c, kSteps, true, &touched); !wrong.empty()) return wrong;
    const std::uint64_t hash = state_hash(s);
    look_at(s, c, touched, seen);

    Result<Resumed> resumed = read_checkpoint(*saved, c, load_shape);
    if (!resumed) return "resume: " + resumed.error().message;
    if (std::string wrong = run_to(resumed->state, c, kSteps, true); !wrong.empty()) return "resumed: " + wrong;
    if (state_hash(resumed->state) != hash) return "the resumed run ends with other bits";
    fs::remove(*saved);

    Simulation on_two = start;
    {
      const Threads two(2);
      if (std::string wrong = run_to(on_two, c, kSteps, false); !wrong.empty()) return "two threads: " + wrong;
    }
    if (state_hash(on_two) != hash) return "two threads end with other bits";

    Simulation other = start;
    const bool by_id = c.detection.memory_order == Case::MemoryOrder::id;
    other.detection.memory_order = by_id ? Case::MemoryOrder::spatial : Case::MemoryOrder::id;
    other.detection.neighbours = c.detection.neighbours == neighbour::Method::brute_force
                                     ? neighbour::Method::automatic
                                     : neighbour::Method::brute_force;
    // So few grains are never put into spatial order by themselves.
    for (const std::uint64_t end : {kSteps / 3, kSteps}) {
      put_rows(other, spatial_order(other)), bond::find_rows(other.bonds, other.particles), other.scratch.reset();
      if (std::string wrong = run_to(other, c, end, true); !wrong.empty()) return "other search: " + wrong;
    }
    if (state_hash(other) != hash) return "another search and order in memory end with other bits";
    return {};
  }

  static void look_at(const Simulation& s, const Case& c, Touched touched, Seen& seen) {
    seen.contacts += touched.bodies ? 1 : 0, seen.wall_contacts += touched.walls ? 1 : 0;
    seen.bonds += s.bonds.size() > 0 ? 1 : 0, seen.broken += s.bonds_broken > 0 ? 1 : 0;
    seen.stages += s.stage > 0 ? 1 : 0, seen.rebuilds += s.counters.rebuilds > 2 ? 1 : 0;
    seen.periodic += s.particles.domain.any() ? 1 : 0, seen.planar += c.dimensions == 2 ? 1 : 0;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("scree_random_cases_" + std::to_string(::getpid()));
};

TEST_F(RandomCases, RunWithoutBreachOrFaultAndWithTheSameBitsHoweverTheyAreRun) {
  const std::uint64_t cases = from_environment("SCREE_CASES", 40), seed = from_environment("SCREE_SEED", 1);
  Seen seen;
  std::uint64_t failures = 0, crowded = 0;
  for (std::uint64_t i = 0; i < cases && failures < 10; ++i) {
    const std::string text = Writer(seed, i)();
    const std::string wrong = hold(text, seen);
    if (is_crowded(wrong)) ++crowded;
    if (wrong.empty() || is_crowded(wrong)) continue;
    ++failures;
    ADD_FAILURE() << "case " << i << " of seed " << seed << ": " << wrong << "\n" << text;
  }
  std::printf(
      "of %lu: too crowded to begin %lu, contacts %lu, with walls %lu, bonds %lu, broken %lu, later stages %lu, new "
      "pairs %lu, periodic %lu, "
      "planar %lu\n",
      cases, crowded, seen.contacts, seen.wall_contacts, seen.bonds, seen.broken, seen.stages, seen.rebuilds,
      seen.periodic, seen.planar);
  if (cases < 40) return;
  EXPECT_LT(crowded, cases / 8) << "what is not run shows nothing";
  EXPECT_GT(seen.contacts, cases / 3);
  EXPECT_GT(seen.wall_contacts, cases / 3);
  EXPECT_GT(seen.stages, cases / 8);
  EXPECT_GT(seen.rebuilds, cases / 8);
}

}  // namespace
}  // namespace scree::io
