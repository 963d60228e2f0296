#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "sim/simulation.h"

namespace scree {

/// Whether the state is the step nearest to the instant t (s), or later; stage_is_over() rounds alike.
inline bool reached(const Simulation& s, double t) { return s.time >= t - 0.5 * s.dt; }

/// Time between output instants (s) in the running stage. Instants closer than steps are the steps.
double output_every(const Simulation& s, const Case& c);

/// Instants origin, origin + every, origin + 2 every, ... that have been reached; every >= s.dt.
std::uint64_t instants_reached(const Simulation& s, double origin, double every);

/// Where the output instants of a run stand: kept with the state, so that a resumed run has those of an uninterrupted
/// one.
struct Instants {
  double origin = 0;                                                    ///< s: instants are origin + k * output_every()
  std::uint64_t next = 0;                                               ///< k of the next one
  std::uint64_t last_step = std::numeric_limits<std::uint64_t>::max();  ///< step of the last one; none yet: no step
  friend bool operator==(const Instants&, const Instants&) = default;
};

/// What whoever has a run made is told of it, and may ask of it.
class RunWatch {
 public:
  RunWatch() = default;
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  virtual ~RunWatch() = default;

  /// At an output instant; `t`: of this state. An error ends the run, and the instant still stands before it.
  virtual Status output(const Simulation& s, const Totals& t);
  /// While the state is still the stage's own.
  virtual void stage_ended(const Simulation& s, const StageEnd& how);
  virtual void stage_begun(const Simulation& s);
  /// What the user should know, a sentence.
  virtual void warn(const std::string& sentence);
  /// All that belongs to the state is done, the next step is to come. `is_due`: the case wants a checkpoint here. False
  /// ends the run here; so does an error.
  virtual Result<bool> before_step(Simulation& s, bool checkpoint_is_due);
  /// A step was made; whether it ended in a fault, the state says. An error ends the run.
  virtual Status stepped(const Simulation& s);
};

/// How a run came to its end.
struct RunEnd {
  enum class How {
    at_time,   ///< the time that was asked for
    finished,  ///< the last stage is over
    halted,    ///< RunWatch::before_step wished so
    fault,     ///< Simulation::fault says why
    refused,   ///< RunWatch had an error
    stage      ///< the next stage cannot begin; the state is no longer sound
  } how = How::at_time;
  std::string reason;  ///< of the last two
};

/// The one loop around step(): output instants, stages, rest, checkpoints by the clock of the simulation.
class Schedule {
 public:
  /// The case and the watch must outlive it.
  Schedule(const Case& c, ShapeSource shapes, RunWatch& watch);

  /// Goes on from a state that was saved with its instants; `every` (s): between them then, a case may have been
  /// edited.
  void resume(const Simulation& s, const Instants& at, double every);
  /// Whoever makes steps again that were judged before: the ledger is not looked at.
  void leave_ledger_alone() { heeds_ledger_ = false; }
  /// What is due at the state as it stands: output, then ends and beginnings of stages. Nothing when asked again.
  std::optional<RunEnd> settle(Simulation& s);
  /// Steps until the instant nearest to `until` (s), or until something ends the run before.
  RunEnd go(Simulation& s, double until = std::numeric_limits<double>::infinity());
  /// The same until the running stage is over (How::at_time), without beginning the next.
  RunEnd finish_stage(Simulation& s);
  /// Steps alone, until `until` (s): instants and the end of the stage are passed over.
  RunEnd only_step(Simulation& s, double until);
  /// The state was changed from outside; `every` (s): between instants before. Totals of the present instant are no
  /// longer its own, nor is the instant.
  void changed(const Simulation& s, double every);
  /// Ends the running stage, over or not, and begins the next; How::finished: there is none.
  std::optional<RunEnd> next_stage(Simulation& s);

  const Instants& instants() const { return at_; }
  const LedgerWatch& ledger() const { return ledger_; }

 private:
  std::optional<RunEnd> output_if_due(Simulation& s);
  std::optional<RunEnd> one_step(Simulation& s);
  bool stage_is_over(const Simulation& s) const;
  bool checkpoint_is_due(const Simulation& s);

  const Case& case_;
  ShapeSource shapes_;
  RunWatch& watch_;
  Instants at_;
  std::uint64_t checkpoints_ = 0;     ///< instants of output.checkpoint that have been passed
  std::optional<Totals> at_instant_;  ///< of this state, when it is an output instant
  LedgerWatch ledger_;
  bool heeds_ledger_ = true;
};

}  // namespace scree
