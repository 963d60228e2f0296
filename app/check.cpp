#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "app/commands.h"
#include "app/describe.h"
#include "app/estimate.h"
#include "app/memory_model.h"
#include "app/progress.h"
#include "app/reading.h"
#include "app/spread_model.h"
#include "io/case/set_up_mistake.h"
#include "io/library/library.h"
#include "io/library/materials.h"
#include "io/text/duration_text.h"

namespace scree::app {

namespace {

std::string size_range(const std::vector<double>& sizes) {
  const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
  return *low == *high ? metric(*low, "m") : fmt::format("{} to {}", metric(*low, "m"), metric(*high, "m"));
}

void print_grains(const Simulation& s) {
  const Particles& p = s.particles;
  std::map<std::uint32_t, std::size_t> of_shape;
  double mass = 0, volume = 0;
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    ++of_shape[p.shape[i]];
    mass += p.mass[i];
    volume += p.mass[i] / s.materials[p.material[i]].density;
  }
  print_row("particles", fmt::format("{}", p.size_rows()));
  if (p.size_rows() == 0) return;
  for (const auto& [shape, n] : of_shape) print_row("", fmt::format("{:>8} {}", n, s.shapes[shape]->name));
  print_row("sizes", size_range(p.size));
  print_row("mass", fmt::format("{:.4g} kg, solid volume {:.4g} m^3", mass, volume));
}

/// "nu 0.3 (in place of the library's 0.25)"; empty: none is known.
std::string taken(const std::string& what, const io::MaterialValue* of, double v) {
  if (v == 0) return {};
  if (of == nullptr) return ", " + what + " (not of the library)";
  return ", " + what + (of->si == v ? std::string() : fmt::format(" (in place of the library's {})", of->text));
}

/// What comes from the library, and what the case gives in its place.
void print_library_materials(const Case& c) {
  const Result<io::Units> units = io::Units::load();
  bool is_first = true;
  const bool elastic = std::ranges::any_of(c.contacts, [](const auto& k) { return traits_of(k.law).elastic; });
  for (const Case::Material& m : c.materials) {
    if (m.from.empty() || !units) continue;
    const Result<io::LibraryMaterial> entry = io::load_material(m.from, *units);
    if (!entry) continue;
    const auto of = entry->values();
    std::string text = m.name + ": " + m.from + taken(fmt::format("{:g} kg/m^3", m.density), of[0].value, m.density);
    if (elastic) {
      text += taken("E " + metric(m.young_modulus, "Pa"), of[1].value, m.young_modulus) +
              taken(fmt::format("nu {:g}", m.poisson_ratio), of[2].value, m.poisson_ratio) +
              taken(fmt::format("restitution {:g}", m.restitution), of[3].value, m.restitution);
    } else {
      text += "; no law of the case takes more of it";
    }
    print_row(is_first ? "from library" : "", text);
    is_first = false;
  }
}

/// Of the first stage; stages tell of their own.
void print_damping(const Simulation& s) {
  if (!(s.damping > 0)) return;
  const double g = norm(s.gravity);
  print_row("damping",
            fmt::format("global, {:.3g} 1/s: motion halves in {}{}", s.damping, metric(std::log(2) / s.damping, "s"),
                        g > 0 ? fmt::format(", a fall ends at {}", metric(g / s.damping, "m/s")) : ""));
}

void print_cost(const Simulation& s, const Estimate& e) {
  print_damping(s);
  print_row("time step", e.critical_time_step > 0
                             ? fmt::format("{}, {:.2g} of the critical {}", metric(s.dt, "s"),
                                           s.dt / e.critical_time_step, metric(e.critical_time_step, "s"))
                             : metric(s.dt, "s"));
  if (s.particles.size_rows() > 0)
    print_row("overlap", fmt::format("about {:.2g} % of a grain's size at rest, {:.2g} % at the hardest impact ({}{})",
                                     100 * e.overlap_at_rest, 100 * e.overlap_at_impact, metric(e.impact_speed, "m/s"),
                                     e.impact_wall.empty() ? std::string()
                                                           : fmt::format(" against the moving '{}'", e.impact_wall)));
  if (e.duration)
    print_row("duration", fmt::format("{}{}, about {} steps and {} frames", e.may_end_earlier ? "at most " : "",
                                      metric(*e.duration, "s"), count_text(e.steps), count_text(std::ceil(e.frames))));
  print_row("run time", fmt::format("{}{} on one core", e.seconds > 1e9 ? "" : "about ", io::duration_text(e.seconds)));
  print_row("neighbours", search_text(s));
  print_row("memory", fmt::format("about {}, {} of it the state", metric(e.bytes, "B"), metric(e.bytes_of_state, "B")));
}

void print_spread(const Simulation& s, const Estimate& e, int ranks, int threads) {
  constexpr double kFewest = 2000;  // grains a core
  const double grains = std::max(1.0, e.grains);
  if (ranks > grains) {
    print_row("ranks", fmt::format("{} for {:.0f} grains: most would have none; some {:.0f} grains a core keep it busy",
                                   ranks, grains, kFewest));
    return;
  }
  const BorderCounts border = e.share_round > 0.5 ? kRoundBorder : kAngularBorder;
  const SpreadModel m = spread_model(grains, ranks, threads, s.dimensions, border);
  const double share = kBytesOfProgram + (e.bytes - kBytesOfProgram) * (m.grains + m.copies) / grains;
  print_row("ranks", fmt::format("{} of {} thread{}: about {:.0f} grains and {:.0f} copies of others' each, {}", ranks,
                                 threads, threads == 1 ? "" : "s", m.grains, m.copies, metric(share, "B")));
  if (ranks > 1) print_row("", fmt::format("{} the first one, which sets up and writes", metric(e.bytes, "B")));
  print_row("", fmt::format("{:.1f} % of the work done twice, {} sent in a step by a rank", 100 * m.twice,
                            metric(m.bytes, "B")));
  print_row("", fmt::format("about {:.0f} % of the speed of {} cores, {} for the run (a model, with 2 us and 10 GB/s)",
                            100 * m.efficiency, ranks * threads,
                            io::duration_text(e.seconds / (ranks * threads * m.efficiency))));
  if (m.grains / threads < kFewest)
    print_row("", fmt::format("less than {:.0f} grains a core: fewer ranks or threads take about as long", kFewest));
}

int check(const std::string& file, const std::vector<std::string>& overrides, int ranks, int threads) {
  const io::ReadCase read = read_case("check", file, overrides);
  print_diagnostics(read.diagnostics);
  if (has_errors(read.diagnostics)) {
    const auto n = std::count_if(read.diagnostics.begin(), read.diagnostics.end(),
                                 [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
    fmt::print(stderr, "{}: {} mistake{}\n", file, n, n == 1 ? "" : "s");
    return kBadInput;
  }
  const Case& c = read.value;
  const ShapeSource shapes = [](const std::string& name) { return io::load_shape(name); };
  if (const std::string notice = set_up_notice(c, shapes); !notice.empty())
    fmt::print(stderr, "scree check: {}\n", notice);
  const Result<Simulation> s = set_up(c, shapes);
  if (!s) {
    print_diagnostics({io::set_up_mistake(c, overrides, s.error())});
    return kBadInput;
  }
  const Estimate e = estimate(*s, c);
  fmt::print("{}{}{}\n", file, c.title.empty() ? "" : ": ", c.title);
  print_grains(*s);
  print_library_materials(c);
  print_laws(*s, grains_to_come(*s));
  print_walls_and_stages(c);
  print_cost(*s, e);
  if (ranks > 0) print_spread(*s, e, ranks, threads);
  std::vector<Diagnostic> warnings;
  for (const std::string& w : e.warnings) warnings.push_back({Diagnostic::Severity::warning, file, 0, 0, {}, w});
  std::fflush(stdout);
  print_diagnostics(warnings);
  fmt::print("no mistakes\n");
  return kDone;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  struct Options {
    std::string file;
    std::vector<std::string> set;
    int ranks = 0, threads = 1;
  };
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("check", "Say everything about a case that can be known without running it");
  c->add_option("CASE", o->file, "Case file (YAML)")->required()->type_name("FILE");
  c->add_option("--set", o->set, "Change a key of the case, as in \"output.every=5 ms\"; can be given again")
      ->allow_extra_args(false);
  CLI::Option* ranks =
      c->add_option("--ranks", o->ranks, "Foretell a run on so many processes, as mpirun -n starts them")
          ->check(CLI::Range(1, 1000000));
  c->add_option("--threads", o->threads, "With --ranks: threads of each (1)")->check(CLI::Range(1, 4096))->needs(ranks);
  c->footer(
      "Examples:\n  scree check examples/box_fill.yaml\n"
      "  scree check examples/box_fill.yaml --set \"particles[0].count=100\" --set \"contacts[0].kn=1 MN/m\"\n"
      "Exit code: 0 the case is right, 2 it has mistakes.");
  c->callback([o, &exit_code] { exit_code = check(o->file, o->set, o->ranks, o->threads); });
}

}  // namespace scree::app
