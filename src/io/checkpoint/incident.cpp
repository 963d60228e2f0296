#include "io/checkpoint/incident.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/timer.h"
#include "io/checkpoint/checkpoint.h"
#include "io/results/frame.h"
#include "io/results/incident_files.h"
#include "io/results/report.h"
#include "io/results/series.h"
#include "io/text/duration_text.h"
#include "io/text/files.h"
#include "sim/schedule.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kShown = 100;   ///< steps before the fault that are shown one by one
constexpr std::uint64_t kSampled = 50;  ///< instants before those that are looked at
constexpr double kSecondsToShow = 20;   ///< wall clock for all of the shown
// What looking back may take: s of wall clock, and as a share of the session's own stepping.
constexpr double kLookBack = 60, kShareToLookBack = 0.2;

/// The steps from a checkpoint to the fault.
class Replay : private RunWatch {
 public:
  Replay(const FailedRun& failed, const Fault& fault, fs::path folder, std::vector<std::uint32_t> shown)
      : failed_(failed), fault_(fault), folder_(std::move(folder)), shown_(std::move(shown)) {}

  /// Errors: those of the disk and of the checkpoint.
  Status run(const fs::path& checkpoint) {
    Result<Resumed> from = read_checkpoint(checkpoint, failed_.run, failed_.shapes);
    if (!from) return from.error();
    Simulation s = std::move(from->state);
    begin_ = s.step;
    every_ = std::max<std::uint64_t>(1, (first_shown() - std::min(first_shown(), begin_)) / kSampled);
    Result<Series> series = Series::create(folder_ / "series.csv", failed_.run);
    if (!series) return series.error();
    series_.emplace(std::move(*series));
    Schedule schedule(failed_.run, failed_.shapes, *this);
    schedule.resume(s, {from->at.origin, from->at.next_instant, from->at.last_output_step}, from->at.every);
    schedule.leave_ledger_alone();  // what was said of earlier instants is not in a checkpoint
    const RunEnd end = schedule.go(s);
    if (is_done_) return write_file_series(folder_ / "frames.hdf.series", frames_);
    if (gave_up_) return ok();
    return Error{"the steps before the fault did not repeat" + (end.reason.empty() ? "" : ": " + end.reason)};
  }

  const std::vector<IncidentRow>& rows() const { return rows_; }
  const std::optional<fs::path>& checkpoint() const { return checkpoint_; }
  std::uint64_t begin() const { return begin_; }
  bool is_done() const { return is_done_; }

 private:
  std::uint64_t first_shown() const { return failed_.state.step - std::min(failed_.state.step, kShown); }

  Result<bool> before_step(Simulation& s, bool) override {
    gave_up_ = failed_.gives_up();
    if (gave_up_ || s.step >= failed_.state.step) return false;
    if (is_due(s)) {
      if (Status noted = note(s); !noted) return noted.error();
    }
    if (s.step >= first_shown() && !checkpoint_) {
      Result<fs::path> file = write_checkpoint(folder_ / "checkpoint", s, {}, failed_.run);
      if (!file) return file.error();
      checkpoint_ = *file;
    }
    return true;
  }

  bool is_due(const Simulation& s) const {
    if (s.step < first_shown()) return (s.step - begin_) % every_ == 0;
    return (failed_.state.step - s.step) % shown_every_ == 0;
  }

  /// Told of the step that failed before the schedule looks at what it led to.
  Status stepped(const Simulation& s) override {
    if (s.step != failed_.state.step) return ok();
    if (state_hash(s) != state_hash(failed_.state)) return Error{"the state is another"};
    if (Status noted = note(s); !noted) return noted;
    is_done_ = true;
    return Error{"this is as far as it went"};
  }

  Status note(const Simulation& s) {
    const Totals t = totals(s);
    rows_.push_back(incident_row(s, t, fault_));
    if (s.step < first_shown()) return ok();
    const Stopwatch watch;
    Status shown = show(s, t);
    // Of a large bed a hundred frames would take too long.
    if (frames_.size() == 1) shown_every_ = 1 + static_cast<std::uint64_t>(watch.seconds() * kShown / kSecondsToShow);
    return shown;
  }

  Status show(const Simulation& s, const Totals& t) {
    const Frame all = make_frame(s, failed_.run.output.contacts);
    std::vector<char> keep(all.id.size());
    for (std::size_t i = 0; i < all.id.size(); ++i)
      keep[i] = std::binary_search(shown_.begin(), shown_.end(), all.id[i]);
    const Frame near = part_of(all, keep);
    if (contradiction(near) != nullptr) return ok();  // of what is not finite the neighbourhood tells
    const fs::path file = numbered(folder_ / "frames", "frame", frames_.size());
    if (Status written = write_frame(file, near); !written) return written;
    frames_.push_back({file.lexically_relative(folder_).string(), s.time});
    return series_->append(s, t);
  }

  const FailedRun& failed_;
  const Fault& fault_;
  fs::path folder_;
  std::vector<std::uint32_t> shown_;
  std::uint64_t begin_ = 0, every_ = 1, shown_every_ = 1;
  bool is_done_ = false, gave_up_ = false;
  std::vector<IncidentRow> rows_;
  std::vector<SeriesEntry> frames_;
  std::optional<Series> series_;
  std::optional<fs::path> checkpoint_;
};

