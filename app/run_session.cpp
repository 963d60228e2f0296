#include "app/run_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <utility>

#include "app/describe.h"
#include "io/case/case_hash.h"
#include "io/checkpoint/incident.h"
#include "io/text/files.h"
#include "sim/spread.h"

namespace scree::app {

namespace fs = std::filesystem;
using Verdict = io::RunRecord::Verdict;

namespace {

volatile std::sig_atomic_t signal_seen = 0;

volatile std::sig_atomic_t tells_of_haste = 0;
constexpr char kHaste[] =
    "\nscree run: ends after this step, with a checkpoint. mpirun kills what has not ended a second after Ctrl-C or "
    "TERM; `kill -USR1` to mpirun leaves all the time that is needed\n";

extern "C" void on_signal(int number) {
  signal_seen = number;
  // At once, since the second may be over before the step is.
  if (tells_of_haste != 0 && number != SIGUSR1 && ::write(STDERR_FILENO, kHaste, sizeof kHaste - 1) < 0) return;
}

std::string stage_value_text(const std::string& stage, const io::StageValue& v) {
  const std::string name(io::without_unit(v.column));
  std::string unit = name.size() == v.column.size() ? "" : " " + v.column.substr(name.size() + 2);
  if (!unit.empty()) unit.pop_back();
  if (unit == " 1") unit.clear();
  if (v.instants == 0) return fmt::format("{}: {} had no value", stage, name);
  return fmt::format("{}: {} {:.6g}{} on average, {:.6g} to {:.6g}, in the end {:.6g} ({} instant{})", stage, name,
                     v.mean, unit, v.smallest, v.largest, v.last, v.instants, v.instants == 1 ? "" : "s");
}

}  // namespace

void watch_signals(const ranks::Ranks* ranks) {
  const bool usr1 = ranks != nullptr && ranks->size() > 1;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // the second one kills
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  if (usr1) ::sigaction(SIGUSR1, &action, nullptr);
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);  // nohup
  // Writing past a limit or to a reader that has gone are errors of write(), not the end of the run.
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return signal_seen != 0; }

RunSession::RunSession(Setting setting, const Case& c, ShapeSource shapes, Progress& progress)
    : setting_(std::move(setting)),
      case_(c),
      shapes_(std::move(shapes)),
      progress_(progress),
      schedule_(c, shapes_, *this) {
  record_ = io::record_of(c, io::case_hash(c), setting_.threads);
}

template <class F>
Status RunSession::on_first(F&& f) {
  ranks::Ranks& ranks = *setting_.ranks;
  Status done = ok();
  if (ranks.is_first()) done = f();
  if (ranks.size() == 1) return done;
  const std::string said = ranks.tell(0, done ? std::string() : done.error().message);
  return said.empty() ? ok() : Status(Error{said});
}

Status RunSession::start(Simulation s) {
  s_ = std::move(s);
  record_.critical_time_step = critical_time_step(s_, grains_to_come(s_));
  io::begin_session(record_, s_, setting_.threads, setting_.ranks->size());
  io::begin_span(record_, s_, case_);
  if (Status prepared = on_first([&] { return prepare_folder(); }); !prepared) return prepared;
  return write_checkpoint();
}

Status RunSession::prepare_folder() {
  Result<io::ResultsFolder> made = io::ResultsFolder::create(setting_.folder, case_);
  if (!made) return made.error();
  files_.emplace(std::move(*made));
  return ok();
}

Status RunSession::resume(io::Resumed from) {
  s_ = std::move(from.state);
  const io::OutputPosition& at = from.at;
  frames_written_ = at.frames, rows_written_ = at.rows;
  last_checkpoint_ = from.file;
  last_checkpoint_step_ = s_.step;
  record_.critical_time_step = critical_time_step(s_, grains_to_come(s_));
  if (!is_first())
    io::begin_session(record_, s_, setting_.threads,
                      setting_.ranks->size());  // the first one's come behind those of the folder
  if (Status cut = on_first([&] { return cut_folder(at); }); !cut) return cut;
  if (setting_.ranks->size() > 1)
    if (Status shared = resume_on(*setting_.ranks, s_); !shared) return shared;
  schedule_.resume(s_, {at.origin, at.next_instant, at.last_output_step}, at.every);
  return ok();
}

