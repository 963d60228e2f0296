// LIBS: scree_ranks
// Ranks as threads: what collective calls give, and that who leaves or calls another one ends all of them with a
// sentence in place of a wait without end.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/random.h"
#include "exec/parallel.h"
#include "ranks/thread_ranks.h"

namespace scree::ranks {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

TEST(ThreadRanks, ReduceOverAll) {
  for (const int n : {1, 2, 3, 7}) {
    std::atomic<int> seen = 0;
    run_as_threads(n, 1, [&](Ranks& r) {
      EXPECT_EQ(r.size(), n);
      EXPECT_EQ(exec::threads(), 1);
      EXPECT_EQ(r.is_first(), r.rank() == 0);
      EXPECT_EQ(r.sum_of(r.rank() + 1), n * (n + 1) / 2);
      EXPECT_EQ(r.max_of(0.5 * r.rank()), 0.5 * (n - 1));
      EXPECT_EQ(r.min_of(static_cast<std::uint64_t>(10 + r.rank())), 10u);
      std::vector<std::int64_t> many{r.rank(), -1};
      r.sum(many);
      EXPECT_EQ(many, (std::vector<std::int64_t>{n * (n - 1) / 2, -n}));
      ++seen;
    });
    EXPECT_EQ(seen, n);
  }
}

TEST(ThreadRanks, ShareBlocksOfAnySize) {
  constexpr int kRanks = 4;
  const std::vector<std::size_t> starts{0, 3, 3, 4, 9};  // one has none
  run_as_threads(kRanks, 1, [&](Ranks& r) {
    for (int round = 0; round < 50; ++round) {
      std::vector<std::byte> all(9, std::byte{0xff});
      for (std::size_t k = starts[at(r.rank())]; k < starts[at(r.rank()) + 1]; ++k)
        all[k] = static_cast<std::byte>(10 * r.rank() + round);
      r.share(all, starts);
      for (int owner = 0; owner < kRanks; ++owner)
        for (std::size_t k = starts[at(owner)]; k < starts[at(owner) + 1]; ++k)
          ASSERT_EQ(all[k], static_cast<std::byte>(10 * owner + round));
    }
    const std::string text(at(5 * r.rank()), static_cast<char>('a' + r.rank()));
    const std::vector<Parcel> parcels = r.gather(std::as_bytes(std::span(text)));
    for (int owner = 0; owner < kRanks; ++owner)
      EXPECT_EQ(parcels[at(owner)], Parcel(at(5 * owner), static_cast<std::byte>('a' + owner)));
    EXPECT_EQ(r.tell(2, text), "cccccccccc");
  });
}

// Each term at one of the ranks: the same double as all of them in one sum, infinities and NaN among them.
TEST(ThreadRanks, SumsAreExact) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const double odd : {0.0, kInfinite, -kInfinite, std::nan("")}) {
    Random draw(7, 1);
    std::vector<double> terms{odd};
    for (int k = 0; k < 300; ++k)
      terms.push_back(std::ldexp(draw.uniform(-1, 1), static_cast<int>(draw.below(600)) - 300));
    ExactSum all, absolute;
    for (const double x : terms) all += x, absolute += -std::abs(x);
    run_as_threads(3, 1, [&](Ranks& r) {
      ExactSum part, part_absolute;
      for (std::size_t k = 0; k < terms.size(); ++k)
        if (static_cast<int>(k % 3) == r.rank()) part += terms[k], part_absolute += -std::abs(terms[k]);
      r.sum(std::array<ExactSum* const, 2>{&part, &part_absolute});
      const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
      EXPECT_TRUE(same(part.value(), all.value())) << part.value() << " and " << all.value();
      EXPECT_TRUE(same(part_absolute.value(), absolute.value()));
    });
  }
}

TEST(ThreadRanks, ADifferentCallEndsAllWithBothPlaces) {
  try {
    run_as_threads(3, 1, [](Ranks& r) {
      if (r.rank() == 1)
        r.max_of(1);
      else
        r.sum_of(1);
    });
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& e) {
    EXPECT_NE(std::string(e.what()).find("ranks have met at"), std::string::npos) << e.what();
  }
  try {
    run_as_threads(2, 1, [](Ranks& r) {
      std::vector<std::int64_t> values(at(1 + r.rank()));
      r.sum(values);
    });
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& e) {
    EXPECT_NE(std::string(e.what()).find("8 and 16 bytes"), std::string::npos) << e.what();
  }
}

TEST(ThreadRanks, WhatOneThrowsEndsTheOthers) {
  std::atomic<int> went_on = 0;
  try {
    run_as_threads(4, 1, [&](Ranks& r) {
      r.sum_of(1);
      if (r.rank() == 2) throw std::runtime_error("a full disk");
      r.sum_of(1);
      ++went_on;
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "a full disk");
  }
  EXPECT_EQ(went_on, 0);
}

}  // namespace
}  // namespace scree::ranks
