#pragma once
#include <algorithm>
#include <chrono>

namespace scree {

/// Wall clock since it was made (s), never below 0, whatever the clock does.
class Stopwatch {
 public:
  double seconds() const { return std::max(0.0, std::chrono::duration<double>(Clock::now() - start_).count()); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Adds the wall clock of its scope to a sum (s).
class Timer {
 public:
  explicit Timer(double& sum) : sum_(sum) {}
  ~Timer() { sum_ += watch_.seconds(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& sum_;
  Stopwatch watch_;
};

}  // namespace scree
