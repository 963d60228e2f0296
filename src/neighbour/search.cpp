#include <algorithm>
#include <cmath>
#include <limits>

#include "neighbour/brute_force.h"
#include "neighbour/neighbour.h"
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
    case Method::automatic:
      break;
  }
  return "auto";
}

Status check(const Bodies& s) {
  const std::size_t n = s.x.size();
  if (s.r.size() != n) {
    return Error{std::to_string(n) + " centres and " + std::to_string(s.r.size()) +
                 " radii: each body needs one of both"};
  }
  if (n >= std::numeric_limits<std::uint32_t>::max()) return Error{"more than 2^32 - 2 bodies"};
  if (!(s.margin >= 0) || !std::isfinite(s.margin)) return Error{"the margin must be finite and not negative"};
  if (!(s.cell > 0) || !std::isfinite(s.cell)) return Error{"the factor on the cell size must be finite and above 0"};
  if (s.dimensions != 2 && s.dimensions != 3) return Error{"dimensions must be 2 or 3"};
  double widest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string body = "body " + std::to_string(i);
    const Vec3 x = s.x[i];
    if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z))
      return Error{body + ": its centre is not finite"};
    if (!(s.r[i] > 0) || !std::isfinite(s.r[i])) return Error{body + ": its radius must be finite and above 0"};
    if (s.dimensions == 2 && x.z != s.x[0].z) return Error{body + ": two dimensions need the same z for all bodies"};
    widest = std::max(widest, s.r[i]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (s.domain.periodic[axis] && !(x[axis] >= s.domain.low[axis] && x[axis] <= s.domain.high[axis])) {
        return Error{body + ": its centre lies outside the periodic domain"};
      }
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!s.domain.periodic[axis]) continue;
    const double period = s.domain.high[axis] - s.domain.low[axis];
    if (!std::isfinite(period) || !(period > 2 * (2 * widest + s.margin))) {
      return Error{"the periodic domain must be longer than twice the longest reach of a pair"};
    }
  }
  return ok();
}

Choice choose(const Bodies&) { return {Method::two_level, "the only fast method so far"}; }

struct Search::Methods {
  TwoLevel two_level;
};

Search::Search() : methods_(std::make_unique<Methods>()) {}
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;
Search::~Search() = default;

Status Search::find(Method method, const Bodies& bodies, std::vector<Pair>& pairs) {
  pairs.clear();
  if (Status checked = check(bodies); !checked) return checked;
  choice_ = method == Method::automatic ? choose(bodies) : Choice{method, "as the case asks"};
  switch (choice_.method) {
    case Method::brute_force:
      brute_force(bodies, pairs);
      return ok();
    case Method::two_level:
      methods_->two_level.find(bodies, pairs);
      return ok();
    default:
      return Error{"neighbour search '" + std::string(name(choice_.method)) + "' is not there yet"};
  }
}

std::size_t Search::bytes() const { return methods_->two_level.bytes(); }

}  // namespace scree::neighbour
