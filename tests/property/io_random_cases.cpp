// Random valid cases, every value from the table of keys, every key in one case at least, from their text to their
// hash: read without mistakes, run with the invariants of every phase and without a fault; a run that was saved and
// resumed, one on two threads, one on several ranks and one with another neighbour search and order in memory end with
// the same bits. SCREE_CASES: how many, SCREE_SEED: others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/random.h"
#include "exec/parallel.h"
#include "io/case/key.h"
#include "io/case/read_case.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"
#include "oracle/random_case_writer.h"
#include "oracle/ranks_on_one_core.h"
#include "sim/invariants.h"
#include "sim/row_order.h"
#include "sim/spread.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

constexpr std::uint64_t kSteps = 1500;
#ifdef __SANITIZE_THREAD__
constexpr bool kTwoThreadsAlone = true;  // a hundred times as slow; the golden tests have ranks meet in the same places
constexpr std::uint64_t kCases = 16;
#else
constexpr bool kTwoThreadsAlone = false;
#ifdef SCREE_CHECKS  // ten times as slow
constexpr std::uint64_t kCases = 52;
#else
constexpr std::uint64_t kCases = 200;
#endif
#endif

/// What a run has been through, so that cases without contacts do not pass for tests.
struct Seen {
  std::uint64_t contacts = 0, wall_contacts = 0, bonds = 0, broken = 0, stages = 0, rebuilds = 0, periodic = 0,
                planar = 0;
};

struct Touched {
  bool bodies = false, walls = false;
};

/// Whether random places ran out: no mistake of the engine, and no case.
bool is_crowded(const std::string& wrong) {
  return wrong.find("found a place without overlap") != std::string::npos ||
         wrong.find("grains at a spacing of") != std::string::npos;
}

/// Steps until `end`; what went wrong as a sentence.
std::string run_to(Simulation& s, const Case& c, std::uint64_t end, bool with_a_look, Touched* touched = nullptr) {
  while (s.step < end) {
    for (;;) {
      std::optional<Totals> t;
      if (s.step % 10 == 0 && s.time > s.stage_started) t = totals(s);
      if (!stage_is_over(s, c, t ? &*t : nullptr)) break;
      const Result<bool> begun = begin_next_stage(s, c, load_shape);
      if (!begun) return "stage: " + begun.error().message;
      if (!*begun) return {};
    }
    if (with_a_look) {
      if (std::string wrong = step_and_check(s); !wrong.empty()) return wrong;
    } else {
      step(s);
    }
    if (touched && s.contacts.size() > 0) touched->bodies = true;
    if (touched && s.wall_contacts.size() > 0) touched->walls = true;
    if (s.fault) return "fault: " + s.fault->message;
  }
  return {};
}

