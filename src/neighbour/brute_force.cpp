#include "neighbour/neighbour.h"

namespace scree::neighbour {

void brute_force(const std::vector<Vec3>& x, const std::vector<double>& r, double margin, std::vector<Pair>& pairs) {
  pairs.clear();
  for (std::uint32_t a = 0; a < x.size(); ++a) {
    for (std::uint32_t b = a + 1; b < x.size(); ++b) {
      const double reach = r[a] + r[b] + margin;
      if (norm2(x[b] - x[a]) < reach * reach) pairs.emplace_back(a, b);
    }
  }
}

}  // namespace scree::neighbour
