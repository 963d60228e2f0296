#include "neighbour/cluster_search.h"

#include <ctime>

#include "neighbour/cluster_multi_level.h"
#include "neighbour/part_search.h"
#include "neighbour/single_level_grid.h"

namespace scree::neighbour {

std::string_view name(ClusterMethod method) {
  switch (method) {
    case ClusterMethod::brute_force:
      return "brute_force";
    case ClusterMethod::single_level_max:
      return "single_level_max";
    case ClusterMethod::single_level_min:
      return "single_level_min";
    case ClusterMethod::multi_level:
      return "multi_level";
    case ClusterMethod::parts:
      break;
  }
  return "parts";
}

Status check(const Clusters& s) {
  if (Status spheres = check(s.spheres); !spheres) return spheres;
  return check_units(s);
}

Status check_units(const Clusters& s) {
  if (s.units == nullptr || s.units->spheres() != s.spheres.x.size()) {
    return Error{std::to_string(s.spheres.x.size()) + " bodies and units of " +
                 std::to_string(s.units == nullptr ? 0 : s.units->spheres()) + ": each body belongs to one unit"};
  }
  return ok();
}

void brute_force(const Clusters& s, std::vector<Pair>& pairs) {
  pairs.clear();
  for (std::uint32_t a = 0; a < s.spheres.x.size(); ++a) {
    for (std::uint32_t b = a + 1; b < s.spheres.x.size(); ++b) {
      if (s.wanted(a, b) && meets(s.spheres, a, b)) pairs.emplace_back(a, b);
    }
  }
}

struct ClusterSearch::Methods {
  SingleLevelGrid single_level;
  ClusterMultiLevel multi_level;
  PartSearch parts;
};

ClusterSearch::ClusterSearch() : methods_(std::make_unique<Methods>()) {}
ClusterSearch::ClusterSearch(ClusterSearch&&) noexcept = default;
ClusterSearch& ClusterSearch::operator=(ClusterSearch&&) noexcept = default;
ClusterSearch::~ClusterSearch() = default;

Status ClusterSearch::find(ClusterMethod method, const Clusters& s, std::vector<Pair>& pairs) {
  pairs.clear();
  times_ = {};
  if (Status checked = check(s); !checked) return checked;
  const auto timed = [&](auto&& sort, auto&& resolve) {
    const std::clock_t start = std::clock();
    sort();
    const std::clock_t sorted = std::clock();
    resolve();
    times_ = {static_cast<double>(sorted - start) / CLOCKS_PER_SEC,
              static_cast<double>(std::clock() - sorted) / CLOCKS_PER_SEC};
  };
  switch (method) {
    case ClusterMethod::brute_force:
      timed([] {}, [&] { brute_force(s, pairs); });
      break;
    case ClusterMethod::single_level_max:
    case ClusterMethod::single_level_min: {
      const auto rule =
          method == ClusterMethod::single_level_max ? SingleLevelGrid::Rule::largest : SingleLevelGrid::Rule::smallest;
      SingleLevelGrid& m = methods_->single_level;
      timed([&] { m.sort(rule, s); }, [&] { m.resolve(s, pairs); });
      break;
    }
    case ClusterMethod::multi_level: {
      ClusterMultiLevel& m = methods_->multi_level;
      timed([&] { m.sort(s); }, [&] { m.resolve(s, pairs); });
      break;
    }
    case ClusterMethod::parts: {
      PartSearch& m = methods_->parts;
      timed([&] { m.sort(s); }, [&] { m.resolve(s, pairs); });
      break;
    }
  }
  return ok();
}

std::size_t ClusterSearch::bytes() const {
  return methods_->single_level.bytes() + methods_->multi_level.bytes() + methods_->parts.bytes();
}

}  // namespace scree::neighbour
