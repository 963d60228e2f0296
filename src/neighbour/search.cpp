#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "exec/parallel.h"
#include "neighbour/brute_force.h"
#include "neighbour/cluster_multi_level.h"
#include "neighbour/dess.h"
#include "neighbour/multi_level_grid.h"
#include "neighbour/nbs.h"
#include "neighbour/neighbour.h"
#include "neighbour/part_search.h"
#include "neighbour/single_level_grid.h"
#include "neighbour/size_levels.h"
#include "neighbour/sorted_grid.h"
#include "neighbour/two_level.h"

namespace scree::neighbour {

std::string_view name(Method method) {
  switch (method) {
    case Method::brute_force:
      return "brute_force";
    case Method::nbs:
      return "nbs";
    case Method::two_level:
      return "two_level";
    case Method::dess:
      return "dess";
    case Method::sorted_grid:
      return "sorted_grid";
    case Method::multi_level_grid:
      return "multi_level_grid";
    case Method::clusters:
      return "clusters";
    case Method::single_level:
      return "single_level";
    case Method::multi_level:
      return "multi_level";
    case Method::automatic:
      break;
  }
  return "auto";
}

namespace {

// Squares of lengths between these are normal numbers, and sums of three of them finite.
constexpr double kLeast = 1e-150, kMost = 1e150;

bool in_range(double x) { return std::abs(x) <= kMost; }

/// Why body i cannot be searched; null where it can.
const char* fault(const Bodies& s, std::size_t i) {
  const Vec3 x = s.x[i];
  if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) return "its centre is not finite";
  if (!in_range(x.x) || !in_range(x.y) || !in_range(x.z)) return "its centre is farther than 1e150 m from the origin";
  if (!(s.r[i] > 0) || !std::isfinite(s.r[i])) return "its radius must be finite and above 0";
  if (s.r[i] < kLeast || s.r[i] > kMost) return "its radius must be between 1e-150 m and 1e150 m";
  if (s.dimensions == 2 && x.z != s.x[0].z) return "two dimensions need the same z for all bodies";
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (s.domain.periodic[axis] && !(x[axis] >= s.domain.low[axis] && x[axis] <= s.domain.high[axis])) {
      return "its centre lies outside the periodic domain";
    }
  }
  return nullptr;
}

Status check_domain(const Domain& domain) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!domain.periodic[axis]) continue;
    if (in_range(domain.low[axis]) && in_range(domain.high[axis]) && domain.high[axis] > domain.low[axis]) continue;
    return Error{std::string("the periodic domain's ends along ") + "xyz"[axis] +
                 " must be finite, within 1e150 m of the origin, and the low one below the high one"};
  }
  return ok();
}

/// First body with a fault, or their number.
std::size_t first_fault(const Bodies& s) {
  const std::size_t n = s.x.size();
  return exec::parallel_reduce(
      n, 4096, n,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (fault(s, i) != nullptr) return i;
        }
        return n;
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

}  // namespace

Status check(const Bodies& s) {
  const std::size_t n = s.x.size();
  if (s.r.size() != n) {
    return Error{std::to_string(n) + " centres and " + std::to_string(s.r.size()) +
                 " radii: each body needs one of both"};
  }
  if (n >= std::numeric_limits<std::uint32_t>::max()) return Error{"more than 2^32 - 2 bodies"};
  if (!(s.margin >= 0) || !std::isfinite(s.margin)) return Error{"the margin must be finite and not negative"};
  if (s.margin > kMost) return Error{"the margin must be at most 1e150 m"};
  if (!(s.cell > 0) || !std::isfinite(s.cell)) return Error{"the factor on the cell size must be finite and above 0"};
  if (s.dimensions != 2 && s.dimensions != 3) return Error{"dimensions must be 2 or 3"};
  if (Status domain = check_domain(s.domain); !domain) return domain;
  if (const std::size_t i = first_fault(s); i < n) return Error{"body " + std::to_string(i) + ": " + fault(s, i)};
  const auto& ring = s.domain.periodic;
  if (n == 0 || !(ring[0] || ring[1] || ring[2])) return ok();
  const std::size_t widest = static_cast<std::size_t>(std::max_element(s.r.begin(), s.r.end()) - s.r.begin());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!s.domain.periodic[axis]) continue;
    if (s.domain.high[axis] - s.domain.low[axis] > 2 * (2 * s.r[widest] + s.margin)) continue;
    return Error{std::string("the period along ") + "xyz"[axis] +
                 " must exceed twice the longest reach of a pair; the widest is body " + std::to_string(widest)};
  }
  return ok();
}

