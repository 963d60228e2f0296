#include "neighbour/units.h"

#include <algorithm>

namespace scree::neighbour {

Result<Units> Units::make(const Bodies& spheres, std::span<const std::uint32_t> unit) {
  Units u;
  const std::size_t n = unit.size();
  if (spheres.x.size() != n) {
    return Error{std::to_string(spheres.x.size()) + " bodies and " + std::to_string(n) +
                 " numbers of units: each body belongs to one unit"};
  }
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
  u.of_.resize(n), u.member_.resize(n + kPadding);
  std::vector<std::uint32_t> next(count + 1u, 0);
  for (std::size_t i = 0; i < n; ++i) {
    u.of_[i] = rank[unit[i]];
    ++next[u.of_[i] + 1u];
  }
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  u.start_ = next;
  for (std::uint32_t i = 0; i < n; ++i) u.member_[next[u.of_[i]]++] = i;
  u.part_start_.reserve(count + 1u), u.part_unit_.reserve(count);
  for (std::size_t k = 0; k < count; ++k) u.cut(spheres, u.start_[k], u.start_[k + 1]);
  u.in_order_ = std::is_sorted(u.members().begin(), u.members().end());
  return u;
}

// Halves by number across the longest side, until they are small enough.
void Units::cut(const Bodies& s, std::uint32_t begin, std::uint32_t end) {
  if (end - begin <= kMostOfAPart) {
    std::sort(member_.begin() + begin, member_.begin() + end);
    part_start_.push_back(end);
    part_unit_.push_back(of_[member_[begin]]);
    return;
  }
  const Vec3 first = s.x[member_[begin]];
  const auto place = [&](std::uint32_t i) { return nearest_image(s.domain, s.x[i] - first); };
  Vec3 low{}, high{};
  for (std::uint32_t k = begin; k < end; ++k) {
    const Vec3 x = place(member_[k]);
    for (std::size_t a = 0; a < 3; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
  }
  const Vec3 side = high - low;
  const std::size_t axis = side.x >= side.y && side.x >= side.z ? 0 : (side.y >= side.z ? 1 : 2);
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(member_.begin() + begin, member_.begin() + middle, member_.begin() + end,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const double xa = place(a)[axis], xb = place(b)[axis];
                     return xa != xb ? xa < xb : a < b;
                   });
  cut(s, begin, middle);
  cut(s, middle, end);
}

}  // namespace scree::neighbour
