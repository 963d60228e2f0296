// Examples I to IV of Munjiza and Andrews 1998, section 7. The discs have diameter 1; ten detections each, as there.
#include "app/bench/munjiza.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/bench/search.h"
#include "scenes/sphere_sets.h"

namespace scree::app {

using neighbour::Method;
using scenes::Packing;
using scenes::Spheres;

namespace {

constexpr int kDetections = 10;

struct Example {
  const char* number;
  Packing packing;
  char letter;
  const char* claim;  ///< of the paper
};
constexpr Example kExamples[] = {
    {"I", Packing::a, 'A', "proportional to N, for 100 to 90 000 discs"},
    {"II", Packing::b, 'B', "does not depend on the spacing along x"},
    {"III", Packing::c, 'C', "does not depend on the spacing, for densities from 1 to 1/40 000"},
    {"IV", Packing::d, 'D', "constant for a large range of densities"},
};

/// Eq. 13: heady, headsx[2] and the two next lists, in integers of four bytes.
std::size_t bytes_as_printed(const Spheres& s) {
  double x = 0, y = 0;
  for (const Vec3& p : s.x) x = std::max(x, p.x), y = std::max(y, p.y);
  // The discs' centres span [0, x] x [0, y]; cells as wide as a disc.
  const auto cells = [](double span) { return static_cast<std::size_t>(span) + 1; };
  return 4 * (2 * s.x.size() + cells(y) + 2 * cells(x));
}

/// Density of the discs over that at spacing 1.
double density(Packing packing, double spacing) {
  return packing == Packing::b   ? 1 / spacing
         : packing == Packing::c ? 1 / (spacing * spacing)
         : packing == Packing::d ? 2 / (1 + spacing)
                                 : 1;
}

class Munjiza {
 public:
  explicit Munjiza(bool quick) : quick_(quick), out_(json_head("munjiza", quick)) {
    std::erase(methods_, Method::brute_force);
    out_["detections"] = kDetections;
    for (const Example& e : kExamples) out_["claims"][e.number] = e.claim;
  }

  void against_number() {
    const Example& e = kExamples[0];
    Table time(head("N", true)), per(head("N", false));
    const std::vector<std::size_t> counts =
        quick_ ? std::vector<std::size_t>{100, 1000, 4096}
               : std::vector<std::size_t>{100, 1000, 10000, 40000, 90000, 1000000, 10000000};
    for (const std::size_t n : counts) {
      const std::vector<SearchRow> rows = measure(e, n, 1);
      time.add(line(rows, std::to_string(n), [](const SearchRow& r) { return digits(1e3 * kDetections * r.seconds); }));
      std::vector<std::string> row{std::to_string(n)};
      for (const Method m : methods_)
        row.push_back(cell(rows, m, [](const SearchRow& r) { return digits(1e3 * r.us_per_body()); }));
      per.add(row);
    }
    fmt::print("Example I, packing A: ms for ten detections\n\n");
    time.print();
    fmt::print("\nExample I, packing A: ns per disc and detection\n\n");
    per.print();
    fmt::print("\nPaper: {}.\n", e.claim);
  }

  void against_spacing(const Example& e) {
    const std::size_t n = quick_ ? 900 : 10000;
    Table table(head("S", true, "density"));
    const std::vector<double> spacings = quick_ ? std::vector<double>{1, 200}
                                         : e.packing == Packing::c
                                             ? std::vector<double>{1, 2, 5, 10, 20, 50, 100, 200}
                                             : std::vector<double>{1, 2, 5, 20, 50, 200, 2000, 40000};
    for (const double s : spacings) {
      const std::vector<SearchRow> rows = measure(e, n, s);
      std::vector<std::string> row =
          line(rows, fmt::format("{:g}", s), [](const SearchRow& r) { return digits(1e3 * kDetections * r.seconds); });
      row.insert(row.begin() + 1, s == 1 ? "1" : fmt::format("1/{:g}", 1 / density(e.packing, s)));
      table.add(row);
    }
    fmt::print("\nExample {}, packing {}, {} discs: ms for ten detections\n\n", e.number, e.letter,
               n < 10000 ? std::to_string(n) : fmt::format("{} {:03}", n / 1000, n % 1000));
    table.print();
    fmt::print("\nPaper: {}.\n", e.claim);
  }

