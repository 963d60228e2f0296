#include "exec/parallel.h"

#include <memory>
#include <thread>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

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

void detail::run_chunks(std::size_t chunks, const std::function<void(std::size_t)>& chunk) {
  if (!pool) set_threads(0);
  pool->arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks, 1), [&](const tbb::blocked_range<std::size_t>& r) {
      for (std::size_t c = r.begin(); c != r.end(); ++c) chunk(c);
    });
  });
}

}  // namespace scree::exec
