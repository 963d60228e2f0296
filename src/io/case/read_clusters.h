#pragma once
#include <string>
#include <vector>

#include "io/case/reading.h"

namespace scree::io {

/// Laws of bonds by their names.
struct Bonds {
  std::vector<std::string> names;
  std::vector<bond::ParallelBond> laws;
};
Bonds read_bonds(Reading& in);

/// Templates of bonded spheres; returns their names.
std::vector<std::string> read_clusters(const Bonds& bonds, Reading& in);

}  // namespace scree::io