struct Start {
  fs::path checkpoint;
  std::uint64_t steps;  ///< back to it
};
/// The newest checkpoint from which all steps that are shown can be made, else the oldest of this session.
std::optional<Start> start_of(const FailedRun& failed) {
  std::optional<Start> start;
  for (const fs::path& file : list_checkpoints(failed.folder / "checkpoint")) {  // newest first
    const Result<CheckpointInfo> info = checkpoint_info(file);
    if (!info || info->step < failed.from_step || info->step > failed.state.step) continue;
    start = {file, failed.state.step - info->step};
    if (start->steps >= kShown) break;
  }
  return start;
}

/// Looks back, unless that takes too long.
Status look_back(const FailedRun& failed, const Fault& fault, const fs::path& folder,
                 const std::vector<std::uint32_t>& shown, IncidentRecord& record, Cause& cause) {
  const std::optional<Start> start = start_of(failed);
  const RunRecord::Session& session = failed.record.sessions.back();
  if (!start || start->steps == 0) {
    record.looked_back = failed.from_step > session.from_step
                             ? "the run was changed from outside after its last checkpoint, so the steps before the "
                               "fault can't be made again"
                             : "there is no checkpoint to look back from";
    return ok();
  }
  const double all = static_cast<double>(failed.state.step - session.from_step),
               seconds = static_cast<double>(start->steps) * session.stepping_seconds / std::max(1.0, all);
  if (seconds > std::max(kLookBack, kShareToLookBack * session.stepping_seconds)) {
    record.looked_back = fmt::format(
        "the last checkpoint is {} steps back, about {} of stepping: too many to look back; output.checkpoint makes "
        "more of them",
        start->steps, duration_text(seconds));
    return ok();
  }
  if (seconds > 1 && failed.tells)
    failed.tells(
        fmt::format("looking back over {} steps for the cause, about {} and the time for {} frames; Ctrl-C "
                    "leaves it out",
                    start->steps, duration_text(seconds), std::min(kShown, start->steps)));
  for (const char* sub : {"frames", "checkpoint"})
    if (Status made = make_folder(folder / sub); !made) return made;
  Replay replay(failed, fault, folder, shown);
  if (Status done = replay.run(start->checkpoint); !done) return done;
  if (!replay.is_done()) return record.looked_back = "looking back was interrupted", ok();
  record.looked_back = fmt::format("made again from step {}", replay.begin());
  if (replay.checkpoint()) record.checkpoint = replay.checkpoint()->lexically_relative(folder).string();
  cause = likely_cause(failed.state, replay.rows());
  if (Status written = write_history(folder, replay.rows()); !written) return written;
  if (Status written = write_file(folder / "case.yaml", failed.run.source_text); !written) return written;
  return ok();
}

/// "A sentence" from "a sentence".
std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + (text.empty() || text.back() == '.' ? "" : ".");
}

}  // namespace

Incident look_into(FailedRun failed) {
  const fs::path folder = failed.folder / "fault";
  const Simulation& s = failed.state;
  const Fault fault = in_view(s);
  Incident incident{s.fault->text() + ".", ok()};
  if (Status removed = io::remove_all(folder); !removed) return {incident.text, removed};  // of an earlier failure
  const Result<Neighbourhood> near = write_neighbourhood(folder, s, fault);
  if (!near) return {incident.text, near.error()};
  IncidentRecord record{s.fault->message, s.step, s.time, {}, {}, s.fault->advice, {}, {}};
  Cause cause;
  try {
    // One that has parted from its copy does not do so again.
    if (fault.kind != Fault::Kind::parted)
      incident.written = look_back(failed, fault, folder, near->ids, record, cause);
  } catch (const std::bad_alloc&) {  // a second state beside the first: the message of the fault comes first
    record.looked_back = "there was not enough memory to look back";
  }
  record.cause = name_of(cause.kind);
  if (cause.kind != Cause::Kind::unknown) {
    record.text = cause.text, record.advice = cause.advice;
    incident.text = fmt::format("{}. Likely cause: {}. {} What helps: {}.", s.fault->message, record.cause, cause.text,
                                cause.advice);
  }
  if (Status written = write_incident_record(folder, record); !written && incident.written) incident.written = written;
  if (record.checkpoint.empty()) {
    if (!record.looked_back.empty()) incident.text += " " + sentence(record.looked_back);
    incident.text += " The neighbourhood is in " + near->file.string() + ".";
    return incident;
  }
  failed.record.title += (failed.record.title.empty() ? "" : ": ") + std::string("the last steps before the fault");
  failed.record.verdict = RunRecord::Verdict::failed;
  failed.record.reason = sentence(incident.text);
  if (Status written = write_run_record(folder, failed.record, s); !written) incident.written = written;
  const auto page = write_report(folder);
  if (!page) incident.written = page.error();
  incident.text += fmt::format(" The steps before it are in {}{}.", folder.string(),
                               page ? ", to be looked at in " + page->file.filename().string() : "");
  return incident;
}

}  // namespace scree::io
