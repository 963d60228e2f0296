#include "ranks/wait_watch.h"

#include <algorithm>
#include <utility>

namespace scree::ranks {

WaitWatch::WaitWatch(const Ranks& ranks, double patience, Tell tell)
    : ranks_(ranks),
      patience_(patience),
      next_(patience),
      tell_(std::move(tell)),
      met_(ranks.calls_met()),
      looking_(std::min(1.0, patience / 8), [this] { look(); }) {}

void WaitWatch::look() {
  if (const std::uint64_t met = ranks_.calls_met(); met != met_) {
    if (next_ > patience_) tell_(since_.seconds(), true);
    met_ = met, since_ = Stopwatch(), next_ = patience_;
  } else if (met % 2 == 1 && since_.seconds() >= next_) {
    tell_(since_.seconds(), false);
    next_ *= 2;
  }
}

}  // namespace scree::ranks
