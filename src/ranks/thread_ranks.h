#pragma once
#include <functional>

#include "ranks/ranks.h"

namespace scree::ranks {

/// Runs work(ranks) on as many threads as there are to be ranks, each with loops of its own (exec::Context of `threads`
/// threads), and waits for all. What one of them throws ends the others at their next collective call and is thrown
/// again here. Calls that do not stand at the same place in the source throw std::logic_error with both places.
void run_as_threads(int ranks, int threads, const std::function<void(Ranks&)>& work);

}  // namespace scree::ranks