/// What the folder has beyond the checkpoint goes.
Status RunSession::cut_folder(const io::OutputPosition& at) {
  if (Status removed = io::remove_all(setting_.folder / "fault"); !removed) return removed;  // of a run that goes on
  // A state alone, as Run::save has it: its results begin here.
  std::error_code none;
  const bool is_bare =
      at.frames == 0 && at.rows == 0 && !std::filesystem::exists(setting_.folder / "series.csv", none) && !none;
  Result<io::ResultsFolder> found =
      is_bare ? io::ResultsFolder::create(setting_.folder, case_)
              : io::ResultsFolder::resume(setting_.folder, case_, at.frames, at.rows, s_.bonds_broken);
  if (!found) return found.error();
  files_.emplace(std::move(*found));
  io::take_up(record_, setting_.folder, s_, case_, setting_.threads, setting_.ranks->size());
  return write_record(s_);
}

Ending RunSession::go() {
  tells_of_haste = setting_.ranks->size() > 1 && is_first() ? 1 : 0;  // before there is no step, and nothing to save
  was_later_ = setting_.until.value_or(INFINITY) < s_.time - 0.5 * s_.dt;
  progress_.begin(s_, std::isfinite(end_of_run()) ? std::optional(end_of_run()) : std::nullopt);
  traffic_before_ = setting_.ranks->traffic();
  const RunEnd end = schedule_.go(s_, setting_.until.value_or(INFINITY));
  note_spread();
  if (std::optional<Simulation> whole = whole_if_spread()) s_ = std::move(*whole);  // the rest is the first rank's
  return close(ending_of(end));
}

void RunSession::note_spread() {
  if (s_.spread.ranks == nullptr) return;
  const ranks::Traffic &now = setting_.ranks->traffic(), &before = traffic_before_;
  const std::uint64_t steps = s_.step - record_.sessions.back().from_step;
  const double per_step = 1 / static_cast<double>(std::max<std::uint64_t>(1, steps));
  record_.sessions.back().spread = {shares_of(s_), static_cast<double>(now.messages - before.messages) * per_step,
                                    static_cast<double>(now.bytes - before.bytes) * per_step,
                                    (now.seconds - before.seconds) * per_step};
}

Ending RunSession::ending_of(const RunEnd& end) {
  switch (end.how) {
    case RunEnd::How::at_time:
      if (was_later_)
        return {
            Verdict::stopped,
            fmt::format("stands at t = {:.6g} s already, later than the {:.6g} s of --until", s_.time, *setting_.until),
            0};
      return {Verdict::stopped, fmt::format("stopped at t = {:.6g} s, as --until asked", s_.time), 0};
    case RunEnd::How::finished:
      return {Verdict::finished, fmt::format("finished at t = {:.6g} s", s_.time), 0};
    case RunEnd::How::halted:
      return {Verdict::interrupted, fmt::format("interrupted at t = {:.6g} s", s_.time), 130};
    case RunEnd::How::fault:
      return physics_fault();
    case RunEnd::How::refused:
      break;
    case RunEnd::How::stage:
      is_sound_ = false;
      return {Verdict::failed, fmt::format("t = {:.6g} s: the next stage cannot begin: {}", s_.time, end.reason), 1};
  }
  return disk_fault({end.reason});
}

/// Clocks and signals are each rank's own: the first one's clock, anyone's signal. All look up after so many steps as
/// take the first one a moment. A checkpoint that the case's own time asks for needs no words.
void RunSession::agree_on_wishes(const Simulation& s, bool& ends, bool& checkpoint_is_due) {
  constexpr double kMoment = 0.05, kMostSteps = 1000;  // s of wall clock; where steps take next to nothing
  const bool by_clock = !case_.output.checkpoint;
  draws_ = false;
  if (s.step < next_wishes_) {
    ends = false;
    if (by_clock) checkpoint_is_due = false;
    return;
  }
  const io::RunRecord::Session& session = record_.sessions.back();
  const double steps = static_cast<double>(s.step - session.from_step),
               each = steps > 0 ? session.stepping_seconds / steps : kMoment;
  const auto of_first = [&](std::int64_t wish) { return is_first() ? wish : 0; };
  std::array<std::int64_t, 4> wishes{std::int64_t{ends}, of_first(by_clock && checkpoint_is_due ? 1 : 0),
                                     of_first(progress_.is_time_to_draw() ? 1 : 0),
                                     of_first(static_cast<std::int64_t>(std::clamp(kMoment / each, 1.0, kMostSteps)))};
  setting_.ranks->sum(wishes);
  ends = wishes[0] > 0, draws_ = wishes[2] > 0;
  if (by_clock) checkpoint_is_due = wishes[1] > 0;
  next_wishes_ = s.step + static_cast<std::uint64_t>(wishes[3]);
}

