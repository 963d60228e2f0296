#include "neighbour/size_levels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "exec/parallel.h"

namespace scree::neighbour {

namespace {

constexpr std::size_t kSteps = 32;  // the last takes all sizes below 2^-15 of the largest
constexpr std::size_t kSizeGrain = 4096;

struct Spectrum {
  std::array<SizeLevel, kSteps> step{};
  Vec3 low, high;
};

void add(SizeLevel& to, const SizeLevel& other) {
  if (other.count == 0) return;
  to.smallest = to.count == 0 ? other.smallest : std::min(to.smallest, other.smallest);
  to.largest = std::max(to.largest, other.largest);
  to.count += other.count;
}

Spectrum spectrum_of(const Bodies& s, double largest) {
  const auto part = [&](std::size_t begin, std::size_t end) {
    Spectrum p{{}, s.x[begin], s.x[begin]};
    for (std::size_t i = begin; i < end; ++i) {
      const double r = s.r[i], below = largest / r, square = below * below;  // at least 1; NaN where all radii are zero
      const std::size_t k = square < 4e9 ? (std::bit_cast<std::uint64_t>(square) >> 52) - 1023 : kSteps - 1;
      add(p.step[std::min(k, kSteps - 1)], {1, r, r});
      for (std::size_t a = 0; a < 3; ++a) {
        p.low[a] = std::min(p.low[a], s.x[i][a]);
        p.high[a] = std::max(p.high[a], s.x[i][a]);
      }
    }
    return p;
  };
  const auto join = [](Spectrum a, const Spectrum& b) {
    for (std::size_t k = 0; k < kSteps; ++k) add(a.step[k], b.step[k]);
    for (std::size_t k = 0; k < 3; ++k) {
      a.low[k] = std::min(a.low[k], b.low[k]);
      a.high[k] = std::max(a.high[k], b.high[k]);
    }
    return a;
  };
  return exec::parallel_reduce(s.x.size(), kSizeGrain, Spectrum{{}, s.x[0], s.x[0]}, part, join);
}

}  // namespace

double cost_around(const SizeLevel& level, Vec3 span, double r, double margin) {
  const double reach = r + level.largest + margin;
  double least = std::numeric_limits<double>::infinity();
  double width = 2 * level.largest + margin;
  for (int k = 0; k < 6; ++k, width *= 2) {
    double rows = 1, candidates = static_cast<double>(level.count);
    for (std::size_t a = 0; a < 3; ++a) {
      const double w = a == 0 ? width / 2 : width;
      candidates *= std::min(1.0, (2 * reach + w) / (span[a] + w));
      if (a > 0) rows *= std::min(2 * reach, span[a]) / w + 1;
    }
    least = std::min(least, kCostOfSearch + kCostOfRow * rows + kCostOfCandidate * candidates);
  }
  return least;
}

SizeLevels choose_levels(const Bodies& s) {
  SizeLevels plan;
  if (s.x.empty()) return plan;
  const double largest = exec::parallel_reduce(
      s.r.size(), kSizeGrain, 0.0,
      [&](std::size_t b, std::size_t e) { return *std::max_element(s.r.data() + b, s.r.data() + e); },
      [](double a, double b) { return std::max(a, b); });
  const Spectrum all = spectrum_of(s, largest);
  std::vector<SizeLevel> step;
  for (const SizeLevel& l : all.step) {
    if (l.count > 0) step.push_back(l);
  }
  std::reverse(step.begin(), step.end());
  const Vec3 span = all.high - all.low;
  // best[q]: least cost of levels for the steps below q, where each step also searches the levels above its own; the
  // sum goes over levels, for each what all bodies up to its size pay for it.
  std::vector<double> best(step.size() + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> from(step.size() + 1, 0);
  best[0] = 0;
  constexpr double kCostOfLevel = 5000;  // ns, to set up
  for (std::size_t p = 0; p < step.size(); ++p) {
    SizeLevel level;
    for (std::size_t q = p + 1; q <= step.size(); ++q) {
      add(level, step[q - 1]);
      double cost = kCostOfLevel;
      for (std::size_t b = 0; b < q; ++b) {
        cost += static_cast<double>(step[b].count) * cost_around(level, span, step[b].largest, s.margin);
      }
      if (p == 0 && q == step.size()) plan.cost_of_one = cost;
      if (!(best[p] + cost >= best[q])) best[q] = best[p] + cost, from[q] = p;
    }
  }
  for (std::size_t q = step.size(); q > 0; q = from[q]) {
    SizeLevel level;
    for (std::size_t k = from[q]; k < q; ++k) add(level, step[k]);
    plan.levels.push_back(level);
  }
  std::reverse(plan.levels.begin(), plan.levels.end());
  plan.cost = best.back() / static_cast<double>(s.x.size());
  plan.cost_of_one /= static_cast<double>(s.x.size());
  return plan;
}

}  // namespace scree::neighbour
