#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/results/stage_values.h"
#include "sim/simulation.h"
#include "sim/spread.h"

namespace scree::io {

/// run.json: where a run comes from, how it went and what it led to.
struct RunRecord {
  enum class Verdict { running, finished, stopped, interrupted, failed };

  std::string title, case_file;
  std::uint64_t case_hash = 0;
  int threads = 1;
  double dt = 0, critical_time_step = 0;  ///< s
  struct Session {
    std::string started;  ///< ISO 8601, UTC
    std::uint64_t from_step = 0, to_step = 0;
    int threads = 1;
    double seconds = 0;           ///< wall clock, output included
    double stepping_seconds = 0;  ///< without output
    double particle_steps = 0;
    int ranks = 1;  ///< processes that have made it together
    struct Spread {
      Shares shares;                                ///< in the end
      double messages = 0, bytes = 0, waiting = 0;  ///< per step and rank: sent; s within collective calls
    };
    std::optional<Spread> spread = {};  ///< where they were several
  };
  std::vector<Session> sessions;  ///< one per start or --resume; the last one is this process
  struct StageSpan {
    std::string name;
    double begin = 0;                            ///< s
    std::optional<double> end;                   ///< s; absent: running, or the run ended within it
    std::uint64_t begin_step = 0, end_step = 0;  ///< the latter where there is an end
    std::optional<StageEnd> how;                 ///< likewise
    std::vector<StageValue> measured = {};       ///< when the run is over
  };
  std::vector<StageSpan> stages;
  std::vector<Case::Plot> plots;  ///< with whole names of columns, without units
  Verdict verdict = Verdict::running;
  std::string reason;                    ///< a sentence
  std::string energy;                    ///< a sentence: whether the ledger closes
  std::vector<std::string> warnings;     ///< of this process, sentences
  std::vector<std::uint32_t> fault_ids;  ///< particles that a fault names
};

/// The case's plots with the columns that their names mean.
std::vector<Case::Plot> plots_of(const Case& c);

/// What is known of a run of the case before it begins; `hash`: the case's (io/case/case_hash.h).
RunRecord record_of(const Case& c, std::uint64_t hash, int threads);
/// This process takes the run up.
void begin_session(RunRecord& r, const Simulation& s, int threads, int ranks);
/// The stage of the state begins, now and at its stage_started.
void begin_span(RunRecord& r, const Simulation& s, const Case& c);
/// The last one ends at `time` (s).
void end_span(RunRecord& r, const Simulation& s, double time);
/// Sums up what the stages so far wish to have measured, also those of earlier sessions, from series.csv.
Status measure_stages(RunRecord& r, const Simulation& s, const Case& c, const std::filesystem::path& folder);

const char* name_of(RunRecord::Verdict v);

/// Now, as in 2026-01-31T12:34:56Z.
std::string timestamp();

/// Writes DIR/run.json (aside, then renamed) from the record and from the state as it stands. Errors: those of the
/// disk.
Status write_run_record(const std::filesystem::path& folder, const RunRecord& r, const Simulation& s);

/// This process takes up a run from a checkpoint of the folder, `s`: behind what run.json tells of before it.
void take_up(RunRecord& r, const std::filesystem::path& folder, const Simulation& s, const Case& c, int threads,
             int ranks);

/// What a resumed run carries on from its folder's run.json: sessions and stages; empty where there is none or it is
/// spoiled.
RunRecord read_run_history(const std::filesystem::path& folder);

/// Largest resident memory of this process so far, bytes.
std::uint64_t peak_memory();

}  // namespace scree::io
