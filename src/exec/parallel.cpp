#include "exec/parallel.h"

#include <memory>
#include <thread>

#include <tbb/global_control.h>

namespace scree::exec {

namespace {
// The scheduler's own limit is process-wide; this only mirrors it.
std::unique_ptr<tbb::global_control> limit;
int current = 0;
}  // namespace

void set_threads(int n) {
  if (n <= 0) n = static_cast<int>(std::thread::hardware_concurrency());
  if (n < 1) n = 1;
  limit.reset();
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n));
  current = n;
}

int threads() {
  if (current == 0) set_threads(0);
  return current;
}

}  // namespace scree::exec
