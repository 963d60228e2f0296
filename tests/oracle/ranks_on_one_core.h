#pragma once
#include <sched.h>

#include <utility>

#include "ranks/thread_ranks.h"

namespace scree::oracle {

/// As ranks::run_as_threads, the ranks on the core that this thread is on: they meet several times in a step, and to
/// wake one on another core, which the next test wants too, takes three times as long as to let it have this one.
template <class F>
void run_on_one_core(int ranks, int threads, F&& f) {
  bool pins = true;
#ifdef __SANITIZE_THREAD__
  pins = threads == 1;  // the sanitizer is to see those of a rank side by side
#endif
  struct Pinned {
    cpu_set_t before = {};
    bool is_known = false;
    explicit Pinned(bool pins) {
      cpu_set_t one = {};
      if (!pins) return;
      is_known = ::sched_getaffinity(0, sizeof before, &before) == 0;
      CPU_SET(static_cast<unsigned>(::sched_getcpu()), &one);
      if (is_known) ::sched_setaffinity(0, sizeof one, &one);
    }
    ~Pinned() {
      if (is_known) ::sched_setaffinity(0, sizeof before, &before);
    }
  } pinned(pins);
  ranks::run_as_threads(ranks, threads, std::forward<F>(f));
}

}  // namespace scree::oracle
