// What is asked of all grains at once.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "exec/parallel.h"
#include "sim/scratch.h"
#include "sim/spread.h"

namespace scree {

namespace {

constexpr std::size_t kCensusGrain = 4096;

struct Sizes {
  double widest = 0, lightest = std::numeric_limits<double>::infinity();
  void take(const Particles& p, std::size_t i) {
    widest = std::max(widest, p.radius[i]), lightest = std::min(lightest, p.mass[i]);
  }
};

/// Number n/2 of the ascending radii, all >= 0, byte by byte of their bits, the highest first: counts alone, which can
/// be summed from any parts.
double median_of(const Simulation& s, const Particles& come, std::uint64_t of_all) {
  const std::vector<double>& radii = s.particles.radius;
  const std::size_t n = s.particles.own_rows();
  constexpr std::size_t kDigits = 256;
  using Counts = std::array<std::int64_t, kDigits>;
  std::uint64_t known = 0;
  auto rank = static_cast<std::int64_t>(of_all / 2);
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto above = [shift](std::uint64_t bits) { return shift == 56 ? 0 : bits >> (shift + 8); };
    const auto count = [&](double radius, Counts& c) {
      const auto bits = std::bit_cast<std::uint64_t>(radius);
      if (above(bits) == above(known)) ++c[bits >> shift & (kDigits - 1)];
    };
    Counts counts = exec::parallel_reduce(
        n, kCensusGrain, Counts{},
        [&](std::size_t begin, std::size_t end) {
          Counts c{};
          for (std::size_t i = begin; i < end; ++i) count(radii[i], c);
          return c;
        },
        [](Counts a, const Counts& b) {
          for (std::size_t d = 0; d < kDigits; ++d) a[d] += b[d];
          return a;
        });
    if (s.spread.ranks != nullptr) s.spread.ranks->sum(counts);
    for (const double radius : come.radius) count(radius, counts);
    std::uint64_t digit = 0;
    while (rank >= counts[digit]) rank -= counts[digit++];
    known |= digit << shift;
  }
  return std::bit_cast<double>(known);
}

}  // namespace

void take_census(Simulation& s, const Particles& come) {
  const Particles& p = s.particles;
  const std::size_t n = p.own_rows();
  Sizes sizes = exec::parallel_reduce(
      n, kCensusGrain, Sizes{},
      [&](std::size_t begin, std::size_t end) {
        Sizes t;
        for (std::size_t i = begin; i < end; ++i) t.take(p, i);
        return t;
      },
      [](Sizes a, const Sizes& b) {
        return Sizes{std::max(a.widest, b.widest), std::min(a.lightest, b.lightest)};
      });
  for (std::size_t i = 0; i < come.size_rows(); ++i) sizes.take(come, i);
  Census& c = s.census;
  c.grains = sum_over_ranks(s, n) + come.size_rows(), c.widest = max_over_ranks(s, sizes.widest);
  const double lightest = -max_over_ranks(s, -sizes.lightest);
  c.lightest = c.grains > 0 ? lightest : 0;
  c.median = c.grains > 0 ? median_of(s, come, c.grains) : 0;
}

}  // namespace scree
