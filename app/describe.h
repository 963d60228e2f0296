#pragma once
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "sim/case.h"
#include "sim/simulation.h"

namespace scree::app {

/// To stderr, one line each; the place in bold and warnings in yellow on a terminal, unless NO_COLOR is set.
void print_diagnostics(const std::vector<Diagnostic>& list);

/// To stdout: a line of a list of names and values.
void print_row(const std::string& name, const std::string& value);

/// To stdout: walls by name, and what each stage does.
void print_walls_and_stages(const Case& c);

/// To stdout: of each pair of materials the law, its stiffness and the duration of an impact at a depth of 1 % of the
/// smallest grain, of those that come too, its restitution, and Young's modulus with which Hertz' law would be as stiff
/// there.
void print_laws(const Simulation& s, const Particles& come);

/// "sorted_grid (why), 1.2 MB": the neighbour search of a run.
std::string search_text(const Simulation& s);

}  // namespace scree::app
