#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/progress.h"
#include "io/checkpoint.h"
#include "io/frame.h"
#include "io/row_file.h"
#include "io/run_record.h"
#include "io/series.h"
#include "sim/simulation.h"

namespace scree::app {

/// How a run ended, as a Verdict and the exit code that goes with it.
struct Ending {
  io::RunRecord::Verdict verdict;
  std::string reason;  ///< a sentence for the user and for run.json
  int exit_code;
};

/// One run in its results folder: steps it and writes frames, series, checkpoints and run.json. Everything that can
/// fail on the way is an Ending.
class RunSession {
 public:
  struct Setting {
    std::filesystem::path folder;
    std::optional<double> until;  ///< s
    std::string how_to_go_on;     ///< the command that resumes this run
    int threads = 1;
  };
  RunSession(Setting setting, const Case& c, ShapeSource shapes, Progress& progress);

  /// A fresh folder and the state at time 0. Errors: those of the disk.
  Status start(Simulation s);
  /// Goes on from a checkpoint: later rows and frames are cut. Errors: those of the disk; a folder that is not the
  /// checkpoint's.
  Status resume(io::Resumed from);
  /// Steps until something ends the run, and leaves the folder complete.
  Ending go();

  const Simulation& state() const { return s_; }

 private:
  std::optional<Ending> one_step();
  std::optional<Ending> output_if_due();
  std::optional<Ending> change_stages();
  Status write_instant(const Totals& t, io::OutputPosition& at);
  Status write_checkpoint();
  Status open_bond_events(std::uint64_t rows, bool resumed);
  Status write_record();
  bool checkpoint_due() const;
  void begin_span();
  void note_how_stage_ended();
  void end_span(double time);
  void warn(const std::string& sentence);
  Status measure_stages();
  Ending disk_fault(const Error& e) const;
  Ending physics_fault();
  void say_how_it_ended(const Ending& e);
  Ending close(Ending e);
  double output_every() const;
  double checkpoint_every() const;
  double end_of_run() const;

  Setting setting_;
  const Case& case_;
  ShapeSource shapes_;
  Progress& progress_;
  Simulation s_;
  bool is_sound_ = true;  ///< false after a fault or half a change of stage: not to be saved
  io::OutputPosition at_;
  std::optional<io::Series> series_;
  std::optional<io::RowFile> bond_events_;  ///< where the case has clusters
  std::vector<io::SeriesEntry> frames_, contact_files_;
  io::RunRecord record_;
  LedgerWatch ledger_;
  std::optional<Totals> at_instant_;  ///< of this step, when it is an output instant
  std::optional<std::filesystem::path> last_checkpoint_;
  std::uint64_t last_checkpoint_step_ = ~std::uint64_t{0};
  std::uint64_t checkpoints_passed_ = 0;  ///< instants of output.checkpoint
  std::chrono::steady_clock::time_point began_, last_checkpoint_clock_;
};

/// Ctrl-C, SIGTERM and SIGHUP set a flag that go() obeys after the step; a second one ends the process at once.
void watch_signals();
bool interrupted();

}  // namespace scree::app