/// A checkpoint is taken where all that belongs to its state is done, so that a resumed run begins right behind it.
Result<bool> RunSession::before_step(Simulation& s, bool checkpoint_is_due) {
  bool ends = interrupted();
  if (!case_.output.checkpoint) checkpoint_is_due = since_checkpoint_.seconds() >= io::kCheckpointEvery;
  if (setting_.ranks->size() > 1) agree_on_wishes(s, ends, checkpoint_is_due);
  if (ends) return false;
  if (checkpoint_is_due) {
    if (Status written = write_checkpoint(); !written) return written.error();
  }
  step_ = Stopwatch();
  return true;
}

Status RunSession::stepped(const Simulation& s) {
  record_.sessions.back().stepping_seconds += step_.seconds();
  if (!s.broken.empty()) {
    if (Status written = on_first([&] { return files_->write_broken(s.broken); }); !written) return written;
  }
  if (!s.fault) progress_.stepped(s);
  if (draws_) progress_.draw(s, totals(s));
  return ok();
}

double RunSession::end_of_run() const {
  double end = s_.stage_started;
  for (std::size_t k = s_.stage; k < case_.stages.size(); ++k) end += case_.stages[k].duration.value_or(INFINITY);
  if (case_.stages.empty()) end = INFINITY;
  return std::min(end, setting_.until.value_or(INFINITY));
}

Status RunSession::output(const Simulation&, const Totals& t) {
  const std::optional<Simulation> gathered = whole_if_spread();
  const auto write = [&] { return files_->write_instant(gathered ? *gathered : s_, t, frames_written_); };
  if (Status written = on_first(write); !written) return written;
  ++frames_written_;
  if (is_first()) rows_written_ = files_->rows();
  return ok();
}

/// Nothing where the state is whole: it is written as it stands, without a copy.
std::optional<Simulation> RunSession::whole_if_spread() const {
  return s_.spread.ranks == nullptr ? std::nullopt : whole_at_first(s_);
}

void RunSession::stage_ended(const Simulation& s, const StageEnd& how) {
  note_spread();  // a stage that cannot begin leaves nothing of it
  if (record_.stages.empty()) return;
  progress_.remark(fmt::format("t = {:.6g} s: stage '{}' is over ({})", s.time, record_.stages.back().name, how.text));
  for (const std::string& w : how.warnings) warn(w);
  record_.stages.back().how = how;
}

void RunSession::stage_begun(const Simulation& s) {
  io::end_span(record_, s_, s.stage_started);
  io::begin_span(record_, s_, case_);
  progress_.remark(fmt::format("t = {:.6g} s: stage '{}' begins", s.time, record_.stages.back().name));
}

void RunSession::warn(const std::string& sentence) {
  progress_.say("warning: " + sentence);
  record_.warnings.push_back(sentence);
}

Status RunSession::write_checkpoint() {
  if (last_checkpoint_step_ == s_.step) return ok();
  const std::optional<Simulation> gathered = whole_if_spread();
  if (Status saved = on_first([&] { return save(gathered ? *gathered : s_); }); !saved) return saved;
  last_checkpoint_step_ = s_.step;
  since_checkpoint_ = Stopwatch();
  return ok();
}

Status RunSession::save(const Simulation& s) {
  // A checkpoint vouches for the frames and rows before it: they must be on the disk first.
  if (Status flushed = io::flush_file_system(setting_.folder); !flushed) return flushed;
  const Instants& next = schedule_.instants();
  const io::OutputPosition at{next.origin,     output_every(s, case_), next.next,
                              frames_written_, rows_written_,          next.last_step};
  Result<fs::path> file = io::write_checkpoint(setting_.folder / "checkpoint", s, at, case_);
  if (!file) return file.error();
  last_checkpoint_ = *file;
  return write_record(s);
}

