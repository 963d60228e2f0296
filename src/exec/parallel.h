#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

namespace scree::exec {

/// Threads for parallel loops, kept apart from those of other contexts and from whatever else the process does with
/// TBB. Results never depend on how many there are.
class Context {
 public:
  /// 0: all cores.
  explicit Context(int threads = 0);
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();
  int threads() const { return threads_; }

  struct Pool;
  Pool& pool() const { return *pool_; }

 private:
  int threads_;
  std::unique_ptr<Pool> pool_;
};

/// While it lives, the loops that this thread starts run in the context. Loops within loops share its threads.
class Use {
 public:
  explicit Use(const Context& context);
  ~Use();
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  const Context* before_;
};

/// For a program of Scree's own: loops that this thread starts from now on use so many threads, in a context that the
/// thread keeps; 0: all cores. More than there are cores are made for the whole process, which is why libscree.so does
/// not call it.
void set_threads(int n);
/// Of this process.
int cores();
/// Of loops that this thread starts. Without a context those that TBB gives it.
int threads();

namespace detail {
/// chunk(c) for every c in [0, chunks), on the threads of the context.
void run_chunks(std::size_t chunks, const std::function<void(std::size_t)>& chunk);
}  // namespace detail

/// f(begin, end) over chunks of [0, n) with fixed borders (multiples of `grain`), and g(begin, end) over those of
/// [0, m), all at once: what a chunk does depends on its borders only, so writes to disjoint places give the same bits
/// for any number of threads. One loop of two starts the threads once and leaves fewer of them idle at its end.
template <class F, class G>
void parallel_both(std::size_t n, std::size_t m, std::size_t grain, F&& f, G&& g) {
  const auto run = [grain](std::size_t c, std::size_t size, auto&& body) {
    body(c * grain, (c + 1) * grain < size ? (c + 1) * grain : size);
  };
  const std::size_t first = (n + grain - 1) / grain, chunks = first + (m + grain - 1) / grain;
  const auto chunk = [&](std::size_t c) { c < first ? run(c, n, f) : run(c - first, m, g); };
  if (chunks <= 1 || threads() == 1) {
    for (std::size_t c = 0; c < chunks; ++c) chunk(c);
  } else {
    detail::run_chunks(chunks, std::ref(chunk));  // a copy would be made on the heap
  }
}

/// The same of one loop.
template <class F>
void parallel_chunks(std::size_t n, std::size_t grain, F&& f) {
  parallel_both(n, 0, grain, f, [](std::size_t, std::size_t) {});
}

template <class F>
void parallel_for(std::size_t n, std::size_t grain, F&& f) {
  parallel_chunks(n, grain, [&](std::size_t b, std::size_t e) {
    for (std::size_t i = b; i < e; ++i) f(i);
  });
}

/// map(begin, end) -> T per chunk, then combined in the order of the chunks: the same bits for any number of threads.
template <class T, class Map, class Combine>
T parallel_reduce(std::size_t n, std::size_t grain, T identity, Map&& map, Combine&& combine) {
  static_assert(!std::is_same_v<T, bool>, "several threads would write the words of one std::vector<bool>");
  std::vector<T> part((n + grain - 1) / grain, identity);
  parallel_chunks(n, grain, [&](std::size_t b, std::size_t e) { part[b / grain] = map(b, e); });
  T total = identity;
  for (const T& p : part) total = combine(total, p);
  return total;
}

}  // namespace scree::exec
