// Sums without rounding: against sums bit by bit, in any order and any split.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/exact_sum.h"
#include "base/random.h"

namespace scree {
namespace {

/// The slow reference: the terms as integers of 2300 bits in units of 2^-1074, those above and below zero apart;
/// rounded by comparing the two neighbouring doubles' distances.
class ByBits {
 public:
  void add(double x) {
    int exponent = 0;
    const double part = std::frexp(std::abs(x), &exponent);
    auto mantissa = static_cast<std::uint64_t>(std::ldexp(part, 53));
    int place = exponent - 53 + 1074;
    while (place < 0) mantissa >>= 1, ++place;  // of subnormals these bits are zero
    std::vector<int>& sum = x < 0 ? below_ : above_;
    for (std::size_t b = 0; b < 53; ++b)
      if ((mantissa >> b & 1) != 0) add_bit(sum, static_cast<std::size_t>(place) + b);
  }
  double value() const {
    const bool negative = less(above_, below_);
    std::vector<int> size = negative ? minus(below_, above_) : minus(above_, below_);
    std::size_t highest = kBits;
    while (highest > 0 && size[highest - 1] == 0) --highest;
    if (highest == 0) return 0;
    double value = 0;
    const std::size_t lowest = highest > 53 ? highest - 53 : 0;
    for (std::size_t b = highest; b-- > lowest;)
      if (size[b] != 0) value += std::ldexp(1.0, static_cast<int>(b) - 1074);
    if (lowest > 0 && size[lowest - 1] != 0) {
      bool beyond = false;
      for (std::size_t b = 0; b + 1 < lowest; ++b) beyond = beyond || size[b] != 0;
      if (beyond || size[lowest] != 0) value += std::ldexp(1.0, static_cast<int>(lowest) - 1074);
    }
    return negative ? -value : value;
  }

 private:
  static constexpr std::size_t kBits = 2300;
  static void add_bit(std::vector<int>& sum, std::size_t b) {
    while (sum[b] != 0) sum[b++] = 0;
    sum[b] = 1;
  }
  static bool less(const std::vector<int>& a, const std::vector<int>& b) {
    for (std::size_t k = kBits; k-- > 0;)
      if (a[k] != b[k]) return a[k] < b[k];
    return false;
  }
  static std::vector<int> minus(std::vector<int> a, const std::vector<int>& b) {
    for (std::size_t k = 0, borrow = 0; k < kBits; ++k) {
      const int d = a[k] - b[k] - static_cast<int>(borrow);
      a[k] = d & 1, borrow = d < 0 ? 1 : 0;
    }
    return a;
  }
  std::vector<int> above_ = std::vector<int>(kBits), below_ = std::vector<int>(kBits);
};

double draw_term(Random& draw, int kind) {
  const double sign = draw.uniform() < 0.5 ? -1 : 1;
  if (kind == 0) return sign * draw.uniform();
  if (kind == 1) return sign * std::ldexp(draw.uniform(), static_cast<int>(2000 * draw.uniform()) - 1050);
  if (kind == 2) return sign * std::ldexp(std::floor(8 * draw.uniform()), -1074);  // subnormal
  return sign * std::ldexp(1, static_cast<int>(54 * draw.uniform()));              // halves of the last place
}

TEST(ExactSum, IsTheSumBitByBitInAnyOrderAndSplit) {
  Random draw(20, 7);
  for (int trial = 0; trial < 400; ++trial) {
    const auto n = static_cast<std::size_t>(1 + 60 * draw.uniform());
    std::vector<double> terms;
    for (std::size_t k = 0; k < n; ++k) terms.push_back(draw_term(draw, trial % 4));
    if (trial % 8 > 3)  // all but cancel
      for (std::size_t k = 0; k + 1 < n; ++k) terms.push_back(-terms[k]);
    ByBits reference;
    ExactSum forth, back, parts[3];
    for (const double x : terms)
      reference.add(x), forth.add(x), parts[static_cast<std::size_t>(3 * draw.uniform())] += x;
    for (std::size_t k = terms.size(); k-- > 0;) back.add(terms[k]);
    parts[1].carry();
    for (const int k : {2, 0, 1}) {
      if (k != 2) parts[2].add(parts[k]);
    }
    EXPECT_EQ(forth.value(), reference.value()) << trial;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.value()), std::bit_cast<std::uint64_t>(forth.value())) << trial;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(parts[2].value()), std::bit_cast<std::uint64_t>(forth.value())) << trial;
  }
}

TEST(ExactSum, RoundsToNearestEvenAndOnce) {
  const auto sum = [](std::initializer_list<double> terms) {
    ExactSum s;
    for (const double x : terms) s.add(x);
    return s.value();
  };
  const double e = 0x1p-53, tiny = 0x1p-1074;
  EXPECT_EQ(sum({1, e}), 1);
  EXPECT_EQ(sum({1, e, tiny}), 1 + 2 * e);
  EXPECT_EQ(sum({1, e, -tiny}), 1);
  EXPECT_EQ(sum({1 + 2 * e, e}), 1 + 4 * e);
  EXPECT_EQ(sum({1e300, 1, -1e300}), 1);
  EXPECT_EQ(sum({tiny, tiny, -tiny}), tiny);
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({-0.0}), 0);
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(sum({most, most, -most}), most) << "what is beyond all doubles on the way is not lost";
  EXPECT_EQ(sum({most, most}), HUGE_VAL);
  EXPECT_EQ(sum({-most, -most}), -HUGE_VAL);
}

TEST(ExactSum, KeepsWhatIsNotFinite) {
  ExactSum up, both, none;
  up.add(HUGE_VAL), up.add(1);
  both.add(up), both.add(-HUGE_VAL);
  none.add(std::nan(""));
  EXPECT_EQ(up.value(), HUGE_VAL);
  EXPECT_TRUE(std::isnan(both.value()));
  EXPECT_TRUE(std::isnan(none.value()));
}

TEST(ExactSum, WordsOfManyAddAsIntegers) {
  ExactSum one;
  for (int k = 0; k < 1000; ++k) one.add(k % 2 == 0 ? 0.1 : -0.3);
  one.carry();
  ExactSum many;
  for (int k = 0; k < 12; ++k) one.add(ExactSum(one));  // 4096 times
  many.add(one);
  ByBits reference;
  for (int k = 0; k < 1000; ++k) reference.add((k % 2 == 0 ? 0.1 : -0.3) * 4096);
  EXPECT_EQ(many.value(), reference.value());
  for (std::size_t w = 0; w + 1 < ExactSum::kWords; ++w) EXPECT_LT(std::abs(many.words()[w]), std::int64_t{1} << 62);
}

}  // namespace
}  // namespace scree
