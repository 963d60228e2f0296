// LIBS: scree_exec
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "exec/parallel.h"

namespace {

using namespace scree;

struct Threads {
  explicit Threads(int n) { exec::set_threads(n); }
  ~Threads() { exec::set_threads(0); }
};

TEST(Parallel, EveryIndexIsVisitedOnceForAnyNumberOfThreads) {
  for (const int n : {1, 2, 3, 4, 7}) {
    const Threads threads(n);
    EXPECT_EQ(exec::threads(), n);
    for (const std::size_t count : {0ul, 1ul, 63ul, 64ul, 65ul, 10007ul}) {
      std::vector<int> visits(count, 0);
      exec::parallel_for(count, 64, [&](std::size_t i) { ++visits[i]; });
      EXPECT_EQ(visits, std::vector<int>(count, 1)) << n << " threads";
    }
  }
}

TEST(Parallel, ChunksHaveTheSameBordersForAnyNumberOfThreads) {
  std::set<std::pair<std::size_t, std::size_t>> expected;
  for (std::size_t b = 0; b < 1000; b += 64) expected.emplace(b, std::min<std::size_t>(b + 64, 1000));
  for (const int n : {1, 2, 4}) {
    const Threads threads(n);
    std::set<std::pair<std::size_t, std::size_t>> seen;
    std::mutex mutex;
    exec::parallel_chunks(1000, 64, [&](std::size_t b, std::size_t e) {
      const std::lock_guard lock(mutex);
      seen.emplace(b, e);
    });
    EXPECT_EQ(seen, expected);
  }
}

TEST(Parallel, TwoLoopsAtOnceHaveTheChunksOfEach) {
  using Chunks = std::set<std::pair<std::size_t, std::size_t>>;
  const auto expected = [](std::size_t size) {
    Chunks c;
    for (std::size_t b = 0; b < size; b += 64) c.emplace(b, std::min<std::size_t>(b + 64, size));
    return c;
  };
  for (const int n : {1, 2, 4}) {
    const Threads threads(n);
    for (const auto& [first, second] :
         {std::pair(1000ul, 200ul), {0ul, 130ul}, {130ul, 0ul}, {64ul, 1ul}, {0ul, 0ul}}) {
      Chunks of[2];
      std::mutex mutex;
      const auto note = [&](std::size_t which) {
        return [&, which](std::size_t b, std::size_t e) {
          const std::lock_guard lock(mutex);
          EXPECT_TRUE(of[which].emplace(b, e).second) << "once";
        };
      };
      exec::parallel_both(first, second, 64, note(0), note(1));
      EXPECT_EQ(of[0], expected(first));
      EXPECT_EQ(of[1], expected(second));
    }
  }
}

TEST(Parallel, SumOfFloatsHasTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> terms(100003);
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] = std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 17));
  const auto sum = [&] {
    return exec::parallel_reduce(
        terms.size(), 512, 0.0,
        [&](std::size_t b, std::size_t e) {
          return std::accumulate(terms.begin() + static_cast<long>(b), terms.begin() + static_cast<long>(e), 0.0);
        },
        [](double a, double b) { return a + b; });
  };
  exec::set_threads(1);
  const double alone = sum();
  for (const int n : {2, 3, 4}) {
    const Threads threads(n);
    for (int again = 0; again < 20; ++again) EXPECT_EQ(sum(), alone);
  }
}

TEST(Parallel, ALoopSeesAllThatTheLoopBeforeItWrote) {
  const Threads threads(4);
  std::vector<std::size_t> a(20000), b(20000);
  std::iota(a.begin(), a.end(), 0);
  for (int round = 0; round < 50; ++round) {
    exec::parallel_for(a.size(), 256, [&](std::size_t i) { b[i] = a[(i * 7919) % a.size()]; });
    exec::parallel_for(a.size(), 256, [&](std::size_t i) { a[(i * 7919) % a.size()] = b[i]; });
  }
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], i);
}

TEST(Context, IsOfTheThreadThatUsesItAndOfItsLoops) {
  exec::set_threads(3);
  const exec::Context one(1), two(2);
  {
    const exec::Use outer(two);
    EXPECT_EQ(exec::threads(), 2);
    std::atomic<int> other = 0;
    exec::parallel_for(64, 1, [&](std::size_t) { other += exec::threads() != 2; });
    EXPECT_EQ(other, 0) << "loops within a loop have the threads of its context";
    std::thread([] {
      EXPECT_EQ(exec::threads(), tbb::this_task_arena::max_concurrency()) << "another thread has none";
      exec::set_threads(4);
      EXPECT_EQ(exec::threads(), 4);
    }).join();
    EXPECT_EQ(exec::threads(), 2);
    {
      const exec::Use inner(one);
      EXPECT_EQ(exec::threads(), 1);
    }
    EXPECT_EQ(exec::threads(), 2);
  }
  EXPECT_EQ(exec::threads(), 3);
  exec::set_threads(0);
}

TEST(Context, TakesNoMemoryThatStaysWhenItGoes) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "loops have threads of their own there, without TBB";
#endif
  const auto resident = [] {  // bytes that are of no file
    std::ifstream file("/proc/self/statm");
    std::int64_t pages = 0, all = 0, of_files = 0;
    file >> pages >> all >> of_files;
    return (all - of_files) * 4096;
  };
  constexpr int kContexts = 500;
  const auto growth = [&] {
    const std::int64_t before = resident();
    for (int k = 0; k < kContexts; ++k) {
      const exec::Context context(3);
      const exec::Use use(context);
      exec::parallel_for(8, 1, [](std::size_t) {});
    }
    return resident() - before;
  };
  growth();
  EXPECT_LT(std::min({growth(), growth(), growth()}), 1000 * kContexts) << "7 kB each, where TBB's arenas come and go";
}

TEST(Context, LeavesTheHostsOwnUseOfTbbAlone) {
  std::thread([] {
    using Control = tbb::global_control;
    const auto allowed = [] { return Control::active_value(Control::max_allowed_parallelism); };
    const std::size_t before = allowed();
    const int outside = tbb::this_task_arena::max_concurrency();
    const exec::Context context(7);
    const exec::Use use(context);
    std::atomic<int> visits = 0;
    exec::parallel_for(100, 1, [&](std::size_t) { ++visits; });
    EXPECT_EQ(visits, 100);
    EXPECT_EQ(allowed(), before);
    EXPECT_EQ(tbb::this_task_arena::max_concurrency(), outside);
    tbb::task_arena host(1);
    host.execute([&] {
      exec::parallel_for(100, 1, [&](std::size_t) { ++visits; });
      EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 1) << "the host's arena is still the host's";
    });
    EXPECT_EQ(visits, 200);
  }).join();
}

TEST(Parallel, MoreThreadsThanCoresRunAtOnce) {
  const Threads threads(4);
  std::atomic<int> here = 0;
  std::atomic<bool> all = false;
  exec::parallel_for(4, 1, [&](std::size_t) {
    ++here;
    // Chunks that run one after the other would never meet.
    for (int wait = 0; wait < 5000 && !all; ++wait) {
      if (here == 4) all = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_TRUE(all);
}

}  // namespace
