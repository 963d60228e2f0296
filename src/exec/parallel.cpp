#include "exec/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <memory>
#include <thread>

namespace scree::exec {

namespace {
// The scheduler is process-wide, so its size is too; an arena of its own admits more threads than cores.
struct Pool {
  explicit Pool(int n)
      : count(n), limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n)), arena(n) {}
  int count;
  tbb::global_control limit;
  tbb::task_arena arena;
};
std::unique_ptr<Pool> pool;
}  // namespace

void set_threads(int n) {
  if (n <= 0) n = static_cast<int>(std::thread::hardware_concurrency());
  if (n < 1) n = 1;
  pool.reset();
  pool = std::make_unique<Pool>(n);
}

int threads() {
  if (!pool) set_threads(0);
  return pool->count;
}

#ifdef __SANITIZE_THREAD__
// The system's libtbb is not built with the sanitizer, so the order that it makes between tasks cannot be seen and
// every loop would be reported (measured: 230 reports for 150 correct loops, also with TBB's own frames suppressed).
// Plain threads run the same chunks; the relaxed counter adds no order that TBB would not give.
void detail::run_chunks(std::size_t chunks, const std::function<void(std::size_t)>& chunk) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t c = 0; (c = next.fetch_add(1, std::memory_order_relaxed)) < chunks;) chunk(c);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads(); ++i) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
}
#else
void detail::run_chunks(std::size_t chunks, const std::function<void(std::size_t)>& chunk) {
  if (!pool) set_threads(0);
  pool->arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks, 1), [&](const tbb::blocked_range<std::size_t>& r) {
      for (std::size_t c = r.begin(); c != r.end(); ++c) chunk(c);
    });
  });
}
#endif

}  // namespace scree::exec
