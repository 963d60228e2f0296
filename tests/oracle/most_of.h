#pragma once
#include <algorithm>
#include <cmath>

namespace scree::oracle {

/// What a share may come to in a sample of n, where it is `share` of all: three deviations more.
inline double most_of(double share, int n) { return share + 3 * std::sqrt(share * (1 - share) / std::max(n, 1)); }

}  // namespace scree::oracle
