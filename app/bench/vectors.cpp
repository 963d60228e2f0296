#include "app/bench/vectors.h"

#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace scree::app {

namespace {

// The better a set, the smaller its bit.
const std::vector<std::pair<std::string, std::int64_t>>& sets() {
#if HWY_ARCH_X86
  static const std::vector<std::pair<std::string, std::int64_t>> all{
      {"avx512", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}};
#else
  static const std::vector<std::pair<std::string, std::int64_t>> all{
      {hwy::TargetName(HWY_STATIC_TARGET), HWY_STATIC_TARGET}};
#endif
  return all;
}

}  // namespace

std::vector<std::string> vector_names() {
  std::vector<std::string> names;
  for (const auto& [name, bit] : sets()) names.push_back(name);
  return names;
}

bool limit_vectors(const std::string& name) {
  const auto set = std::find_if(sets().begin(), sets().end(), [&](const auto& s) { return s.first == name; });
  if (set == sets().end() || (hwy::SupportedTargets() & set->second) == 0) return false;
  hwy::DisableTargets(set->second - 1);
  hwy::GetChosenTarget().DeInit();
  return true;
}

std::string vectors_in_use() {
  const std::int64_t there = hwy::SupportedTargets() & HWY_TARGETS;  // those that were compiled
  return hwy::TargetName(there & -there);
}

}  // namespace scree::app
