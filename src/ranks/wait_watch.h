#pragma once
#include <cstdint>
#include <functional>

#include "base/timer.h"
#include "exec/now_and_then.h"
#include "ranks/ranks.h"

namespace scree::ranks {

/// Tells, from a thread of its own, when a collective call does not come back: where a machine or the network has
/// stopped nobody else says so for minutes, and of a process that stands still nobody at all.
class WaitWatch {
 public:
  /// `seconds`: how long the call has waited; `is_over`: it has come back, of one that was told of.
  using Tell = std::function<void(double seconds, bool is_over)>;
  /// First after `patience` (s), then whenever the time has doubled. `ranks` must outlive it.
  WaitWatch(const Ranks& ranks, double patience, Tell tell);

 private:
  void look();

  const Ranks& ranks_;
  double patience_, next_;
  Tell tell_;
  std::uint64_t met_;
  Stopwatch since_;
  exec::NowAndThen looking_;  // last: it ends before the rest
};

}  // namespace scree::ranks
