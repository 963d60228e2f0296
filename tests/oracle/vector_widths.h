#pragma once
#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace scree::oracle {

/// Expects `result()` to be the same with every vector width that the machine has.
template <class Result>
void expect_same_for_any_vector_width(const Result& result) {
  const auto widest = result();
  int targets = 0;
  for (const std::int64_t one : {HWY_SSE4, HWY_AVX2, HWY_AVX3}) {
    if ((hwy::SupportedTargets() & one) == 0) continue;
    hwy::SetSupportedTargetsForTest(one);
    hwy::GetChosenTarget().DeInit();
    EXPECT_TRUE(result() == widest) << hwy::TargetName(one);
    ++targets;
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
  EXPECT_GT(targets, 1);
}

}  // namespace scree::oracle
