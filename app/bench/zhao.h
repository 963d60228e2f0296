#pragma once
#include <string>

namespace scree::app {

/// Zhao et al. 2006, section 3.2.1: bounding spheres of grains at rest in a box. Each returns an exit code; 1 also when
/// lists differ.
/// `scree bench zhao-fig6`: time of the two-level search against the box size S/D50. `positions`: a file whose grains
/// take the place of the built-in sets.
int bench_zhao_box_size(const std::string& json, bool quick, const std::string& positions);
/// `scree bench zhao-fig7`: the same for grains of four shapes.
int bench_zhao_shape(const std::string& json, bool quick);
/// `scree bench zhao-fig8`: time against the number of grains, for size ratios from 1:1 to 1:12.
int bench_zhao_size_ratio(const std::string& json, bool quick);
/// `scree bench zhao-fig9`: time of NBS with the check of bounding spheres over that of the two-level search.
int bench_zhao_speed_up(const std::string& json, bool quick);

}  // namespace scree::app
