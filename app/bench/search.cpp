#include "app/bench/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "app/bench/record.h"
#include "app/commands.h"
#include "app/memory.h"
#include "base/hash.h"
#include "base/timer.h"
#include "exec/parallel.h"

namespace scree::app {

using neighbour::Bodies;
using neighbour::Method;
using neighbour::Pair;
using neighbour::Search;

namespace {

std::uint64_t hash_of(const std::vector<Pair>& pairs) {
  Hash64 h;
  h.value(pairs.size());
  for (const auto& [a, b] : pairs) h.value(std::uint64_t{a} << 32 | b);
  return h.digest();
}

/// How the time of a method grows with the bodies of a set of one kind.
double growth(Method m) { return m == Method::brute_force ? 2 : m == Method::dess ? 5.0 / 3 : 1; }

/// One method at work on one set.
struct Runner {
  SearchRow row;
  Bodies bodies;
  Search search;
  std::vector<double> seconds, cpu;

  /// False: the method cannot. The first find counts apart: it gets the memory.
  bool first(std::vector<Pair>& pairs) {
    forget_peak();
    const Stopwatch watch;
    const Status found = search.find(row.method, bodies, pairs);
    row.first = row.seconds = watch.seconds();
    row.peak = peak_memory();
    if (!found) {
      row.unsearched = found.error().message;
      return false;
    }
    row.pairs = pairs.size(), row.hash = hash_of(pairs);
    if (row.method == Method::automatic)
      row.choice = fmt::format("{}: {}", name(search.choice().method), search.choice().why);
    return true;
  }
  void turn(std::vector<Pair>& pairs, int finds) {
    const Stopwatch watch;
    const double before = cpu_seconds();
    for (int k = 0; k < finds; ++k) {
      if (!search.find(row.method, bodies, pairs)) return;  // it found them before
    }
    cpu.push_back((cpu_seconds() - before) / finds);
    seconds.push_back(watch.seconds() / finds);
  }
  void finish(const std::vector<Pair>& pairs) {
    if (!seconds.empty()) row.seconds = median(seconds), row.cpu = median(cpu);
    row.bytes = search.bytes() + pairs.size() * sizeof(Pair);
  }
};

}  // namespace

double SearchTimer::foreseen(Method method, std::size_t n) const {
  // From the largest set that is no larger; small ones have overheads of their own.
  const Seen* from = nullptr;
  for (const Seen& s : seen_) {
    if (s.method == method && s.n <= static_cast<double>(n) && (!from || s.n >= from->n)) from = &s;
  }
  return from ? from->seconds * std::pow(static_cast<double>(n) / from->n, growth(method)) : 0;
}

std::vector<SearchRow> SearchTimer::time(const std::string& set, const Bodies& bodies, const SearchPlan& plan) {
  exec::set_threads(plan.threads);
  std::vector<SearchRow> rows;
  std::vector<std::unique_ptr<Runner>> running;
  std::vector<Pair> pairs;
  const std::size_t n = bodies.x.size();
  for (const Method m : plan.methods) {
    for (const double cell : plan.cells) {
      auto r = std::make_unique<Runner>();
      r->row.set = set, r->row.method = m, r->row.cell = cell, r->row.threads = plan.threads, r->row.n = n;
      r->bodies = bodies, r->bodies.cell = cell;
      const double soon = foreseen(m, n);
      if (soon * (1 + plan.turns * plan.finds) > plan.limit) {
        r->row.unsearched = fmt::format("left out: a find would take about {} s", digits(soon));
      } else if (r->first(pairs)) {
        seen_.push_back({m, static_cast<double>(n), r->row.first});
        if (plan.apart) {
          for (int turn = 0; turn < plan.turns; ++turn) r->turn(pairs, plan.finds);
          r->finish(pairs);
          r->search = Search();
          pairs = {};
        } else {
          r->row.peak = 0;
        }
      }
      running.push_back(std::move(r));
    }
  }
  for (int turn = 0; turn < plan.turns && !plan.apart; ++turn) {
    for (const auto& r : running) {
      if (r->row.unsearched.empty()) r->turn(pairs, plan.finds);
    }
  }
  for (const auto& r : running) {
    if (!plan.apart && r->row.unsearched.empty()) {
      pairs.resize(r->row.pairs);
      r->finish(pairs);
    }
    rows.push_back(std::move(r->row));
  }
  exec::set_threads(0);
  return rows;
}

const std::vector<Method>& all_methods() {
  static const std::vector<Method> all{Method::brute_force, Method::dess,        Method::nbs,
                                       Method::two_level,   Method::sorted_grid, Method::multi_level_grid,
                                       Method::automatic};
  return all;
}

std::optional<Method> method_of(const std::string& word) {
  for (const Method m : all_methods()) {
    if (name(m) == word) return m;
  }
  return std::nullopt;
}

std::vector<std::string> disagreements(const std::vector<SearchRow>& rows) {
  std::vector<std::string> out;
  const SearchRow* against = nullptr;
  for (const SearchRow& r : rows) {
    if (!r.unsearched.empty()) continue;
    if (!against) against = &r;
    if (r.hash != against->hash || r.pairs != against->pairs) {
      out.push_back(fmt::format("{}, {} bodies, factor {}: {} finds {} pairs (hash {}), {} finds {} (hash {})", r.set,
                                r.n, r.factor, name(against->method), against->pairs, to_hex(against->hash),
                                name(r.method), r.pairs, to_hex(r.hash)));
    }
  }
  return out;
}

const SearchRow* row_of(const std::vector<SearchRow>& rows, Method method) {
  for (const SearchRow& r : rows) {
    if (r.method == method) return &r;
  }
  return nullptr;
}

std::string cell(const std::vector<SearchRow>& rows, Method method,
                 const std::function<std::string(const SearchRow&)>& text) {
  const SearchRow* r = row_of(rows, method);
  return r && r->unsearched.empty() ? text(*r) : "-";
}

nlohmann::ordered_json to_json(const SearchRow& r) {
  nlohmann::ordered_json out{{"case", r.set}, {"method", name(r.method)}, {"n", r.n}, {"factor", r.factor}};
  if (r.unsearched.empty()) {
    out["pairs"] = r.pairs, out["seconds"] = r.seconds, out["bytes"] = r.bytes, out["hash"] = to_hex(r.hash);
    out["seconds_cpu"] = r.cpu, out["seconds_first"] = r.first;
    if (r.peak > 0) out["peak_bytes"] = r.peak;
  } else {
    out["unsearched"] = r.unsearched;
  }
  out["threads"] = r.threads;
  if (r.cell != 1) out["cell"] = r.cell;
  if (!r.choice.empty()) out["choice"] = r.choice;
  out.update(r.more);
  return out;
}

int finish_bench(const std::string& json, const nlohmann::ordered_json& out,
                 const std::vector<std::string>& differing) {
  if (const int code = write_record(json, out); code != kDone) return code;
  for (const std::string& d : differing) fmt::print(stderr, "lists differ: {}\n", d);
  return differing.empty() ? kDone : kRunFailed;
}

std::string digits(double x) {
  if (x == 0 || !std::isfinite(x)) return fmt::format("{}", x);
  const double size = std::abs(x);
  return size >= 100  ? fmt::format("{:.0f}", x)
         : size >= 10 ? fmt::format("{:.1f}", x)
         : size >= 1  ? fmt::format("{:.2f}", x)
         : size >= .1 ? fmt::format("{:.3f}", x)
                      : fmt::format("{:.2g}", x);
}

}  // namespace scree::app
