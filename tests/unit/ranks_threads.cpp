// LIBS: scree_ranks
// Ranks as threads: what collective calls give, and that who leaves or calls another one ends all of them with a
// sentence in place of a wait without end.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/timer.h"
#include "exec/parallel.h"
#include "ranks/regions.h"
#include "ranks/thread_ranks.h"
#include "ranks/wait_watch.h"

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
    const Parcels parcels = r.gather(std::as_bytes(std::span(text)));
    for (int owner = 0; owner < kRanks; ++owner)
      EXPECT_EQ(Parcel(parcels[at(owner)].begin(), parcels[at(owner)].end()),
                Parcel(at(5 * owner), static_cast<std::byte>('a' + owner)));
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

// To each rank as many bytes as the two agree on, none among them; parcels need no agreement.
TEST(ThreadRanks, SwapWithEachOther) {
  constexpr int kRanks = 4;
  const auto bytes_between = [](int from, int to) { return at((3 * from + 5 * to) % 4); };
  const auto value = [](int from, int to, std::size_t k) {
    return static_cast<std::byte>(40 * from + 10 * to + static_cast<int>(k));
  };
  run_as_threads(kRanks, 1, [&](Ranks& r) {
    const int me = r.rank();
    std::vector<std::size_t> out_starts{0}, in_starts{0};
    Parcel out;
    std::vector<Parcel> parcels(kRanks);
    for (int to = 0; to < kRanks; ++to) {
      for (std::size_t k = 0; k < bytes_between(me, to); ++k)
        out.push_back(value(me, to, k)), parcels[at(to)].push_back(value(me, to, k));
      out_starts.push_back(out.size()), in_starts.push_back(in_starts.back() + bytes_between(to, me));
    }
    Parcel in(in_starts.back());
    r.swap(out, out_starts, in, in_starts);
    const Parcels came = r.exchange(parcels);
    for (int from = 0; from < kRanks; ++from) {
      ASSERT_EQ(came[at(from)].size(), bytes_between(from, me));
      for (std::size_t k = 0; k < bytes_between(from, me); ++k) {
        EXPECT_EQ(in[in_starts[at(from)] + k], value(from, me, k));
        EXPECT_EQ(came[at(from)][k], value(from, me, k));
      }
    }
    const Parcels at_first = r.gather_at_first(std::as_bytes(std::span(&me, 1)));
    EXPECT_EQ(at_first.size(), r.is_first() ? kRanks : 0);
    for (std::size_t k = 0; k < at_first.size(); ++k) EXPECT_EQ(at_first[k][0], static_cast<std::byte>(k));
  });
  try {
    run_as_threads(2, 1, [](Ranks& r) {
      const std::vector<std::size_t> nothing{0, 0, 0}, some{0, at(r.rank() == 0 ? 0 : 4), 4};
      Parcel out(4), in;
      r.swap(out, some, in, nothing);
    });
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& e) {
    EXPECT_NE(std::string(e.what()).find("which waits for 0"), std::string::npos) << e.what();
  }
}

TEST(ThreadRanks, NameThoseThatAreUnlikeTheFirst) {
  run_as_threads(4, 1, [](Ranks& r) {
    EXPECT_EQ(r.unlike_first(7), std::vector<int>());
    EXPECT_EQ(r.unlike_first(r.rank() % 2 == 0 ? 7 : 8), (std::vector<int>{1, 3}));
    EXPECT_EQ(r.unlike_first(r.rank() == 0 ? 7 : 8), (std::vector<int>{1, 2, 3}));
  });
}

TEST(ThreadRanks, FindTheExtremesOfAll) {
  Random draw(3, 1);
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<double> all;
    std::vector<std::array<double, 2>> of(3);
    for (auto& two : of) {
      two = {static_cast<double>(draw.below(5)), static_cast<double>(draw.below(5))};
      if (two[0] < two[1]) std::swap(two[0], two[1]);
      all.insert(all.end(), two.begin(), two.end());
    }
    std::ranges::sort(all, std::greater());
    const std::array<std::uint64_t, 3> others{draw.below(5), draw.below(5), draw.below(5)};
    run_as_threads(3, 1, [&](Ranks& r) {
      const std::array<double, 2>& two = of[at(r.rank())];
      ranks::Extremes e{{two[0], two[1]}, others[at(r.rank())]};
      r.extremes(e);
      EXPECT_EQ(e.largest.first, all[0]);
      EXPECT_EQ(e.largest.second, all[1]);
      EXPECT_EQ(e.least, std::ranges::min(others));
    });
  }
}

