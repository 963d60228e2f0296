#pragma once
#include <string>
#include <vector>

namespace scree::app {

/// Names of instruction sets for vectors that this build can choose from, the widest first.
std::vector<std::string> vector_names();
/// From now on no wider instructions than these are used; nothing widens them again. The name is one of
/// vector_names(); false: this processor lacks them.
bool limit_vectors(const std::string& name);
/// The set in use.
std::string vectors_in_use();

}  // namespace scree::app
