#include "app/bench/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>

#include "app/bench/search.h"
#include "app/commands.h"
#include "app/memory.h"
#include "base/hash.h"
#include "io/grains/grain_file.h"
#include "io/library/library.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "scenes/sphere_sets.h"

namespace scree::app {

using neighbour::Method;
using scenes::Spheres;

namespace {

constexpr std::size_t kBruteForce = 20000;    ///< bodies above which it is left out unless asked for
constexpr std::size_t kBytesPerSphere = 256;  ///< of positions, buffers and a few pairs
/// Above this many bodies each method is timed by itself, so that the memory is that of one.
constexpr std::size_t kApart = 2000000;

/// The aims for one core.
constexpr double kAimMicroseconds = 0.20, kAimRebuild = 0.010, kAimSeconds = 4, kAimBytes = 1.5e9, kAimThreads = 1.8,
                 kAimConstant = 2;

Result<std::vector<Method>> methods_asked(const std::vector<std::string>& words) {
  std::vector<Method> out;
  std::vector<std::string> known;
  for (const Method m : all_methods()) known.emplace_back(name(m));
  for (const std::string& w : words) {
    const auto m = method_of(w);
    if (!m) return Error{"unknown method " + w + io::did_you_mean(w, known)};
    if (std::find(out.begin(), out.end(), *m) == out.end()) out.push_back(*m);
  }
  return out.empty() ? all_methods() : out;
}

std::vector<Method> without_brute_force(std::vector<Method> methods, std::size_t n, bool asked) {
  if (n > kBruteForce && !asked) std::erase(methods, Method::brute_force);
  return methods;
}

/// Rows one by one, as for a user's own file.
void print_rows(const std::vector<SearchRow>& rows) {
  Table table({"method", "threads", "bodies", "factor", "pairs", "seconds", "us/body", "bytes", "hash"});
  for (const SearchRow& r : rows) {
    const auto text = [&](const std::string& s) { return r.unsearched.empty() ? s : std::string("-"); };
    table.add({std::string(name(r.method)), std::to_string(r.threads), std::to_string(r.n), digits(r.factor),
               text(std::to_string(r.pairs)), text(digits(r.seconds)), text(digits(r.us_per_body())),
               text(std::to_string(r.bytes)), text(to_hex(r.hash))});
  }
  table.print();
  for (const SearchRow& r : rows) {
    if (!r.unsearched.empty()) fmt::print("{}: {}\n", name(r.method), r.unsearched);
    if (!r.choice.empty() && r.threads == rows[0].threads) fmt::print("auto took {}\n", r.choice);
  }
}

/// The bounding spheres of a table of grains; those without a shape are spheres. Errors: no sizes, an unknown shape.
Result<Spheres> spheres_of(const io::GrainTable& t) {
  if (t.size.size() != t.rows) return Error{"it does not say how large the grains are: a column r, d or size"};
  Spheres s;
  s.x = t.position, s.r.resize(t.rows);
  std::map<std::string, double> outer{{"", 0.5}};
  for (std::size_t i = 0; i < t.rows; ++i) {
    const std::string& name = t.shape.empty() || t.has_radius ? outer.begin()->first : t.shape[i];
    auto at = outer.find(name);
    if (at == outer.end()) {
      const Result<std::shared_ptr<const Shape>> shape = io::load_shape(name);
      if (!shape) return shape.error();
      at = outer.emplace(name, (*shape)->outer_radius()).first;
    }
    s.r[i] = t.size[i] * at->second;
  }
  return s;
}

}  // namespace

std::optional<Spheres> read_spheres(const std::string& file, double factor, double margin) {
  const auto refuse = [&](const std::string& why) {
    fmt::print(stderr, "{}: {}\n", file, why);
    return std::nullopt;
  };
  const Result<io::Units> units = io::Units::load();
  if (!units) return refuse(units.error().message);
  io::GrainFileAs as;
  as.of_other_rows = "";
  if (const std::size_t memory = physical_memory(); memory > 0) as.most = std::min(as.most, memory / kBytesPerSphere);
  const io::ReadGrains read = io::read_grains(file, as, *units);
  for (const Diagnostic& d : read.diagnostics) fmt::print(stderr, "{}\n", format(d));
  if (!read.diagnostics.empty()) return std::nullopt;
  if (read.value.rows == 0) return refuse("no grains in it");
  Result<Spheres> s = spheres_of(read.value);
  if (!s) return refuse(s.error().message);
  s->name = std::filesystem::path(file).filename().string();
  for (double& r : s->r) r *= factor;
  s->margin = margin;
  if (const Status fit = check(s->bodies()); !fit) return refuse(fit.error().message);
  return std::move(*s);
}

namespace {

int of_a_file(const NeighbourOptions& o, const std::vector<Method>& asked) {
  const std::optional<Spheres> read = read_spheres(o.positions, o.factor, o.margin);
  if (!read) return kBadInput;
  const Spheres& s = *read;
  nlohmann::ordered_json out = json_head("neighbours", o.quick);
  std::vector<SearchRow> rows;
  for (const int threads : o.threads) {
    SearchPlan plan{without_brute_force(asked, s.x.size(), !o.methods.empty())};
    plan.turns = o.quick ? 1 : 5, plan.threads = threads, plan.apart = s.x.size() > kApart, plan.limit = 1e300;
    SearchTimer timer;
    for (SearchRow& r : timer.time(s.name, s.bodies(), plan)) {
      r.factor = o.factor, r.more["margin"] = o.margin;
      out["rows"].push_back(to_json(r));
      rows.push_back(std::move(r));
    }
  }
  print_rows(rows);
  const auto differing = disagreements(rows);
  if (differing.empty()) fmt::print("\nequal hash: the same list of pairs, in the same order\n");
  return finish_bench(o.json, out, differing);
}

/// Built-in sets, made when their turn comes.
struct Recipe {
  const char* name;
  std::size_t n;
  Spheres (*make)(std::size_t);
};

std::vector<Recipe> recipes(bool quick) {
  const auto equal = [](std::size_t n) { return scenes::equal_bed(n); };
  const auto mixed_up = [](std::size_t n) { return scenes::shuffled(scenes::equal_bed(n)); };
  const auto one_to_twelve = [](std::size_t) { return scenes::one_to_twelve(); };
  std::vector<Recipe> all;
  for (const std::size_t n :
       quick ? std::vector<std::size_t>{1000, 5000} : std::vector<std::size_t>{10000, 100000, 1000000, 10000000})
    all.push_back({"equal", n, equal});
  const std::size_t some = quick ? 5000 : 100000;
  all.push_back({"equal, shuffled", some, mixed_up});
  if (!quick) all.push_back({"equal, shuffled", 1000000, mixed_up});
  all.push_back({"1:12", 21346, one_to_twelve});
  all.push_back({"clusters", some, scenes::clusters});
  all.push_back({"loose", some, scenes::loose});
  return all;
}

struct SearchRows {
  std::vector<SearchRow> rows;
  const SearchRow* find(const std::string& set, std::size_t n, Method m, int threads) const {
    for (const SearchRow& r : rows) {
      if (r.set == set && r.n == n && r.method == m && r.threads == threads && r.unsearched.empty()) return &r;
    }
    return nullptr;
  }
  double seconds(const std::string& set, std::size_t n, Method m, int threads) const {
    const SearchRow* r = find(set, n, m, threads);
    return r ? r->seconds : 0;
  }
};

std::vector<std::string> words(std::vector<std::string> first, const std::vector<Method>& methods) {
  for (const Method m : methods) first.emplace_back(name(m));
  return first;
}

/// A table of one number per set and method.
void print_table(const SearchRows& all, const std::vector<Recipe>& sets, const std::vector<Method>& methods,
                 int threads, const std::string& title, const std::function<std::string(const SearchRow&)>& text) {
  fmt::print("{}\n\n", title);
  Table table(words({"set", "bodies", "pairs"}, methods));
  for (const Recipe& set : sets) {
    std::vector<std::string> line{set.name, std::to_string(set.n), "-"};
    for (const Method m : methods) {
      const SearchRow* r = all.find(set.name, set.n, m, threads);
      if (r) line[2] = std::to_string(r->pairs);
      line.push_back(r ? text(*r) : "-");
    }
    table.add(line);
  }
  table.print();
  fmt::print("\n");
}

std::string or_dash(double x) { return x > 0 ? digits(x) : "-"; }

/// The aims of the project beside what was measured.
void print_aims(const SearchRows& all, const std::vector<Method>& methods) {
  fmt::print("Aims and measured\n\n");
  Table table(words({"what", "aim"}, methods));
  const auto line = [&](const char* what, const std::string& aim, const std::function<double(Method)>& value) {
    std::vector<std::string> row{what, aim};
    for (const Method m : methods) row.push_back(or_dash(value(m)));
    table.add(row);
  };
  line("100 000 equal spheres, us per particle", fmt::format("{:.2f}", kAimMicroseconds),
       [&](Method m) { return 10 * all.seconds("equal", 100000, m, 1); });
  line("size ratio 1:12, ms per rebuild", fmt::format("{:.0f}", 1e3 * kAimRebuild),
       [&](Method m) { return 1e3 * all.seconds("1:12", 21346, m, 1); });
  line("10 million, s, with its first getting of memory", fmt::format("{:.0f}", kAimSeconds), [&](Method m) {
    const SearchRow* r = all.find("equal", 10000000, m, 1);
    return r ? r->first : 0;
  });
  line("10 million, GB of the whole process", fmt::format("{:.1f}", kAimBytes / 1e9), [&](Method m) {
    const SearchRow* r = all.find("equal", 10000000, m, 1);
    return r ? 1e-9 * static_cast<double>(r->peak) : 0;
  });
  for (const std::size_t n : {100000u, 1000000u}) {
    line(n == 100000 ? "two threads over one, 100 000" : "two threads over one, a million",
         fmt::format("{:.1f}", kAimThreads), [&](Method m) {
           const double two = all.seconds("equal", n, m, 2);
           return two > 0 ? all.seconds("equal", n, m, 1) / two : 0;
         });
  }
  line("cost per body, 10^4 to 10^7: dearest over cheapest", fmt::format("{:.0f}", kAimConstant), [&](Method m) {
    double least = 1e300, most = 0;
    for (const std::size_t n : {10000u, 100000u, 1000000u, 10000000u}) {
      const SearchRow* r = all.find("equal", n, m, 1);
      if (!r) return 0.0;
      least = std::min(least, r->us_per_body()), most = std::max(most, r->us_per_body());
    }
    return most / least;
  });
  table.print();
  fmt::print("\n");
}

/// What each set is for `auto`.
void print_choices(const SearchRows& all) {
  fmt::print("What `auto` takes\n\n");
  Table table({"set", "bodies", "choice"});
  for (const SearchRow& r : all.rows) {
    if (r.method == Method::automatic && r.threads == all.rows[0].threads && r.unsearched.empty())
      table.add({r.set, std::to_string(r.n), r.choice});
  }
  table.print();
}

int of_built_in_sets(const NeighbourOptions& o, const std::vector<Method>& asked) {
  nlohmann::ordered_json out = json_head("neighbours", o.quick);
  SearchRows all;
  std::vector<std::string> differing;
  std::map<std::pair<std::string, int>, SearchTimer> timers;
  const std::vector<Recipe> sets = recipes(o.quick);
  for (const Recipe& set : sets) {
    fmt::print(stderr, "{}, {} ...\n", set.name, set.n);
    const Spheres s = set.make(set.n);
    std::vector<SearchRow> rows;
    for (const int threads : o.threads) {
      SearchPlan plan{without_brute_force(asked, s.x.size(), !o.methods.empty())};
      plan.turns = o.quick ? 1 : set.n <= 100000 ? 9 : set.n <= kApart ? 3 : 2;
      plan.threads = threads, plan.apart = set.n > kApart, plan.limit = 40;
      for (SearchRow& r : timers[{set.name, threads}].time(set.name, s.bodies(), plan)) {
        r.more["margin"] = s.margin;
        out["rows"].push_back(to_json(r));
        rows.push_back(std::move(r));
      }
    }
    for (std::string& d : disagreements(rows)) differing.push_back(std::move(d));
    for (SearchRow& r : rows) all.rows.push_back(std::move(r));
  }
  for (const int threads : o.threads) {
    print_table(all, sets, asked, threads,
                fmt::format("Time per body in microseconds, {} thread{}", threads, threads == 1 ? "" : "s"),
                [](const SearchRow& r) { return digits(r.us_per_body()); });
  }
  print_table(all, sets, asked, o.threads[0], "Memory per body in bytes: buffers of the search and the pair list",
              [](const SearchRow& r) { return fmt::format("{}", r.bytes / r.n); });
  if (!o.quick) print_aims(all, asked);
  print_choices(all);
  if (differing.empty()) fmt::print("\nAll lists of a set are identical.\n");
  return finish_bench(o.json, out, differing);
}

/// A line "x y z r" for each; the numbers read back to the same bits.
Status write_spheres(const std::filesystem::path& file, const Spheres& s) {
  std::string text = "# x y z r\n";
  for (std::size_t i = 0; i < s.x.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{} {} {} {}\n", s.x[i].x, s.x[i].y, s.x[i].z, s.r[i]);
  return io::write_file(file, text, io::Durability::buffered);
}

/// Every built-in set up to 100 000 bodies as a file, for other programs.
int write_sets(const NeighbourOptions& o) {
  for (const Recipe& set : recipes(o.quick)) {
    if (set.n > 100000) continue;
    const Spheres s = set.make(set.n);
    std::string file = fmt::format("{}-{}.xyzr", s.name, s.x.size());
    std::replace(file.begin(), file.end(), ':', '-');
    std::erase(file, ','), std::replace(file.begin(), file.end(), ' ', '-');
    const auto path = std::filesystem::path(o.write) / file;
    if (const Status written = write_spheres(path, s); !written) {
      fmt::print(stderr, "{}\n", written.error().message);
      return kRunFailed;
    }
    fmt::print("{} {} {}\n", path.string(), s.x.size(), s.margin);
  }
  return kDone;
}

}  // namespace

int bench_neighbours(const NeighbourOptions& o) {
  const Result<std::vector<Method>> methods = methods_asked(o.methods);
  if (!methods) return refuse("bench", methods.error().message);
  fail_before_memory_is_out();
  if (!o.positions.empty()) return of_a_file(o, *methods);
  return o.write.empty() ? of_built_in_sets(o, *methods) : write_sets(o);
}

}  // namespace scree::app
