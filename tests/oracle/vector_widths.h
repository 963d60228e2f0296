#pragma once
#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace scree::oracle {

/// Expects `result()` to be the same with every vector width that the machine has and that was compiled; builds with a
/// sanitizer leave some out (cmake/rooms.cmake), and where there is one alone nothing can be compared.
template <class Result>
void expect_same_for_any_vector_width(const Result& result) {
  const auto widest = result();
  if constexpr ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0) GTEST_SKIP() << "compiled for one vector width";
  int targets = 0;
  for (const std::int64_t one :
       {std::int64_t{HWY_STATIC_TARGET}, std::int64_t{HWY_SSE4}, std::int64_t{HWY_AVX2}, std::int64_t{HWY_AVX3}}) {
    if ((hwy::SupportedTargets() & HWY_TARGETS & one) == 0) continue;
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