  int finish(const std::string& json) {
    fmt::print(
        "\nSpacing in disc diameters; density against that at spacing 1. Times are those of the whole contract, with "
        "the sorted\nlist of pairs. NBS, printed: the {} integers of Eq. 13 at four bytes, against what the search and "
        "its list of\npairs hold here.\n",
        "2 N + ncely + 2 ncelx");
    if (differing_.empty()) fmt::print("All lists of a set are identical, and as long as the packing says.\n");
    return finish_bench(json, out_, differing_);
  }

 private:
  std::vector<std::string> head(const char* first, bool with_memory, const char* second = nullptr) const {
    std::vector<std::string> out{first};
    if (second) out.emplace_back(second);
    for (const Method m : methods_) out.emplace_back(name(m));
    if (with_memory) {
      out.emplace_back("touching"), out.emplace_back("NBS, printed, kB");
      out.emplace_back("NBS, here, kB");
    }
    return out;
  }

  std::vector<std::string> line(const std::vector<SearchRow>& rows, const std::string& first,
                                const std::function<std::string(const SearchRow&)>& text) const {
    std::vector<std::string> out{first};
    for (const Method m : methods_) out.push_back(cell(rows, m, text));
    out.push_back(std::to_string(rows[0].more["touching"].get<std::size_t>()));
    out.push_back(digits(1e-3 * rows[0].more["bytes_as_printed"].get<double>()));
    out.push_back(
        cell(rows, Method::nbs, [](const SearchRow& r) { return digits(1e-3 * static_cast<double>(r.bytes)); }));
    return out;
  }

  std::vector<SearchRow> measure(const Example& e, std::size_t n, double spacing) {
    fmt::print(stderr, "example {}, {} discs, spacing {:g} ...\n", e.number, n, spacing);
    const Spheres s = scenes::discs(e.packing, n, spacing);
    SearchPlan plan{methods_};
    plan.finds = n <= 100000 ? kDetections : 1;
    plan.turns = quick_ ? 1 : n <= 1000 ? 21 : n <= 100000 ? 5 : 3;
    plan.apart = n > 2000000, plan.limit = quick_ ? 5 : 20;
    std::vector<SearchRow> rows = timer_.time(fmt::format("example {}", e.number), s.bodies(), plan);
    const std::size_t touching = scenes::touching(e.packing, n, spacing);
    for (SearchRow& r : rows) {
      r.more["packing"] = std::string(1, e.letter);
      r.more["spacing"] = spacing, r.more["density"] = density(e.packing, spacing), r.more["touching"] = touching;
      r.more["bytes_as_printed"] = bytes_as_printed(s);
      if (r.unsearched.empty() && r.pairs != touching) {
        differing_.push_back(fmt::format("example {}, {} discs, spacing {}: {} finds {} pairs, {} touch", e.number, n,
                                         spacing, name(r.method), r.pairs, touching));
      }
      out_["rows"].push_back(to_json(r));
    }
    for (std::string& d : disagreements(rows)) differing_.push_back(std::move(d));
    return rows;
  }

  bool quick_;
  std::vector<Method> methods_ = all_methods();
  SearchTimer timer_;
  nlohmann::ordered_json out_;
  std::vector<std::string> differing_;
};

}  // namespace

int bench_munjiza(const std::string& json, bool quick) {
  Munjiza bench(quick);
  bench.against_number();
  for (std::size_t k = 1; k < std::size(kExamples); ++k) bench.against_spacing(kExamples[k]);
  return bench.finish(json);
}

}  // namespace scree::app
