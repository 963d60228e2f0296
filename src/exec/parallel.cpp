#include "exec/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace scree::exec {

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

namespace {

/// TBB makes no more threads than cores unless it is asked to, process-wide.
void allow(int n) {
  static std::mutex mutex;
  static int allowed = cores();
  static std::unique_ptr<tbb::global_control> limit;
  const std::lock_guard lock(mutex);
  if (n <= allowed) return;
  allowed = n;
  limit.reset();  // of several the smallest counts
  limit =
      std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n));
}

thread_local const Context* current = nullptr;

}  // namespace

namespace {

using Arena = std::unique_ptr<tbb::task_arena>;

/// Arenas that no context has any more. TBB loses 7 kB with each one that had threads (2021.8), so that none is ever
/// given up.
struct Arenas {
  std::mutex mutex;
  std::vector<Arena> unused;

  static Arenas& all() {
    static Arenas* const arenas = new Arenas;  // may be asked for while the process ends
    return *arenas;
  }
  Arena take(int threads) {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find_if(unused, [&](const Arena& a) { return a->max_concurrency() == threads; });
    if (found == unused.end()) return std::make_unique<tbb::task_arena>(threads);
    Arena arena = std::move(*found);
    unused.erase(found);
    return arena;
  }
  void give_back(Arena arena) {
    const std::lock_guard lock(mutex);
    unused.push_back(std::move(arena));
  }
};

}  // namespace

struct Context::Pool {
  /// No more than TBB makes, be it by a host's wish: it would say so on stderr.
  explicit Pool(int n)
      : arena(Arenas::all().take(std::min(
            n, static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism))))) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { Arenas::all().give_back(std::move(arena)); }
  Arena arena;
};

Context::Context(int threads) : threads_(threads > 0 ? threads : cores()), pool_(std::make_unique<Pool>(threads_)) {}
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

Use::Use(const Context& context) : before_(std::exchange(current, &context)) {}
Use::~Use() { current = before_; }

void set_threads(int n) {
  thread_local std::optional<Context> own;
  allow(n);
  own.emplace(n);
  current = &*own;
}

int threads() { return current != nullptr ? current->threads() : tbb::this_task_arena::max_concurrency(); }

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
  for (int i = 1; i < threads(); ++i)
    others.emplace_back([&, context = current] {
      current = context;
      work();
    });
  work();
  for (std::thread& t : others) t.join();
}
#else
void detail::run_chunks(std::size_t chunks, const std::function<void(std::size_t)>& chunk) {
  const auto loop = [&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks, 1), [&](const tbb::blocked_range<std::size_t>& r) {
      for (std::size_t c = r.begin(); c != r.end(); ++c) chunk(c);
    });
  };
  // A thread of the pool is in the arena already.
  current != nullptr ? current->pool().arena->execute(loop) : loop();
}
#endif

}  // namespace scree::exec
