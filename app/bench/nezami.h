#pragma once
#include <string>

namespace scree::app {

/// `scree bench nezami-fig16`: time for common planes by each method over that by Cundall's search, for 180 to 540
/// grains that fill a box and that flow out of it (Nezami et al. 2004, section 7.2). Returns an exit code.
int bench_nezami_speed_up(const std::string& json, bool quick);
/// `scree bench nezami-fig17`: time for common planes against the number of corners, for heaps of 162 to 405 grains of
/// one shape. Returns an exit code.
int bench_nezami_corners(const std::string& json, bool quick);

}  // namespace scree::app
