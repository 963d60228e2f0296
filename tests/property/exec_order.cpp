// LIBS: scree_exec
// Scans and sorts against the standard library's, on any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "exec/order.h"

namespace scree {
namespace {

struct Threads {
  explicit Threads(int n) { exec::set_threads(n); }
  ~Threads() { exec::set_threads(0); }
};

const std::size_t kSizes[] = {0, 1, 2, 255, 16384, 16385, 100003};

TEST(Order, RunningSumIsThatOfTheStandardLibrary) {
  std::mt19937_64 draw(1);
  for (const std::size_t n : kSizes) {
    std::vector<std::uint32_t> v(n);
    for (auto& x : v) x = static_cast<std::uint32_t>(draw());  // sums wrap around alike
    std::vector<std::uint32_t> expected(n);
    std::partial_sum(v.begin(), v.end(), expected.begin());
    for (const int threads : {1, 2, 5}) {
      const Threads use(threads);
      auto w = v;
      exec::running_sum(w);
      EXPECT_EQ(w, expected) << n << " on " << threads;
    }
  }
}

TEST(Order, SortByKeyIsTheStableSort) {
  std::mt19937_64 draw(2);
  for (const std::size_t n : kSizes) {
    // All bits; few keys, so that most are equal; the highest and the lowest byte; already in order; one key.
    for (const std::uint64_t mask : {~0ull, 7ull, 0xff000000000000ffull, 0ull}) {
      std::vector<std::uint64_t> keys(n);
      for (auto& k : keys) k = draw() & mask;
      std::vector<std::uint32_t> items(n);
      std::iota(items.begin(), items.end(), 0u);
      auto expected = items;
      std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
      for (const int threads : {1, 2, 5}) {
        const Threads use(threads);
        auto k = keys;
        auto sorted = items;
        exec::sort_by_key(k, sorted);
        EXPECT_EQ(sorted, expected) << n << " on " << threads;
        EXPECT_TRUE(std::is_sorted(k.begin(), k.end()));
        exec::sort_by_key(k, sorted);
        EXPECT_EQ(sorted, expected) << "what is in order stays";
      }
    }
  }
}

}  // namespace
}  // namespace scree