// Every place has an owner; the parts have about the same weight, also where places lie in layers; a place that is no
// number and no places at all are no harm.
TEST(Regions, ShareOutTheWeight) {
  Random draw(11, 1);
  for (const int n : {1, 2, 3, 5, 7, 16, 40}) {
    for (const bool layers : {false, true}) {
      std::vector<Regions::Sample> samples(4000);
      double all = 0;
      for (Regions::Sample& s : samples) {
        const auto place = [&] { return layers ? static_cast<double>(draw.below(16)) : draw.uniform(); };
        s = {{place(), place(), 0.1 * place()}, draw.uniform(0.5, 1.5)}, all += s.weight;
      }
      const Regions regions(samples, n);
      std::vector<double> weight(at(n), 0);
      for (const Regions::Sample& s : samples) weight.at(at(regions.owner(s.x))) += s.weight;
      for (const double w : weight) EXPECT_NEAR(w, all / n, layers ? 0.3 * all / n : 6) << n << " ranks";
      for (int k = 0; k < 100; ++k) {
        const int owner = regions.owner({draw.uniform(-9, 9), draw.uniform(-9, 9), draw.uniform(-9, 9)});
        EXPECT_TRUE(owner >= 0 && owner < n) << owner;
      }
      const double nan = std::nan("");
      EXPECT_LT(regions.owner({nan, nan, nan}), n);
    }
    const Regions of_nothing({}, n), of_one({{{1, 2, 3}, 1}, {{std::nan(""), 0, INFINITY}, 1}}, n);
    EXPECT_LT(of_nothing.owner({1, 1, 1}), n);
    EXPECT_LT(of_one.owner({1, 2, 3}), n);
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

TEST(WaitWatch, TellsOfACallThatDoesNotComeBack) {
  constexpr double kPatience = 0.05;
  std::vector<std::pair<double, bool>> told;
  std::atomic<int> waits = 0;
  std::atomic<bool> is_over = false;
  const auto until = [](auto&& done) {
    while (!done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  run_as_threads(2, 1, [&](Ranks& r) {
    r.sum_of(1);  // both are there
    std::optional<WaitWatch> watch;
    if (r.is_first())
      watch.emplace(r, kPatience, [&](double seconds, bool over) {
        told.emplace_back(seconds, over);
        if (over)
          is_over = true;
        else
          ++waits;
      });
    if (r.rank() == 1) until([&] { return waits >= 2; });  // comes late
    r.sum_of(1);
    if (r.is_first()) until([&] { return is_over.load(); });
  });
  ASSERT_GE(told.size(), 3u);
  EXPECT_GE(told[0].first, kPatience);
  for (std::size_t k = 1; k + 1 < told.size(); ++k) EXPECT_GE(told[k].first, told[k - 1].first);
  EXPECT_GE(told.back().first, told[told.size() - 2].first);
  EXPECT_TRUE(told.back().second);
}

TEST(WaitWatch, IsSilentWhileCallsComeBackAndBetweenThem) {
  constexpr double kPatience = 0.5;
  run_as_threads(2, 1, [&](Ranks& r) {
    r.sum_of(1);
    std::optional<WaitWatch> watch;
    if (r.is_first()) watch.emplace(r, kPatience, [](double, bool) { ADD_FAILURE(); });
    const Stopwatch since;
    while (r.min_of(since.seconds() > 2 * kPatience ? 1 : 0) == 0) {
    }
    const Stopwatch alone;
    while (alone.seconds() < 2 * kPatience) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
}

TEST(Ranks, AreNamedWithTheirMachinesWhereTheyHaveSeveral) {
  struct OnMachines : OneRank {
    explicit OnMachines(std::vector<std::string> names) { machines_ = std::move(names); }
  };
  EXPECT_EQ(name_of(OnMachines({}), 3), "rank 3");
  const OnMachines two({"a", "a", "b", "b", "b", "b"});
  EXPECT_EQ(name_of(two, 1), "rank 1 on a");
  EXPECT_EQ(names_of(two, {1, 2}), "rank 1 on a, rank 2 on b");
  EXPECT_EQ(names_of(two, {0, 1, 2, 3, 4, 5}), "rank 0 on a, rank 1 on a, rank 2 on b, rank 3 on b and 2 more");
}

}  // namespace
}  // namespace scree::ranks
