// The calls that a step makes for each pair allocate nothing once a thread's buffers are there.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/random.h"
#include "narrow/plane_method.h"
#include "oracle/degenerate_pairs.h"

namespace {
std::atomic<std::size_t> allocations{0};
}

// The address sanitizer counts for itself, and wants its own operators.
#ifndef __SANITIZE_ADDRESS__
namespace {
void* counted(std::size_t n, std::size_t alignment) {
  ++allocations;
  void* p = alignment <= alignof(std::max_align_t)
                ? std::malloc(n)
                : std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
}  // namespace

void* operator new(std::size_t n) { return counted(n, 1); }
void* operator new[](std::size_t n) { return counted(n, 1); }
void* operator new(std::size_t n, std::align_val_t a) { return counted(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return counted(n, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
#endif

namespace scree {
namespace {

using narrow::PlaneMethod;
using oracle::PosedPair;

std::size_t looking_at(const PosedPair& p, std::vector<narrow::FoundPoint>& points) {
  const narrow::BodyView a = p.a(), b = p.b();
  const Vec3 d = p.d();
  const std::size_t before = allocations;
  narrow::SearchCounters counters;
  narrow::Plane exact;
  for (const PlaneMethod m : {PlaneMethod::common_plane, PlaneMethod::fast, PlaneMethod::shortest_link,
                              PlaneMethod::separating_axis, PlaneMethod::gjk, PlaneMethod::automatic}) {
    narrow::PlaneSettings settings;
    settings.method = m;
    const narrow::Plane cold = narrow::find_plane(settings, a, b, d, nullptr, counters);
    exact = narrow::find_plane(settings, a, b, d, &cold, counters);
  }
  if (exact.gap < 0) {
    const narrow::Overlap o = narrow::exact_overlap(a, b, d, exact);
    narrow::Plane unnamed = exact;
    unnamed.feature = {};
    EXPECT_GE(o.volume + narrow::exact_overlap(a, b, d, unnamed).volume, 0);
    narrow::contact_zone(a, b, d, exact, points);
  }
  return allocations - before;
}

TEST(Allocations, NoneForAPairOfAnyKind) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "nothing is counted in this build";
#endif
  std::vector<narrow::FoundPoint> points;
  points.reserve(256);
  std::vector<PosedPair> pairs;
  Random u(1);
  const std::vector<std::string>& names = oracle::all_shapes();
  for (int i = 0; i < 400; ++i) {
    oracle::Pose a{1, u.rotation(), {}},
        b{std::pow(3, u.uniform(-1, 1)), u.rotation(), u.uniform(0.2, 1.2) * u.direction()};
    pairs.emplace_back(oracle::shape(names[u.below(names.size())]), oracle::shape(names[u.below(names.size())]), a, b);
  }
  for (const auto& [name, cases] : oracle::degenerate::all()) {
    for (const oracle::degenerate::Case& c : cases()) pairs.push_back(c.pair());
  }
  for (const PosedPair& p : pairs) looking_at(p, points);
  std::size_t more = 0;
  for (const PosedPair& p : pairs) more += looking_at(p, points);
  EXPECT_EQ(more, 0u);
  const std::size_t before = allocations;
  points.reserve(2 * points.capacity());
  EXPECT_EQ(allocations - before, 1u) << "the counter counts";
}

}  // namespace
}  // namespace scree
