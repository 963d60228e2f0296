// LIBS: scree_io GTest::gtest
// Checkpoints whose checksum fits. The first byte says of which run; then the file is changed, whose state hash tells
// of it, or the state was before it was written: that passes for good where no value is absurd, and must go on.
#include <set>

#include "fuzz/edits.h"
#include "fuzz/fuzz.h"
#include "io/case/read_case.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"
#include "oracle/random_case_writer.h"
#include "sim/invariants.h"
#include "sim/row_order.h"

namespace scree::fuzz {
namespace {

constexpr std::size_t kRuns = 12;
constexpr int kSteps = 300, kMore = 3;

struct Run {
  Case c;
  Simulation s;
};

/// Of the random cases those that begin, some steps on.
const Run& run_of(std::size_t which) {
  static std::vector<Run> runs;
  static std::uint64_t number = 0;
  while (runs.size() <= which) {
    SCREE_KEEPS(number < 10 * kRuns);
    oracle::write_files_of_cases(scratch());
    std::set<std::string> drawn;
    const io::ReadCase read =
        io::read_case_text(oracle::CaseWriter(1, number++, &drawn)(), (scratch() / "case.yaml").string());
    SCREE_KEEPS(!has_errors(read.diagnostics));
    Result<Simulation> s = set_up(read.value, io::load_shape);
    if (!s) continue;  // too crowded
    for (int k = 0; k < kSteps && !s->fault; ++k) step(*s);
    if (!s->fault) runs.push_back({read.value, std::move(*s)});
  }
  return runs[which];
}

/// Changes of values that refer to nothing: what does is looked at where the file is changed.
void edit_state(Simulation& s, Front in) {
  std::vector<std::span<char>> columns;
  visit_state(s, [&](const std::string& name, auto& value) {
    if (rows_held_by(name).to != RefersTo::nothing) return;
    if constexpr (requires { value.data(); }) {
      columns.emplace_back(reinterpret_cast<char*>(value.data()), value.size() * sizeof value[0]);
    } else if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>) {
      columns.emplace_back(reinterpret_cast<char*>(&value), sizeof value);
    }
  });
  for (int n = 0; n < 6 && !in.is_over(); ++n) {
    const Edit e = Edit::from(in);
    e.apply(columns[e.column % columns.size()]);
  }
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (std::uint8_t run = 0; run < kRuns; ++run) {
    all.push_back({static_cast<char>(run), 1});
    for (std::uint8_t k = 0; k < 10; ++k) {
      const auto column = static_cast<std::uint8_t>(17 * k + run);
      all.push_back(std::string{static_cast<char>(run), static_cast<char>(k % 2)} +
                    Edit{column, static_cast<std::uint8_t>(2 + k % 2 + 4 * (k / 3)), k, k}.bytes());
    }
  }
  return all;
}

bool take(std::string_view input) {
  GTEST_FLAG_SET(throw_on_failure, true);
  Front in(input);
  const Run& run = run_of(in.take<std::uint8_t>() % kRuns);
  const bool before = in.take<std::uint8_t>() % 2 != 0;
  Simulation s = run.s;
  if (before) edit_state(s, in);
  const Result<std::filesystem::path> file = io::write_checkpoint(scratch(), s, {}, run.c);
  SCREE_KEEPS(file);
  if (!before) edit_file(*file, in);
  const Result<io::CheckpointInfo> info = io::checkpoint_info(*file);
  if (!info) keeps_legible(info.error().message);
  Result<io::Resumed> resumed = io::read_checkpoint(*file, run.c, io::load_shape);
  std::filesystem::remove(*file);
  if (!resumed) return keeps_legible(resumed.error().message), false;
  SCREE_KEEPS(info && info->hash == state_hash(resumed->state));
  // Whatever it holds, it can be stepped: physics may fail, in a sentence, and so may the checks of every step.
  for (int k = 0; k < kMore && !resumed->state.fault; ++k) step_and_check(resumed->state);
  if (resumed->state.fault) keeps_legible(resumed->state.fault->message);
  return true;
}

}  // namespace scree::fuzz