Choice choose(const Bodies& s) {
  // Measured: all pairs cost 1.7 n ns per body, a grid 85 ns.
  constexpr std::size_t few = 64;
  const std::size_t n = s.x.size();
  if (n <= few) return {Method::brute_force, std::to_string(n) + " bodies: so few are soonest checked each with each"};
  // Measured (scree bench bonded): with units of 57 and of 100 bodies 0.5 and 0.6 of the time of one grid.
  constexpr double kLargeUnit = 8;
  if (s.units != nullptr && s.units->spheres() == n &&
      static_cast<double>(n) > kLargeUnit * static_cast<double>(s.units->size())) {
    return {Method::clusters,
            std::to_string(n) + " bodies in " + std::to_string(s.units->size()) + " units of bonds that hold"};
  }
  const SizeLevels sizes = choose_levels(s);
  const double ratio = sizes.levels.back().largest / sizes.levels.front().smallest;
  std::array<char, 240> text;
  if (sizes.levels.size() == 1) {
    std::snprintf(text.data(), text.size(), "sizes spread 1:%.3g, one grid serves all %zu bodies", ratio, n);
    return {Method::sorted_grid, text.data()};
  }
  std::snprintf(text.data(), text.size(),
                "sizes spread 1:%.3g, a grid of %zu levels is estimated at %.2g of the work of one grid for %zu bodies",
                ratio, sizes.levels.size(), sizes.cost / sizes.cost_of_one, n);
  return {Method::multi_level_grid, text.data()};
}

namespace {

/// Munjiza & Andrews's precondition, bodies of similar size, is told and not asked for: the list is right all the same.
std::string told_of_nbs(const Bodies& s, std::uint64_t checked, std::size_t found) {
  if (s.r.empty()) return {};
  const auto [narrow, wide] = std::minmax_element(s.r.begin(), s.r.end());
  if (*wide <= 2 * *narrow) return {};
  std::array<char, 160> text;
  std::snprintf(
      text.data(), text.size(),
      "; nbs is made for bodies of similar size, these are 1:%.3g, and %.3g pairs were checked for each found",
      *wide / *narrow, static_cast<double>(checked) / static_cast<double>(std::max<std::size_t>(found, 1)));
  return text.data();
}

}  // namespace

struct Search::Methods {
  Nbs nbs;
  TwoLevel two_level;
  Dess dess;
  SortedGrid sorted_grid;
  MultiLevelGrid multi_level_grid;
  PartSearch parts;
  SingleLevelGrid single_level;
  ClusterMultiLevel multi_level;
  Units singles;  ///< each body by itself, for who has no units
};

Search::Search() : methods_(std::make_unique<Methods>()) {}
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;
Search::~Search() = default;

Status Search::find(Method method, const Bodies& bodies, std::vector<Pair>& pairs) {
  // The list is left as it was until its new size is known: clearing it first would have all of it initialised again.
  if (Status checked = check(bodies); !checked) {
    pairs.clear();
    return checked;
  }
  choice_ = method == Method::automatic ? choose(bodies) : Choice{method, "as the case asks"};
  switch (choice_.method) {
    case Method::brute_force:
      brute_force(bodies, pairs);
      return ok();
    case Method::nbs: {
      Status found = methods_->nbs.find(bodies, pairs);
      if (!found) pairs.clear();
      choice_.why += told_of_nbs(bodies, methods_->nbs.checked(), pairs.size());
      return found;
    }
    case Method::two_level:
      return methods_->two_level.find(bodies, pairs);
    case Method::dess:
      methods_->dess.find(bodies, pairs);
      return ok();
    case Method::sorted_grid:
      methods_->sorted_grid.find(bodies, pairs);
      return ok();
    case Method::multi_level_grid:
      methods_->multi_level_grid.find(bodies, pairs);
      return ok();
    case Method::clusters: {
      const Clusters all{bodies, bodies.units, true};
      if (Status told = check_units(all); !told) {
        pairs.clear();
        return told;
      }
      methods_->parts.sort(all);
      methods_->parts.resolve(all, pairs);
      return ok();
    }
    case Method::single_level:
    case Method::multi_level: {
      Clusters all{bodies, bodies.units, true};
      if (bodies.units == nullptr) {
        if (methods_->singles.spheres() != bodies.x.size()) {
          std::vector<std::uint32_t> own(bodies.x.size());
          std::iota(own.begin(), own.end(), 0u);
          Result<Units> made = Units::make(bodies, own);
          if (!made) return pairs.clear(), Status(made.error());
          methods_->singles = std::move(*made);
        }
        all.units = &methods_->singles;
      }
      if (Status told = check_units(all); !told) return pairs.clear(), told;
      if (choice_.method == Method::single_level) {
        methods_->single_level.sort(SingleLevelGrid::Rule::largest, all);
        methods_->single_level.resolve(all, pairs);
      } else {
        methods_->multi_level.sort(all);
        methods_->multi_level.resolve(all, pairs);
      }
      return ok();
    }
    case Method::automatic:
      break;
  }
  return Error{"no method was chosen"};
}

std::size_t Search::bytes() const {
  return methods_->nbs.bytes() + methods_->two_level.bytes() + methods_->dess.bytes() + methods_->sorted_grid.bytes() +
         methods_->multi_level_grid.bytes() + methods_->parts.bytes() + methods_->single_level.bytes() +
         methods_->multi_level.bytes() + methods_->singles.bytes();
}

}  // namespace scree::neighbour
