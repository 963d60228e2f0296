#pragma once
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "sim/case.h"
#include "sim/simulation.h"

namespace scree::app {

/// To stderr, one line each; the place in bold and warnings in yellow on a terminal, unless NO_COLOR is set.
void print_diagnostics(const std::vector<Diagnostic>& list);

/// To stdout: walls by name, and what each stage does.
void print_walls_and_stages(const Case& c);

/// "sorted_grid (why), 1.2 MB": the neighbour search of a run.
std::string search_text(const Simulation& s);

}  // namespace scree::app
