// Figures 6 to 9 of Zhao et al. 2006, section 3.2.1. The paper's packings, size distributions and times are in its
// figures only; its text gives the numbers of grains, the shapes, the ratios and what was found.
#include "app/bench/zhao.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/bench/neighbours.h"
#include "app/bench/search.h"
#include "app/commands.h"
#include "io/library/library.h"
#include "scenes/sphere_sets.h"

namespace scree::app {

using neighbour::Method;
using scenes::Spheres;

namespace {

constexpr double kMargin = 0;  ///< the paper's lists are made anew in every step

constexpr const char* kClaimBox = "time falls, then rises with S/D50; best at about 1.5 for all four sets";
constexpr const char* kClaimShape = "time grows as the shape nears a sphere; best at about 1.5 for all shapes";
constexpr const char* kClaimRatio = "time is linear in N and hardly depends on the size ratio";
constexpr const char* kClaimSpeedUp =
    "NBS is faster for equal grains; at 1:12 the two-level search is about ten times faster from 10 000 grains on";

/// Bounding radius of a library shape over the radius of the sphere of its volume.
Result<double> bounding(const std::string& shape) {
  const auto s = io::load_shape(shape);
  if (!s) return s.error();
  return (*s)->body.outer_radius / std::cbrt(3 * (*s)->volume / (4 * M_PI));
}

Result<std::vector<double>> bounding(const std::vector<std::string>& shapes) {
  std::vector<double> out;
  for (const std::string& s : shapes) {
    const Result<double> b = bounding(s);
    if (!b) return b.error();
    out.push_back(*b);
  }
  return out;
}

std::size_t block_size(bool quick) { return quick ? 600 : 3000; }

std::string milliseconds(const SearchRow& r) { return digits(1e3 * r.seconds); }

std::vector<Method> other_methods() {
  std::vector<Method> m = all_methods();
  std::erase(m, Method::brute_force);
  std::erase(m, Method::two_level);
  return m;
}

/// One bench: rows, lists that differ, tables.
struct Bench {
  bool quick;
  nlohmann::ordered_json out;
  std::vector<std::string> differing;

  Bench(const char* name, const char* claim, bool is_quick) : quick(is_quick), out(json_head(name, is_quick)) {
    out["claim"] = claim;
  }
  SearchPlan plan(std::vector<Method> methods) const {
    SearchPlan p{std::move(methods)};
    p.turns = quick ? 1 : 5, p.limit = quick ? 5 : 20;
    return p;
  }
  void take(std::vector<SearchRow>& rows, const nlohmann::ordered_json& more) {
    for (SearchRow& r : rows) {
      r.more.update(more);
      if (r.method == Method::two_level) r.more["S_over_D50"] = neighbour::TwoLevelSettings{}.box * r.cell;
      out["rows"].push_back(to_json(r));
    }
    for (std::string& d : disagreements(rows)) differing.push_back(std::move(d));
  }
  int finish(const std::string& json) const {
    if (differing.empty()) fmt::print("All lists of a set are identical.\n");
    return finish_bench(json, out, differing);
  }
};

/// Box sizes against sets: the two-level search by S/D50, the others at their own cells.
struct Sweep {
  std::vector<double> boxes;
  std::vector<std::vector<SearchRow>> columns;  ///< by set: a row per box size, then the others'

  explicit Sweep(bool quick)
      : boxes(quick ? std::vector<double>{1, 1.5, 3} : std::vector<double>{0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4}) {}

  void measure(Bench& bench, const Spheres& s, const nlohmann::ordered_json& more) {
    fmt::print(stderr, "{}, {} ...\n", s.name, s.x.size());
    SearchPlan plan = bench.plan({Method::two_level});
    plan.cells.clear();
    for (const double b : boxes) plan.cells.push_back(b / neighbour::TwoLevelSettings{}.box);
    SearchTimer timer;
    std::vector<SearchRow> rows = timer.time(s.name, s.bodies(), plan);
    for (SearchRow& r : timer.time(s.name, s.bodies(), bench.plan(other_methods()))) rows.push_back(std::move(r));
    bench.take(rows, more);
    columns.push_back(std::move(rows));
  }