void RunSession::update_record(const Simulation& s) {
  record_.energy = schedule_.ledger().verdict(totals(s));
  record_.sessions.back().to_step = s.step;
  record_.sessions.back().seconds = session_.seconds();
  record_.sessions.back().particle_steps = progress_.particle_steps();
}

Status RunSession::write_record(const Simulation& s) {
  update_record(s);
  return io::write_run_record(setting_.folder, record_, s);
}

Ending RunSession::disk_fault(const Error& e) const {
  return {Verdict::failed, fmt::format("t = {:.6g} s: {}", s_.time, e.message), 1};
}

Ending RunSession::physics_fault() {
  is_sound_ = false;
  if (!is_first()) return {Verdict::failed, s_.fault->text(), 1};  // the steps are made again by the first one alone
  record_.fault_ids = s_.fault->ids;
  update_record(s_);
  const io::Incident incident =
      io::look_into({case_, shapes_, s_, setting_.folder, record_.sessions.back().from_step, record_, interrupted,
                     [&](const std::string& line) { progress_.say(line); }});
  Ending ending{Verdict::failed, incident.text, 1};
  if (!incident.written) ending.reason += " " + incident.written.error().message;
  return ending;
}

void RunSession::say_how_it_ended(const Ending& e) {
  // An end that was asked for is news only to those who want to hear any.
  auto tell = [&](const std::string& line) { e.exit_code == 0 ? progress_.remark(line) : progress_.say(line); };
  tell(e.exit_code == 0 ? e.reason : "scree run: " + e.reason);
  for (const io::RunRecord::StageSpan& span : record_.stages)
    for (const io::StageValue& v : span.measured) progress_.remark(stage_value_text(span.name, v));
  const char* const whose = setting_.ranks->size() > 1 ? "neighbour search of the first rank: " : "neighbour search: ";
  if (!s_.fault) progress_.remark(whose + search_text(s_));
  if (!s_.fault) progress_.remark("energy ledger: " + record_.energy);
  if (!last_checkpoint_ || e.verdict == Verdict::finished) return;
  if (std::error_code gone; !fs::exists(*last_checkpoint_, gone)) {
    tell(setting_.folder.string() +
         " was moved or removed while the run went on, and its checkpoints with it: there is nothing here to go on "
         "from");
    return;
  }
  if (s_.fault) {
    tell("The last state that was sound is in " + last_checkpoint_->string());
  } else {
    tell(fmt::format("The last checkpoint is {}. To go on:\n  {}", last_checkpoint_->string(), setting_.how_to_go_on));
  }
}

/// All ranks end with the code of the first, which has seen the disk.
Ending RunSession::agreed(Ending e) {
  e.exit_code = static_cast<int>(setting_.ranks->sum_of(is_first() ? e.exit_code : 0));
  return e;
}

/// Leaves the folder as complete as the disk lets it: the last instant, a checkpoint unless the physics has failed,
/// run.json.
Ending RunSession::close(Ending e) {
  if (!is_first()) return agreed(std::move(e));
  auto hold = [&](const Status& written) {
    if (written) return;
    progress_.say("scree run: " + written.error().message);
    if (e.exit_code == 0) e = disk_fault(written.error());
  };
  progress_.end(s_);
  const bool is_complete = e.verdict == Verdict::finished || e.verdict == Verdict::stopped;
  if (is_sound_) {
    // The closing instant lies off the raster of instants as a rule: it is not counted, and a resumed run writes over
    // it.
    if (is_complete && schedule_.instants().last_step != s_.step)
      hold(files_->write_instant(s_, totals(s_), frames_written_));
    if (last_checkpoint_step_ != s_.step) hold(save(s_));
  }
  if (e.verdict == Verdict::finished) io::end_span(record_, s_, s_.time);
  hold(io::measure_stages(record_, s_, case_, setting_.folder));
  record_.verdict = e.verdict;
  record_.reason = e.reason;
  hold(write_record(s_));
  say_how_it_ended(e);
  return agreed(std::move(e));
}

}  // namespace scree::app
