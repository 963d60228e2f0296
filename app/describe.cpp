#include "app/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "app/estimate.h"

namespace scree::app {

namespace {

bool colours() {
  const char* no = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) != 0 && (no == nullptr || *no == '\0');
}

std::string stage_text(const Case::Stage& s) {
  std::vector<std::string> does;
  if (s.duration) does.push_back(metric(*s.duration, "s"));
  if (s.kinetic_energy_below)
    does.push_back(fmt::format("until a grain has {} on average", metric(*s.kinetic_energy_below, "J")));
  if (!s.remove.empty()) does.push_back(fmt::format("removes {}", fmt::join(s.remove, ", ")));
  for (const Case::Wall& w : s.add) does.push_back("adds " + w.name);
  if (s.gravity)
    does.push_back(fmt::format("gravity [{:g}, {:g}, {:g}] m/s^2", s.gravity->x, s.gravity->y, s.gravity->z));
  if (s.damping) does.push_back(fmt::format("global damping {:g} 1/s", s.damping->global));
  if (!s.friction.empty()) does.emplace_back("changes friction");
  for (const Case::Move& m : s.move) does.push_back("moves " + m.wall);
  if (s.cut_above) does.push_back("cuts above " + metric(s.cut_above->height, "m"));
  for (const Case::Group& g : s.insert)
    does.push_back(
        fmt::format("{} {} {}", std::holds_alternative<Case::Pour>(g.place) ? "pours" : "inserts", g.count, g.name));
  if (!s.open.empty()) does.push_back(fmt::format("opens {}", fmt::join(s.open, ", ")));
  if (!s.close.empty()) does.push_back(fmt::format("closes {}", fmt::join(s.close, ", ")));
  if (!s.measure.empty()) does.push_back(fmt::format("measures {}", fmt::join(s.measure, ", ")));
  return fmt::format("{}: {}", s.name, fmt::join(does, ", "));
}

/// Size and holes: a wrong scale and a crack show here.
std::string mesh_text(const Case::Wall& w) {
  const FacetMesh& m = *w.mesh;
  const Vec3 size = m.high() - m.low();
  const Defects d = find_defects(m.surface());
  const std::size_t triangles = m.surface().triangles.size();
  return fmt::format("{}: {} triangles{}, {} facets, {} x {} x {}, {}", w.name, triangles,
                     w.drawn_triangles > triangles ? fmt::format(" in place of {}", w.drawn_triangles) : "", m.size(),
                     metric(size.x, "m"), metric(size.y, "m"), metric(size.z, "m"),
                     d.open_edges == 0 ? "closed" : fmt::format("open at {} edges", d.open_edges));
}

}  // namespace

void print_diagnostics(const std::vector<Diagnostic>& list) {
  const bool colour = colours();
  for (const Diagnostic& d : list) {
    const std::string line = format(d);
    if (!colour) {
      fmt::print(stderr, "{}\n", line);
      continue;
    }
    const std::size_t place = d.file.size() + (d.line > 0 ? fmt::format(":{}:{}", d.line, d.column).size() : 0);
    const char* const tone = d.severity == Diagnostic::Severity::warning ? "\033[33m" : "";
    fmt::print(stderr, "\033[1m{}\033[0m{}{}\033[0m\n", line.substr(0, place), tone, line.substr(place));
  }
}

std::string search_text(const Simulation& s) {
  const neighbour::Choice c = search_choice(s);
  std::string text = fmt::format("{} ({})", neighbour::name(c.method), c.why);
  if (s.counters.search_bytes > 0) text += ", " + metric(static_cast<double>(s.counters.search_bytes), "B");
  return text;
}

void print_row(const std::string& name, const std::string& value) { fmt::print("  {:<14} {}\n", name, value); }

void print_walls_and_stages(const Case& c) {
  std::vector<std::string> walls;
  for (const Case::Wall& w : c.walls) walls.push_back(w.name);
  fmt::print("  {:<14} {}\n", "walls", walls.empty() ? "none" : fmt::format("{}", fmt::join(walls, ", ")));
  for (const Case::Wall& w : c.walls)
    if (w.mesh) fmt::print("  {:<14} {}\n", "", mesh_text(w));
  std::vector<std::string> inlets, outlets, measures;
  for (const Case::Group& g : c.particles)
    if (std::holds_alternative<Case::Pour>(g.place)) inlets.push_back(fmt::format("{} ({})", g.name, g.count));
  for (const Case::Outlet& o : c.outlets) outlets.push_back(o.name);
  for (const Case::Measure& m : c.measures) measures.push_back(m.name);
  for (const auto& [what, names] : {std::pair("inlets", inlets), {"outlets", outlets}, {"measurements", measures}})
    if (!names.empty()) fmt::print("  {:<14} {}\n", what, fmt::join(names, ", "));
  for (std::size_t i = 0; i < c.stages.size(); ++i)
    fmt::print("  {:<14} {}\n", i == 0 ? "stages" : "", stage_text(c.stages[i]));
}

}  // namespace scree::app
