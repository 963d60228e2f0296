#include "base/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace scree {

namespace {

constexpr std::int64_t kLow = 0xffffffff;

}  // namespace

void ExactSum::add(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<std::uint32_t>(bits >> 52 & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7ff) {
    (mantissa != 0 ? nan_ : x > 0 ? infinite_ : minus_infinite_) = true;
    return;
  }
  if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
  const std::uint32_t place = std::max(exponent, 1u), shift = place & 31;  // subnormals have the exponent of one
  const std::uint64_t low = mantissa << shift, high = shift == 0 ? 0 : mantissa >> (64 - shift);
  const std::int64_t sign = -static_cast<std::int64_t>(bits >> 63);  // (v ^ -1) + 1 = -v
  const auto put = [&](std::size_t w, std::uint64_t v) { words_[w] += (static_cast<std::int64_t>(v) ^ sign) - sign; };
  const std::size_t first = place >> 5;
  put(first, low & kLow), put(first + 1, low >> 32), put(first + 2, high);
  if (++terms_ == kUncarried) carry();
}

void ExactSum::add(const ExactSum& other) {
  if (terms_ + std::uint64_t{other.terms_} + 2 >= kUncarried) {
    carry();
    if (other.terms_ + 2 >= kUncarried) {
      ExactSum carried = other;
      carried.carry();
      return add(carried);
    }
  }
  for (std::size_t w = 0; w < kWords; ++w) words_[w] += other.words_[w];
  terms_ += other.terms_ + 1;  // what is carried is as large as a term
  infinite_ |= other.infinite_, minus_infinite_ |= other.minus_infinite_, nan_ |= other.nan_;
}

void ExactSum::carry() {
  for (std::size_t w = 0; w + 1 < kWords; ++w) words_[w + 1] += words_[w] >> 32, words_[w] &= kLow;
  terms_ = 0;
}

// The last word counts the sums with terms that are no numbers: 21 bits for each kind.
constexpr int kKindBits = 21;

void ExactSum::pack(std::span<std::int64_t, kPacked> to) {
  carry();
  std::copy(words_.begin(), words_.end(), to.begin());
  to[kWords] =
      std::int64_t{infinite_} | std::int64_t{minus_infinite_} << kKindBits | std::int64_t{nan_} << (2 * kKindBits);
}

ExactSum ExactSum::unpack(std::span<const std::int64_t, kPacked> from) {
  ExactSum sum;
  std::copy_n(from.begin(), kWords, sum.words_.begin());
  const auto has = [&](int kind) { return (from[kWords] >> (kind * kKindBits) & ((1 << kKindBits) - 1)) != 0; };
  sum.infinite_ = has(0), sum.minus_infinite_ = has(1), sum.nan_ = has(2);
  sum.carry();
  return sum;
}

double ExactSum::value() const {
  if (nan_ || (infinite_ && minus_infinite_)) return std::numeric_limits<double>::quiet_NaN();
  if (infinite_ || minus_infinite_) return infinite_ ? HUGE_VAL : -HUGE_VAL;
  std::size_t low = 0, high = kWords;
  while (low < kWords && words_[low] == 0) ++low;
  if (low == kWords) return 0;
  while (words_[high - 1] == 0) --high;
  std::array<std::int64_t, kWords + 3> words{};  // two words can be read behind the highest
  for (std::size_t w = low; w < high; ++w) words[w] = words_[w];
  const auto carry_up = [&] {
    for (std::size_t w = low; w < high; ++w) words[w + 1] += words[w] >> 32, words[w] &= kLow;
  };
  carry_up();
  const bool negative = words[high] < 0;
  if (negative) {
    for (std::size_t w = low; w <= high; ++w) words[w] = -words[w];
    carry_up();
  }
  std::size_t top = high + 1;
  while (top > low && words[top - 1] == 0) --top;
  if (top == low) return 0;
  const auto bit_at = [&](std::size_t b) { return words[b >> 5] >> (b & 31) & 1; };
  const std::size_t highest =
      32 * (top - 1) + static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(words[top - 1]))) - 1;
  // The last bit that a double of this size has; below 2^-1074 there is none.
  const std::size_t lowest = highest > 53 ? highest - 52 : 1, first = lowest >> 5, shift = lowest & 31;
  const auto word = [&](std::size_t w) { return static_cast<std::uint64_t>(words[w]); };
  std::uint64_t mantissa = (word(first) | word(first + 1) << 32) >> shift;
  if (shift != 0) mantissa |= word(first + 2) << (64 - shift);
  if (bit_at(lowest - 1) != 0) {
    bool beyond_half = (words[(lowest - 1) >> 5] & ((std::int64_t{1} << ((lowest - 1) & 31)) - 1)) != 0;
    for (std::size_t w = low; w < (lowest - 1) >> 5; ++w) beyond_half = beyond_half || words[w] != 0;
    if (beyond_half || (mantissa & 1) != 0) ++mantissa;
  }
  const double rounded = std::ldexp(static_cast<double>(mantissa), static_cast<int>(lowest) - 1075);
  return negative ? -rounded : rounded;
}

}  // namespace scree