  void print(const char* title) const {
    std::vector<std::string> first{"S/D50"};
    for (const auto& c : columns) first.push_back(fmt::format("{}, {}", c[0].set, c[0].n));
    fmt::print("{}\n\n", title);
    Table table(first);
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      std::vector<std::string> line{digits(boxes[b])};
      for (const auto& c : columns) line.push_back(milliseconds(c[b]));
      table.add(line);
    }
    std::vector<std::string> best{"best at"}, lost{"time at 1.5 over the best"}, pairs{"pairs per body"};
    for (const auto& c : columns) {
      std::size_t least = 0, own = 0;
      for (std::size_t b = 0; b < boxes.size(); ++b) {
        if (c[b].seconds < c[least].seconds) least = b;
        if (boxes[b] == neighbour::TwoLevelSettings{}.box) own = b;
      }
      best.push_back(digits(boxes[least]));
      lost.push_back(digits(c[own].seconds / c[least].seconds));
      pairs.push_back(digits(static_cast<double>(c[0].pairs) / static_cast<double>(c[0].n)));
    }
    table.add(best), table.add(lost);
    for (const Method m : other_methods()) {
      std::vector<std::string> line{std::string(name(m))};
      for (const auto& c : columns) line.push_back(cell(c, m, milliseconds));
      table.add(line);
    }
    table.add(pairs);
    table.print();
  }
};

/// Sets of Figs. 8 and 9.
struct Grid {
  scenes::Grading grading;
  std::vector<double> ratios;
  std::vector<std::size_t> counts;
  std::vector<std::vector<std::vector<SearchRow>>> rows;  ///< by ratio, by count

  Grid(scenes::Grading curve, bool quick)
      : grading(curve),
        ratios(quick ? std::vector<double>{1, 4} : std::vector<double>{1, 2, 4, 8, 12}),
        counts(quick ? std::vector<std::size_t>{500, 2000} : std::vector<std::size_t>{1000, 10000, 50000, 200000}) {}

  void measure(Bench& bench, const std::vector<Method>& methods, double around_cube) {
    for (const double ratio : ratios) {
      const bool linear = grading == scenes::Grading::linear;
      // More for the logarithmic curve, in which large grains are few.
      const scenes::Block block = scenes::graded_block(ratio, (linear ? 1 : 2) * block_size(bench.quick), grading);
      SearchTimer timer;
      rows.emplace_back();
      for (const std::size_t n : counts) {
        fmt::print(stderr, "cubes 1:{:g}, {} ...\n", ratio, n);
        Spheres s = scenes::grains_in_box(block, n, {around_cube});
        s.name = fmt::format("cubes 1:{:g}", ratio), s.margin = kMargin;
        SearchPlan plan = bench.plan(methods);
        if (!bench.quick) plan.turns = n <= 10000 ? 15 : 3;
        std::vector<SearchRow> found = timer.time(s.name, s.bodies(), plan);
        bench.take(found, {{"ratio", ratio}, {"shape", "cube"}, {"grading", linear ? "linear" : "logarithmic"}});
        rows.back().push_back(std::move(found));
      }
    }
  }

  void print(std::string title, const std::function<std::string(const std::vector<SearchRow>&)>& text) const {
    title += " (bounding spheres of cubes)";
    if (grading == scenes::Grading::logarithmic) title += ", logarithmic grading";
    fmt::print("{}\n\n", title);
    std::vector<std::string> first{"bodies"};
    for (const double ratio : ratios) first.push_back(fmt::format("1:{:g}", ratio));
    Table table(first);
    for (std::size_t c = 0; c < counts.size(); ++c) {
      std::vector<std::string> line{std::to_string(counts[c])};
      for (std::size_t r = 0; r < ratios.size(); ++r) line.push_back(text(rows[r][c]));
      table.add(line);
    }
    table.print();
    fmt::print("\n");
  }
};

std::string ratio_of(const std::vector<SearchRow>& rows, Method over, Method under) {
  const SearchRow *a = row_of(rows, over), *b = row_of(rows, under);
  return a && b && a->unsearched.empty() && b->unsearched.empty() ? digits(a->seconds / b->seconds) : "-";
}

void print_paper(const char* figure, const char* claim) { fmt::print("\nPaper, {}: {}.\n", figure, claim); }

}  // namespace

