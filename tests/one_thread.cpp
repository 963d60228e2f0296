// Two tests run at a time, and their beds are small: a second thread of each would take the other's core, and time to
// wait for. Tests that are about threads ask for them.
#include "exec/parallel.h"

namespace {
const bool has_one = (scree::exec::set_threads(1), true);
}  // namespace
