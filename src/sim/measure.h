#pragma once
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace scree {

/// Of a grain, by its row: m^3, in two dimensions m^2.
double solid_volume(const Simulation& s, std::size_t i);

/// Names of the columns of a measurement, with units: "base stress_zz [Pa]".
std::vector<std::string> columns_of(const Case::Measure& m, int dimensions);

/// Their values for the state as it stands (docs/measurements.md says how each is taken); NaN: has none. The same bits
/// for any number of threads and any order of the grains. O(particles + contacts), with a sort of the sizes.
std::vector<double> measure(const Simulation& s, const Case::Measure& m);

}  // namespace scree
