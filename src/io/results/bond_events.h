#pragma once
#include <string>
#include <vector>

#include "bond/bonds.h"

namespace scree::io {

/// First line of bonds.csv, which has a row for every bond that broke (docs/results.md).
std::string bond_event_header();
/// Rows of those events, each ended by a newline; numbers with as many digits as give them back exactly.
std::string bond_event_rows(const std::vector<bond::Event>& events);

}  // namespace scree::io
