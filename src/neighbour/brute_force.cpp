#include "neighbour/brute_force.h"

namespace scree::neighbour {

void brute_force(const Bodies& bodies, std::vector<Pair>& pairs) {
  pairs.clear();
  for (std::uint32_t a = 0; a < bodies.x.size(); ++a) {
    for (std::uint32_t b = a + 1; b < bodies.x.size(); ++b) {
      if (meets(bodies, a, b)) pairs.emplace_back(a, b);
    }
  }
}

}  // namespace scree::neighbour