struct Threads {
  explicit Threads(int n) { exec::set_threads(n); }
  ~Threads() { exec::set_threads(1); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
};

class RandomCases : public testing::Test {
 protected:
  void SetUp() override {
    exec::set_threads(1), fs::create_directories(folder_);
    oracle::write_files_of_cases(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string hold(const std::string& text, Seen& seen) const {
    const ReadCase read = read_case_text(text, (folder_ / "case.yaml").string());
    if (has_errors(read.diagnostics)) return format(read.diagnostics[0]);
    const Case& c = read.value;
    Result<Simulation> built = set_up(c, load_shape);
    if (!built) return "set-up: " + built.error().message;
    const Simulation start = *built;
    Simulation& s = *built;

    Touched touched;
    if (std::string wrong = run_to(s, c, kSteps / 2, !kTwoThreadsAlone, &touched); !wrong.empty()) return wrong;
    const auto saved = write_checkpoint(folder_, s, {}, c);
    if (!saved) return "checkpoint: " + saved.error().message;
    if (std::string wrong = run_to(s, c, kSteps, !kTwoThreadsAlone, &touched); !wrong.empty()) return wrong;
    const std::uint64_t hash = state_hash(s);
    look_at(s, c, touched, seen);

    Simulation on_two = start;
    {
      const Threads two(2);
      if (std::string wrong = run_to(on_two, c, kSteps, false); !wrong.empty()) return "two threads: " + wrong;
    }
    if (state_hash(on_two) != hash) return "two threads end with other bits";
    if (kTwoThreadsAlone) return {};

    Result<Resumed> resumed = read_checkpoint(*saved, c, load_shape);
    if (!resumed) return "resume: " + resumed.error().message;
    if (std::string wrong = run_to(resumed->state, c, kSteps, true); !wrong.empty()) return "resumed: " + wrong;
    if (state_hash(resumed->state) != hash) return "the resumed run ends with other bits";
    fs::remove(*saved);

    if (std::string wrong = hold_on_ranks(start, c, hash); !wrong.empty()) return wrong;

    Simulation other = start;
    const bool by_id = c.detection.memory_order == Case::MemoryOrder::id;
    other.detection.memory_order = by_id ? Case::MemoryOrder::spatial : Case::MemoryOrder::id;
    other.detection.neighbours = c.detection.neighbours == neighbour::Method::brute_force
                                     ? neighbour::Method::automatic
                                     : neighbour::Method::brute_force;
    // So few grains are never put into spatial order by themselves.
    for (const std::uint64_t end : {kSteps / 3, kSteps}) {
      put_rows(other, spatial_order(other)), bond::find_rows(other.bonds, other.particles), other.scratch.reset();
      if (std::string wrong = run_to(other, c, end, true); !wrong.empty()) return "other search: " + wrong;
    }
    if (state_hash(other) != hash) return "another search and order in memory end with other bits";
    return {};
  }

  /// Another division of space, whatever it is good for: from the next list on.
  static void divide_anew(Simulation& part, Random& draw) {
    std::vector<ranks::Regions::Sample> samples(1 + draw.below(12));
    for (auto& sample : samples)
      sample = {{draw.uniform(-0.1, 0.2), draw.uniform(-0.1, 0.2), draw.uniform(-0.1, 0.2)}, draw.uniform()};
    part.spread.regions = std::make_shared<const ranks::Regions>(std::move(samples), part.spread.ranks->size());
  }

  /// Before the first list.
  static Simulation shared_out_at_the_start(ranks::Ranks& ranks, const Case& c) {
    Result<Simulation> part = place_grains(c, load_shape, ranks.is_first());
    const Status begun = part ? begin_first_stage(*part, c, load_shape, &ranks) : Status(part.error());
    if (!begun) throw std::runtime_error("set-up: " + begun.error().message);
    return std::move(*part);
  }

  /// The first rank has all of it, the others what they are told.
  static Simulation resumed_on(ranks::Ranks& ranks, const Resumed& whole, const std::vector<std::byte>& world,
                               const Case& c) {
    Result<Resumed> mine = ranks.is_first() ? Result<Resumed>(whole) : read_world(world, c, load_shape);
    if (!mine) throw std::runtime_error("the world that is told: " + mine.error().message);
    if (const Status shared = resume_on(ranks, mine->state); !shared) throw std::runtime_error(shared.error().message);
    return std::move(mine->state);
  }

  /// Three ranks, then the whole, then four; regions change as it comes.
  static std::string hold_on_ranks(const Simulation& start, const Case& c, std::uint64_t hash) {
    Simulation whole = start;
    for (const auto& [n, until] : {std::pair(3, kSteps / 3), std::pair(0, kSteps / 2), std::pair(4, kSteps)}) {
      const std::uint64_t end = until;
      if (n == 0) {
        if (const std::string wrong = run_to(whole, c, end, true); !wrong.empty()) return "whole again: " + wrong;
        continue;
      }
      Resumed from{whole, {}, {}, {}};
      const Result<std::vector<std::byte>> world = world_of(from, c);
      if (!world) return "the world is not told: " + world.error().message;
      if (state_hash(from.state) != state_hash(whole)) return "the state is another one than before it was told";
      try {
        oracle::run_on_one_core(n, 1, [&](ranks::Ranks& ranks) {
          Simulation part = end == kSteps / 3 ? shared_out_at_the_start(ranks, c) : resumed_on(ranks, from, *world, c);
          Random draw(hash, static_cast<std::uint64_t>(ranks.size()));
          while (part.step < end) {
            const std::uint64_t next = std::min(end, part.step + 1 + draw.below(150)), before = part.step;
            if (const std::string wrong = run_to(part, c, next, true); !wrong.empty()) throw std::runtime_error(wrong);
            if (part.step == before || part.step < next) break;  // the case is over
            divide_anew(part, draw);
          }
          make_whole(part);
          if (ranks.is_first()) whole = std::move(part);
        });
      } catch (const std::exception& e) {
        return std::to_string(n) + " ranks: " + e.what();
      }
    }
    return state_hash(whole) == hash ? "" : "ranks end with other bits";
  }

  static void look_at(const Simulation& s, const Case& c, Touched touched, Seen& seen) {
    seen.contacts += touched.bodies ? 1 : 0, seen.wall_contacts += touched.walls ? 1 : 0;
    seen.bonds += s.bonds.size() > 0 ? 1 : 0, seen.broken += s.bonds_broken > 0 ? 1 : 0;
    seen.stages += s.stage > 0 ? 1 : 0, seen.rebuilds += s.counters.rebuilds > 2 ? 1 : 0;
    seen.periodic += s.particles.domain.any() ? 1 : 0, seen.planar += c.dimensions == 2 ? 1 : 0;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("scree_random_cases_" + std::to_string(::getpid()));
};

// Of the cases that are run some keys have no luck: these are only written.
TEST(RandomCaseTexts, DrawEveryKey) {
  std::set<std::string> drawn;
  for (std::uint64_t i = 0; i < 500; ++i) oracle::CaseWriter(1, i, &drawn)();
  for (const Key& k : case_keys())
    EXPECT_NE(drawn.contains(k.path), oracle::keys_left_out().contains(k.path))
        << k.path << ": no case has it, or it is left out for nothing";
  for (const oracle::Narrowed& n : oracle::kNarrowed) EXPECT_TRUE(drawn.contains(n.path)) << n.path;
}

TEST_F(RandomCases, RunWithoutBreachOrFaultAndWithTheSameBitsHoweverTheyAreRun) {
  const std::uint64_t cases = from_environment("SCREE_CASES", kCases), seed = from_environment("SCREE_SEED", 1);
  Seen seen;
  std::uint64_t failures = 0, crowded = 0;
  std::set<std::string> drawn;
  for (std::uint64_t i = 0; i < cases && failures < 10; ++i) {
    const std::string text = oracle::CaseWriter(seed, i, &drawn)();
    const std::string wrong = hold(text, seen);
    if (is_crowded(wrong)) ++crowded;
    if (wrong.empty() || is_crowded(wrong)) continue;
    ++failures;
    ADD_FAILURE() << "case " << i << " of seed " << seed << ": " << wrong << "\n" << text;
  }
  std::printf(
      "of %lu: too crowded to begin %lu, contacts %lu, with walls %lu, bonds %lu, broken %lu, later stages %lu, new "
      "pairs %lu, periodic %lu, "
      "planar %lu\n",
      cases, crowded, seen.contacts, seen.wall_contacts, seen.bonds, seen.broken, seen.stages, seen.rebuilds,
      seen.periodic, seen.planar);
  if (cases < 52) return;
  EXPECT_LT(crowded, cases / 8) << "what is not run shows nothing";
  EXPECT_GT(seen.contacts, cases / 4);
  EXPECT_GT(seen.wall_contacts, cases / 4);
  EXPECT_GT(seen.stages, cases / 8);
  EXPECT_GT(seen.rebuilds, cases / 8);
}

}  // namespace
}  // namespace scree::io
