#include "neighbour/units.h"

namespace scree::neighbour {

Result<Units> Units::make(std::span<const std::uint32_t> unit) {
  Units u;
  const std::size_t n = unit.size();
  std::vector<std::uint32_t> rank(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (unit[i] >= n) {
      return Error{"body " + std::to_string(i) + ": its unit " + std::to_string(unit[i]) +
                   " is not below the number of bodies, " + std::to_string(n)};
    }
    rank[unit[i]] = 1;
  }
  std::uint32_t count = 0;
  for (std::uint32_t& r : rank) r = r == 0 ? 0 : count++;
  u.of_.resize(n), u.member_.resize(n);
  std::vector<std::uint32_t> next(count + 1u, 0);
  for (std::size_t i = 0; i < n; ++i) {
    u.of_[i] = rank[unit[i]];
    ++next[u.of_[i] + 1u];
  }
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  u.start_ = next;
  for (std::uint32_t i = 0; i < n; ++i) u.member_[next[u.of_[i]]++] = i;
  return u;
}

}  // namespace scree::neighbour