int bench_zhao_box_size(const std::string& json, bool quick, const std::string& positions) {
  Bench bench("zhao-fig6", kClaimBox, quick);
  Sweep sweep(quick);
  const auto print = [&] {
    sweep.print("Two-level search of the grains' bounding spheres: ms against S/D50");
    print_paper("Fig. 6", kClaimBox);
    return bench.finish(json);
  };
  if (!positions.empty()) {
    const auto own = read_spheres(positions, 1, kMargin);
    if (!own) return kBadInput;
    sweep.measure(bench, *own, {{"positions", own->name}});
    return print();
  }
  const Result<double> cube = bounding("cube");
  if (!cube) return fail("bench", cube.error().message);
  const auto mixed =
      bounding(std::vector<std::string>{"tetrahedron", "pyramid", "cube", "grain14", "grain16", "plate"});
  if (!mixed) return fail("bench", mixed.error().message);
  const scenes::Block equal = scenes::graded_block(1, block_size(quick)),
                      broad = scenes::graded_block(5, block_size(quick));
  const std::vector<std::size_t> counts =
      quick ? std::vector<std::size_t>{900} : std::vector<std::size_t>{9000, 20000, 50000};
  for (const std::size_t n : counts) {
    Spheres s = scenes::grains_in_box(equal, n, {*cube});
    s.name = "cubes", s.margin = kMargin;
    sweep.measure(bench, s, {{"shape", "cube"}, {"ratio", 1}});
  }
  Spheres s = scenes::heap(broad, quick ? 2095 : 20952, *mixed);
  s.name = "heap, mixed", s.margin = kMargin;
  sweep.measure(bench, s, {{"shape", "mixed"}, {"ratio", 5}});
  return print();
}

int bench_zhao_shape(const std::string& json, bool quick) {
  Bench bench("zhao-fig7", kClaimShape, quick);
  Sweep sweep(quick);
  const scenes::Block equal = scenes::graded_block(1, block_size(quick));
  for (const char* shape : {"grain16", "cube", "tetrahedron", "plate"}) {
    const Result<double> around = bounding(shape);
    if (!around) return fail("bench", around.error().message);
    Spheres s = scenes::grains_in_box(equal, quick ? 1000 : 50000, {*around});
    s.name = shape, s.margin = kMargin;
    sweep.measure(bench, s, {{"shape", shape}, {"ratio", 1}, {"bounding_over_equal_volume", *around}});
  }
  sweep.print("Two-level search of the grains' bounding spheres, by shape: ms against S/D50");
  print_paper("Fig. 7", kClaimShape);
  return bench.finish(json);
}

int bench_zhao_size_ratio(const std::string& json, bool quick) {
  Bench bench("zhao-fig8", kClaimRatio, quick);
  const Result<double> cube = bounding("cube");
  if (!cube) return fail("bench", cube.error().message);
  std::vector<Method> methods = all_methods();
  std::erase(methods, Method::brute_force), std::erase(methods, Method::nbs);
  Grid grid(scenes::Grading::linear, quick);
  grid.measure(bench, methods, *cube);
  const auto time = [](Method m) {
    return [m](const std::vector<SearchRow>& rows) {
      return cell(rows, m, [](const SearchRow& r) { return digits(r.us_per_body()); });
    };
  };
  for (const Method m : methods)
    grid.print(fmt::format("Time by `{}` against N and size ratio, us per body", name(m)), time(m));
  grid.print("Pairs per body, against N and size ratio", [](const auto& rows) {
    return cell(rows, Method::two_level,
                [](const SearchRow& r) { return digits(static_cast<double>(r.pairs) / static_cast<double>(r.n)); });
  });
  Grid other(scenes::Grading::logarithmic, quick);
  const std::vector<Method> few{Method::two_level, Method::multi_level_grid};
  other.measure(bench, few, *cube);
  for (const Method m : few)
    other.print(fmt::format("Time by `{}` against N and size ratio, us per body", name(m)), time(m));
  print_paper("Fig. 8", kClaimRatio);
  return bench.finish(json);
}

int bench_zhao_speed_up(const std::string& json, bool quick) {
  Bench bench("zhao-fig9", kClaimSpeedUp, quick);
  const Result<double> cube = bounding("cube");
  if (!cube) return fail("bench", cube.error().message);
  for (const auto grading : {scenes::Grading::linear, scenes::Grading::logarithmic}) {
    Grid grid(grading, quick);
    grid.measure(bench, {Method::nbs, Method::two_level, Method::sorted_grid, Method::multi_level_grid}, *cube);
    grid.print("R: time of NBS with the check of bounding spheres over that of the two-level search",
               [](const auto& rows) { return ratio_of(rows, Method::nbs, Method::two_level); });
    for (const Method m : {Method::sorted_grid, Method::multi_level_grid}) {
      grid.print(fmt::format("Time of the two-level search over that of `{}`", name(m)),
                 [m](const auto& rows) { return ratio_of(rows, Method::two_level, m); });
    }
  }
  print_paper("Fig. 9", kClaimSpeedUp);
  return bench.finish(json);
}

}  // namespace scree::app
