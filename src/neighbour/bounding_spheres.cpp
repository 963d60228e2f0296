#include "neighbour/bounding_spheres.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree::neighbour {

void BoundingSpheres::find(const Clusters& s) {
  const Bodies& b = s.spheres;
  const std::size_t count = s.units->size();
  centre.resize(count), radius.resize(count);
  for (std::size_t u = 0; u < count; ++u) {
    const std::span<const std::uint32_t> members = s.units->members(u);
    const Vec3 first = b.x[members[0]];
    const double unit_r = b.r[members[0]];
    centre[u] = first, radius[u] = unit_r;
    if (members.size() == 1) continue;
    // Relative to the first sphere: neither a far origin nor a seam is felt.
    Vec3 moment{};
    double volume = 0;
    for (const std::uint32_t i : members) {
      const double q = b.r[i] / unit_r, v = q * q * q;
      moment += v * nearest_image(b.domain, b.x[i] - first);
      volume += v;
    }
    const Vec3 middle = wrapped(b.domain, first + moment / volume);
    double far = 0;
    for (const std::uint32_t i : members) far = std::max(far, norm(nearest_image(b.domain, b.x[i] - middle)) + b.r[i]);
    const bool fits = is_finite(middle) && std::isfinite(far);
    centre[u] = fits ? middle : first;
    radius[u] = fits ? far : std::numeric_limits<double>::infinity();
  }
}

}  // namespace scree::neighbour
