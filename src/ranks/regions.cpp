#include "ranks/regions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree::ranks {

bool Regions::Cut::is_before(Vec3 x) const {
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t a = (axis + k) % 3;
    if (x[a] != at[a]) return x[a] < at[a];
  }
  return false;
}

Regions::Regions(std::vector<Sample> samples, int ranks) : ranks_(ranks), cuts_(static_cast<std::size_t>(ranks - 1)) {
  for (Sample& s : samples)
    for (std::size_t a = 0; a < 3; ++a)
      if (std::isnan(s.x[a])) s.x[a] = std::numeric_limits<double>::infinity();
  divide(samples.begin(), samples.end(), 0, static_cast<std::size_t>(ranks));
}

void Regions::divide(Samples begin, Samples end, std::size_t cut, std::size_t ranks) {
  if (ranks == 1) return;
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Vec3 low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
  double weight = 0;
  for (auto s = begin; s != end; ++s) {
    weight += s->weight;
    for (std::size_t a = 0; a < 3; ++a) low[a] = std::min(low[a], s->x[a]), high[a] = std::max(high[a], s->x[a]);
  }
  Cut& c = cuts_[cut];
  for (std::size_t a = 1; a < 3; ++a)
    if (high[a] - low[a] > high[c.axis] - low[c.axis]) c.axis = a;
  std::sort(begin, end, [&c](const Sample& x, const Sample& y) { return Cut{c.axis, y.x}.is_before(x.x); });
  const std::size_t before = ranks / 2;
  const double share = weight * static_cast<double>(before) / static_cast<double>(ranks);
  auto middle = begin;
  for (double sum = 0; middle != end && sum + middle->weight / 2 < share; ++middle) sum += middle->weight;
  if (middle != end) c.at = middle->x;
  divide(begin, middle, cut + 1, before);
  divide(middle, end, cut + before, ranks - before);
}

int Regions::owner(Vec3 x) const {
  for (std::size_t a = 0; a < 3; ++a)
    if (std::isnan(x[a])) x[a] = std::numeric_limits<double>::infinity();
  std::size_t first = 0, cut = 0, ranks = static_cast<std::size_t>(ranks_);
  while (ranks > 1) {
    const std::size_t before = ranks / 2;
    if (cuts_[cut].is_before(x))
      ranks = before, ++cut;
    else
      first += before, cut += before, ranks -= before;
  }
  return static_cast<int>(first);
}

}  // namespace scree::ranks
