#pragma once
#include <string>
#include <vector>

namespace scree::app {

struct CaseOptions {
  std::string file;
  std::vector<std::string> set;  ///< KEY=VALUE, as of scree run
  int steps = 400, turns = 5;    ///< steps of a stretch; stretches for each number of threads
};

/// scree bench case: what a step of a case costs, from the state that it begins with, on each of these numbers of
/// threads. Returns the exit code.
int bench_case(const CaseOptions& o, const std::string& json, const std::vector<int>& threads, bool quick);

}  // namespace scree::app
