#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/progress.h"
#include "base/timer.h"
#include "io/checkpoint/checkpoint.h"
#include "io/results/results_folder.h"
#include "io/results/run_record.h"
#include "sim/schedule.h"

namespace scree::app {

/// How a run ended, as a Verdict and the exit code that goes with it.
struct Ending {
  io::RunRecord::Verdict verdict;
  std::string reason;  ///< a sentence for the user and for run.json
  int exit_code;
};

/// One run in its results folder: steps it and writes frames, series, checkpoints and run.json. Everything that can
/// fail on the way is an Ending. Of several ranks the first one writes; what it meets on the disk is everyone's.
class RunSession : private RunWatch {
 public:
  struct Setting {
    std::filesystem::path folder;
    std::optional<double> until;  ///< s
    std::string how_to_go_on;     ///< the command that resumes this run
    int threads = 1;
    ranks::Ranks* ranks = nullptr;  ///< who make the run together; all call what is not const
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
  Status output(const Simulation& s, const Totals& t) override;
  void stage_ended(const Simulation& s, const StageEnd& how) override;
  void stage_begun(const Simulation& s) override;
  void warn(const std::string& sentence) override;
  Result<bool> before_step(Simulation& s, bool checkpoint_is_due) override;
  Status stepped(const Simulation& s) override;
  /// What each rank wishes becomes what all do. Collective.
  void agree_on_wishes(const Simulation& s, bool& ends, bool& checkpoint_is_due);
  Ending ending_of(const RunEnd& end);
  /// For run.json, of the session so far. Collective.
  void note_spread();
  /// The first rank's f(), whose error is everyone's.
  template <class F>
  Status on_first(F&& f);
  /// At the first rank.
  std::optional<Simulation> whole_if_spread() const;
  Status write_checkpoint();
  Status save(const Simulation& s);
  Status write_record(const Simulation& s);
  void update_record(const Simulation& s);
  Ending disk_fault(const Error& e) const;
  Ending physics_fault();
  Status prepare_folder();
  Status cut_folder(const io::OutputPosition& at);
  bool is_first() const { return setting_.ranks->is_first(); }
  void say_how_it_ended(const Ending& e);
  Ending close(Ending e);
  Ending agreed(Ending e);
  double end_of_run() const;

  Setting setting_;
  const Case& case_;
  ShapeSource shapes_;
  Progress& progress_;
  Schedule schedule_;
  Simulation s_;
  ranks::Traffic traffic_before_;  ///< when the steps began
  bool draws_ = false;             ///< after the step that is made
  bool was_later_ = false;         ///< than `until`, when the session began
  std::uint64_t next_wishes_ = 0;  ///< step before which ranks ask each other again
  bool is_sound_ = true;           ///< false after a fault or half a change of stage: not to be saved
  std::uint64_t frames_written_ = 0, rows_written_ = 0;
  std::optional<io::ResultsFolder> files_;  ///< of the first rank
  io::RunRecord record_;
  std::optional<std::filesystem::path> last_checkpoint_;
  std::uint64_t last_checkpoint_step_ = ~std::uint64_t{0};
  Stopwatch session_, since_checkpoint_, step_;
};

/// Ctrl-C, SIGTERM and SIGHUP set a flag that go() obeys after the step; a second one ends the process at once.
/// Of several ranks USR1 does so as well, which launchers pass on and give time for; of the others the first one says
/// that there may be little of it.
void watch_signals(const ranks::Ranks* ranks = nullptr);
bool interrupted();

}  // namespace scree::app
