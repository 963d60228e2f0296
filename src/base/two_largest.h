#pragma once
#include <algorithm>

namespace scree {

/// The two largest of values that are not negative; 0 for those that are not there.
struct TwoLargest {
  double first = 0, second = 0;
  void take(double value) { second = std::max(second, std::min(first, value)), first = std::max(first, value); }
  void take(const TwoLargest& o) { take(o.first), take(o.second); }
};

}  // namespace scree
