#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"
#include "base/hash.h"
#include "base/timer.h"
#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "io/case/case_hash.h"
#include "io/case/read_case.h"
#include "io/case/read_changes.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/incident.h"
#include "io/library/library.h"
#include "io/results/build_info.h"
#include "io/results/folder_lock.h"
#include "io/results/frame.h"
#include "io/results/results_folder.h"
#include "io/results/run_record.h"
#include "io/text/files.h"
#include "scree/scree.h"
#include "sim/outer_forces.h"
#include "sim/row_order.h"
#include "sim/schedule.h"
#include "sim/written_motion.h"

namespace scree {

namespace {

Run::Remark as_remark(const Diagnostic& d) {
  return {d.severity == Diagnostic::Severity::error, d.file, d.line, d.column, d.key, d.message};
}

std::array<double, 3> three(const Vec3& v) { return {v.x, v.y, v.z}; }

}  // namespace

const char* version() { return io::kBuildInfo.version; }

/// The results folder of a run that is recorded.
struct Recording {
  std::filesystem::path folder;
  io::FolderLock lock;
  io::ResultsFolder files;
  io::RunRecord record;
  std::uint64_t frames = 0, rows = 0;      ///< without a closing instant
  bool is_current = true;                  ///< run.json tells of all frames
  std::optional<std::uint64_t> last_step;  ///< written, and the state has not been changed since
  ::pid_t owner = 0;                       ///< process; a child of it has a copy, and no say
  Stopwatch session{}, step{};
  // What looking back on a fault can begin from.
  bool is_steered = true;         ///< from outside, since the last checkpoint, or there is none
  std::uint64_t own_step = 0;     ///< step from which on the case alone has made the states
  double checkpoint_seconds = 0;  ///< what the last one took
  Stopwatch since_checkpoint{};
};

/// What the present state was resumed from.
struct Origin {
  std::filesystem::path folder;
  io::OutputPosition at;
  std::vector<std::filesystem::path> checkpoints;  ///< that were there
  Instants instants;
  std::uint64_t step = 0, stage = 0;
  bool is_left = false;  ///< by a change
};

struct Run::Impl : RunWatch {
  State state = State::invalid;
  std::string messages, refusal;
  std::size_t lasting = 0;  ///< bytes of messages; behind them the refusal alone
  std::vector<Remark> remarks, change_remarks;
  std::string failure, record_failure;
  std::function<bool()> goes_on;
  Case description;
  Simulation simulation;
  exec::Context threads;
  Schedule schedule{description, io::load_shape, *this};
  std::unique_ptr<Recording> recording;
  std::optional<Origin> origin;
  bool is_interrupted = false;              ///< by goes_on, in the last advance()
  std::optional<GrainMotion> written_over;  ///< between begin_writing and end_writing: what was there

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() override { end_record(); }

  void say(const std::string& line) {
    messages.resize(lasting), messages += line + "\n";
    lasting = messages.size(), refusal.clear();
  }
  /// False: for the call that is.
  bool refuse(const std::string& why) {
    messages.resize(lasting), messages += why + "\n";
    return refusal = why, false;
  }
  void remark(const Diagnostic& d) {
    say(format(d));
    remarks.push_back(as_remark(d));
  }
  void warn(const std::string& sentence) override {
    say("warning: " + sentence);
    if (recording) recording->record.warnings.push_back(sentence);
  }
  Status output(const Simulation& s, const Totals& t) override {
    if (!recording) return ok();
    if (Status written = recording->files.write_instant(s, t, recording->frames); !written) return written;
    ++recording->frames, recording->rows = recording->files.rows();
    recording->is_current = false, recording->last_step = s.step;
    return ok();
  }
  void stage_ended(const Simulation&, const StageEnd& how) override {
    for (const std::string& w : how.warnings) warn(w);
    if (recording) recording->record.stages.back().how = how;
  }
  void stage_begun(const Simulation& s) override {
    if (!recording) return;
    io::end_span(recording->record, s, s.stage_started);
    io::begin_span(recording->record, s, description);
  }
  Status stepped(const Simulation& s) override {
    if (!recording) return ok();
    recording->record.sessions.back().stepping_seconds += recording->step.seconds();
    recording->record.sessions.back().particle_steps += static_cast<double>(s.particles.size_rows());
    return recording->files.write_broken(s.broken);
  }
  void update_record() {
    io::RunRecord& r = recording->record;
    r.energy = schedule.ledger().verdict(totals(simulation));
    r.sessions.back().to_step = simulation.step, r.sessions.back().seconds = recording->session.seconds();
    if (simulation.fault) r.fault_ids = simulation.fault->ids;
  }
  Status write_record() {
    update_record();
    io::RunRecord& r = recording->record;
    const std::string at = fmt::format("at t = {:.6g} s", simulation.time);
    using Verdict = io::RunRecord::Verdict;
    r.verdict = state == State::finished ? Verdict::finished
                : state == State::failed ? Verdict::failed
                : is_interrupted         ? Verdict::interrupted
                                         : Verdict::stopped;
    r.reason = state == State::failed ? failure : std::string(io::name_of(r.verdict)) + " " + at;
    recording->is_current = true;
    return io::write_run_record(recording->folder, r, simulation);
  }
  io::OutputPosition position() const {
    const Instants& next = schedule.instants();
    return {next.origin,
            output_every(simulation, description),
            next.next,
            recording ? recording->frames : 0,
            recording ? recording->rows : 0,
            next.last_step};
  }
  /// That of the record.
  Status write_checkpoint() {
    const Stopwatch watch;
    // It vouches for the frames and rows before it: they must be on the disk first.
    if (Status flushed = io::flush_file_system(recording->folder); !flushed) return flushed;
    const auto file = io::write_checkpoint(recording->folder / "checkpoint", simulation, position(), description);
    if (!file) return file.error();
    if (recording->is_steered) recording->own_step = simulation.step;
    recording->is_steered = false;
    recording->since_checkpoint = Stopwatch(), recording->checkpoint_seconds = watch.seconds();
    return write_record();
  }
  /// Before steps that follow from no checkpoint there is; those of a run that is steered all the time take a tenth of
  /// the wall clock at most.
  void prepare_to_look_back() {
    if (!recording || !recording->is_steered) return;
    recording->own_step = simulation.step + 1;
    if (recording->since_checkpoint.seconds() >= 9 * recording->checkpoint_seconds) hold(write_checkpoint());
  }
  /// What is to be said of the fault; of a run that is recorded with the steps that led to it, in its folder.
  std::string look_into_fault() {
    if (!recording) return simulation.fault->text();
    update_record();
    const io::Incident incident = io::look_into({description,
                                                 io::load_shape,
                                                 simulation,
                                                 recording->folder,
                                                 recording->own_step,
                                                 recording->record,
                                                 [this] { return goes_on && !goes_on(); },
                                                 {}});
    return incident.written ? incident.text : incident.text + " " + incident.written.error().message;
  }
  /// Whether the folder is that of the record.
  bool records_into(const std::filesystem::path& folder) const {
    std::error_code none;
    return recording && std::filesystem::equivalent(folder, recording->folder, none);
  }
  /// Whether the state is the folder's own, so that its record can go on.
  bool stands_at_end_of(const std::filesystem::path& folder) const {
    std::error_code none;
    return origin && !origin->is_left && std::filesystem::equivalent(folder, origin->folder, none) &&
           origin->at.rows > 0 && origin->step == simulation.step && origin->stage == simulation.stage &&
           origin->instants == schedule.instants() &&
           origin->checkpoints == io::list_checkpoints(origin->folder / "checkpoint");
  }
  /// The state is no longer that of the last instant, nor of the folder it was resumed from.
  void changed() {
    if (origin) origin->is_left = true;
    if (recording) recording->last_step.reset(), recording->is_steered = true;
  }
  /// Takes what a program writes into the rows, and what it goes on to write is compared with this.
  bool take_written() {
    if (!written_over) return true;
    const Result<bool> taken = take_motion(simulation, *written_over);
    if (!taken) return refuse(taken.error().message);
    if (*taken) written_over = motion_of(simulation), changed();
    return true;
  }
  /// Ends the record where what was to be written could not be.
  void hold(const Status& written) {
    if (written) return;
    recording.reset();
    record_failure = "the record has ended: " + written.error().message;
    say(record_failure);
  }
  /// After a call that went on.
  void follow() {
    if (!recording) return;
    if (state != State::running) return end_record();
    if (!recording->is_current || is_interrupted) hold(write_record());
  }
  void end_record() {
    if (!recording) return;
    if (recording->owner != ::getpid()) return (void)recording.release();  // its files and its lock are the parent's
    const exec::Use use(threads);
    take_written();
    // The closing instant lies off the raster of instants as a rule.
    if (state != State::failed && recording->last_step != simulation.step)
      hold(recording->files.write_instant(simulation, totals(simulation), recording->frames));
    if (!recording) return;
    if (state != State::failed) hold(write_checkpoint());
    if (!recording) return;
    if (state == State::finished) io::end_span(recording->record, simulation, simulation.time);
    hold(io::measure_stages(recording->record, simulation, description, recording->folder));
    if (recording) hold(write_record());
    recording.reset();
  }
  Result<bool> before_step(Simulation&, bool checkpoint_is_due) override {
    const bool wished = !goes_on || goes_on();
    if (!recording || !wished) return wished;
    if (!description.output.checkpoint)
      checkpoint_is_due = recording->since_checkpoint.seconds() >= io::kCheckpointEvery;
    if (checkpoint_is_due) {
      if (Status written = write_checkpoint(); !written) return written.error();
    }
    recording->step = Stopwatch();
    return true;
  }
  template <class Read>
  static Run of(const Read& read_on_threads, const std::string& name);
  void note(const RunEnd& end) {
    switch (end.how) {
      case RunEnd::How::at_time:
        return;
      case RunEnd::How::halted:
        is_interrupted = true;
        return;
      case RunEnd::How::finished:
        state = State::finished;
        return;
      case RunEnd::How::fault:
        failure = look_into_fault();
        break;
      case RunEnd::How::refused:  // by the record alone: the state is sound
        return hold(Error{end.reason});
      case RunEnd::How::stage:
        failure = end.reason;
        break;
    }
    say(failure);
    state = State::failed;
  }
  /// In the order of the ids.
  template <class Row, class Column, class F>
  std::vector<Row> rows(const Column& column, F&& f) const {
    const exec::Use use(threads);
    std::vector<Row> result;
    result.reserve(column.size());
    for (const auto& value : by_id(column, id_order(simulation))) result.push_back(f(value));
    return result;
  }
  std::vector<std::array<double, 3>> vectors(const std::vector<Vec3>& column) const {
    return rows<std::array<double, 3>>(column, three);
  }
};

Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

template <class Read>
Run Run::Impl::of(const Read& read_on_threads, const std::string& name) {
  auto impl = std::make_unique<Impl>();
  const exec::Use use(impl->threads);
  const io::ReadCase read = read_on_threads();
  for (const Diagnostic& d : read.diagnostics) impl->remark(d);
  if (has_errors(read.diagnostics)) return Run(std::move(impl));
  impl->description = read.value;
  Result<Simulation> built = set_up(impl->description, io::load_shape);
  if (!built) {
    impl->remark({Diagnostic::Severity::error, name, 0, 0, "", built.error().message});
    return Run(std::move(impl));
  }
  impl->simulation = std::move(*built);
  impl->state = State::running;
  if (const auto end = impl->schedule.settle(impl->simulation)) impl->note(*end);
  return Run(std::move(impl));
}

Run Run::open(const std::string& case_file, const std::vector<std::string>& set) {
  return Impl::of([&] { return io::read_case(case_file, set); }, case_file);
}
Run Run::open_text(const std::string& text, const std::string& name, const std::vector<std::string>& set) {
  return Impl::of([&] { return io::read_case_text(text, name, set); }, name);
}

void Run::set_threads(int n) { impl_->threads = exec::Context(n); }

Run::State Run::state() const { return impl_->state; }
Run::operator bool() const { return impl_->state == State::running || impl_->state == State::finished; }
const std::string& Run::messages() const { return impl_->messages; }
const std::string& Run::refusal() const { return impl_->refusal; }
const std::vector<Run::Remark>& Run::remarks() const { return impl_->remarks; }

Run::State Run::advance(double seconds) { return advance(seconds, {}); }
Run::State Run::advance(double seconds, const std::function<bool()>& goes_on) {
  if (!(seconds > 0) || impl_->state != State::running) return impl_->state;
  if (!end_writing()) return impl_->state;
  const exec::Use use(impl_->threads);
  impl_->prepare_to_look_back();
  impl_->goes_on = goes_on, impl_->is_interrupted = false;
  impl_->note(impl_->schedule.go(impl_->simulation, impl_->simulation.time + seconds));
  impl_->goes_on = {};  // what it holds goes with the call
  impl_->follow();
  return impl_->state;
}

bool Run::save(const std::string& folder) {
  const std::filesystem::path to = folder;
  const auto refuse = [this](const std::string& why) { return impl_->refuse(why); };
  if (!*this) return refuse("a run that is invalid or has failed cannot be saved");
  const exec::Use use(impl_->threads);
  if (!impl_->take_written()) return false;
  if (impl_->records_into(to)) {
    const Status written = impl_->write_checkpoint();
    return written ? true : refuse(written.error().message);
  }
  std::error_code none;
  if (std::filesystem::exists(to / "run.json", none))
    return refuse(folder + ": holds the results of another run; save into another folder");
  if (const Status made = io::make_folder(to / "checkpoint"); !made) return refuse(made.error().message);
  io::OutputPosition at = impl_->position();
  at.frames = at.rows = 0;  // of this folder
  const auto written = io::write_checkpoint(to / "checkpoint", impl_->simulation, at, impl_->description);
  return written ? true : refuse(written.error().message);
}

bool Run::record(const std::string& folder) {
  static constexpr const char* kFiles[] = {"case.yaml", "run.json", "series.csv", "bonds.csv",
                                           "frames",    "contacts", "checkpoint"};
  const auto refuse = [this](const std::string& why) { return impl_->refuse(why); };
  if (impl_->state != State::running) return refuse("only a run that goes on can be recorded");
  if (impl_->recording) return refuse("there is a record of the run already, in " + impl_->recording->folder.string());
  if (folder.find('\0') != std::string::npos) return refuse("the name of the folder holds a zero");
  std::error_code e;
  const std::filesystem::path to = std::filesystem::absolute(folder, e);
  if (e) return refuse(folder + ": " + e.message());
  const exec::Use use(impl_->threads);
  if (!impl_->take_written()) return false;
  if (const Status made = io::make_folder(to); !made) return refuse(made.error().message);
  Result<io::FolderLock> lock = io::FolderLock::take(to);
  if (!lock) return refuse(lock.error().message);
  const bool goes_on = impl_->stands_at_end_of(to);
  for (const char* name : kFiles)
    if (!goes_on && std::filesystem::exists(to / name, e))
      return refuse(folder + ": holds results or a saved run already" +
                    (impl_->origin && std::filesystem::equivalent(to, impl_->origin->folder, e)
                         ? ", from which this run, or another, has gone on; its record can go on right after the run "
                           "was resumed from it"
                         : ""));
  const auto leave_nothing = [&](const std::string& why) {
    if (goes_on) return refuse(why);
    for (const char* name : kFiles) std::filesystem::remove_all(to / name, e);
    return refuse(why);
  };
  const Simulation& s = impl_->simulation;
  const io::OutputPosition at = goes_on ? impl_->origin->at : io::OutputPosition();
  if (const Status gone = goes_on ? io::remove_all(to / "fault") : ok(); !gone) return refuse(gone.error().message);
  Result<io::ResultsFolder> files =
      goes_on ? io::ResultsFolder::resume(to, impl_->description, at.frames, at.rows, s.bonds_broken)
              : io::ResultsFolder::create(to, impl_->description);
  if (!files) return leave_nothing(files.error().message);
  const int threads = exec::threads();
  impl_->recording = std::make_unique<Recording>(
      Recording{to,
                std::move(*lock),
                std::move(*files),
                io::record_of(impl_->description, io::case_hash(impl_->description), threads),
                at.frames,
                at.rows,
                true,
                {},
                ::getpid()});
  io::RunRecord& record = impl_->recording->record;
  record.critical_time_step = critical_time_step(s, grains_to_come(s));
  Status written = ok();
  if (goes_on) {
    if (at.last_output_step == s.step) impl_->recording->last_step = s.step;
    impl_->recording->is_steered = false, impl_->recording->own_step = s.step;
    io::take_up(record, to, s, impl_->description, threads, 1);
  } else {
    io::begin_session(record, s, threads, 1);
    io::begin_span(record, s, impl_->description);
    written = impl_->output(s, totals(s));
  }
  if (written) written = impl_->write_record();
  if (written) return impl_->record_failure.clear(), true;
  impl_->recording.reset();
  return leave_nothing(written.error().message);
}
void Run::end_record() { impl_->end_record(); }
bool Run::is_recording() const { return impl_->recording != nullptr; }
const std::string& Run::record_failure() const { return impl_->record_failure; }
const std::string& Run::failure() const { return impl_->failure; }

bool Run::resume(const std::string& folder) {
  if (impl_->state == State::invalid) return false;
  const exec::Use use(impl_->threads);
  Result<io::Resumed> from =
      io::resume_from(std::filesystem::path(folder) / "checkpoint", impl_->description, io::load_shape);
  if (!from) return impl_->refuse(from.error().message);
  std::error_code none;
  const std::filesystem::path from_folder = std::filesystem::absolute(folder, none);
  const auto checkpoints = io::list_checkpoints(from_folder / "checkpoint");
  impl_->end_record();
  impl_->written_over.reset();
  impl_->failure.clear();
  for (const std::string& remark : from->remarks) impl_->warn(remark);
  impl_->simulation = std::move(from->state);
  const io::OutputPosition& at = from->at;
  impl_->schedule.resume(impl_->simulation, {at.origin, at.next_instant, at.last_output_step}, at.every);
  impl_->state = State::running;
  impl_->origin = {
      from_folder, at, checkpoints, impl_->schedule.instants(), impl_->simulation.step, impl_->simulation.stage};
  if (const auto end = impl_->schedule.settle(impl_->simulation)) impl_->note(*end);
  return true;
}

double Run::time() const { return impl_->simulation.time; }
double Run::time_step() const { return impl_->simulation.dt; }
std::uint64_t Run::step() const { return impl_->simulation.step; }
std::string Run::stage() const {
  const auto& stages = impl_->description.stages;
  if (impl_->state == State::invalid) return {};
  return impl_->simulation.stage < stages.size() ? stages[impl_->simulation.stage].name : std::string();
}
double Run::kinetic_energy() const {
  const exec::Use use(impl_->threads);
  const Totals sums = totals(impl_->simulation);
  return sums.kinetic_translation + sums.kinetic_rotation;
}
std::string Run::state_hash() const {
  const exec::Use use(impl_->threads);
  return to_hex(scree::state_hash(impl_->simulation));
}

Run::Energies Run::energies() const {
  const exec::Use use(impl_->threads);
  const Totals t = totals(impl_->simulation);
  return {t.kinetic_translation, t.kinetic_rotation, t.potential,       t.elastic,    t.bonds_elastic,
          t.lost_normal,         t.lost_tangential,  t.lost_friction,   t.lost_bonds, t.lost_global,
          t.work_of_walls,       t.work_of_gravity,  t.work_of_outside, t.exchanged,  t.unclosed};
}
std::vector<std::uint32_t> Run::fault_ids() const {
  return impl_->simulation.fault ? impl_->simulation.fault->ids : std::vector<std::uint32_t>();
}

std::size_t Run::particle_count() const { return impl_->simulation.particles.size_rows(); }
std::vector<std::uint32_t> Run::ids() const {
  return impl_->rows<std::uint32_t>(impl_->simulation.particles.id, [](std::uint32_t id) { return id; });
}
std::vector<std::string> Run::shapes() const {
  const Simulation& s = impl_->simulation;
  return impl_->rows<std::string>(s.particles.shape, [&s](std::uint32_t row) { return s.shapes[row]->name; });
}
std::vector<double> Run::sizes() const {
  return impl_->rows<double>(impl_->simulation.particles.size, [](double size) { return size; });
}
std::vector<std::array<double, 3>> Run::positions() const {
  return impl_->vectors(impl_->simulation.particles.position);
}
std::vector<std::array<double, 4>> Run::orientations() const {
  return impl_->rows<std::array<double, 4>>(impl_->simulation.particles.orientation, [](const Quat& q) {
    return std::array<double, 4>{q.w, q.x, q.y, q.z};
  });
}
std::vector<std::array<double, 3>> Run::velocities() const {
  return impl_->vectors(impl_->simulation.particles.velocity);
}
std::vector<std::array<double, 3>> Run::angular_velocities() const {
  // Of the end of the step; the particles' column is half a kick behind.
  const Particles& p = impl_->simulation.particles;
  std::vector<Vec3> spin(p.size_rows());
  for (std::size_t i = 0; i < spin.size(); ++i)
    spin[i] = integrate::angular_velocity(p.orientation[i], p.angular_momentum[i], p.inertia[i]);
  return impl_->vectors(spin);
}
std::vector<std::string> Run::materials() const {
  const Simulation& s = impl_->simulation;
  return impl_->rows<std::string>(s.particles.material, [&s](std::uint32_t row) { return s.materials[row].name; });
}
std::vector<double> Run::masses() const {
  return impl_->rows<double>(impl_->simulation.particles.mass, [](double mass) { return mass; });
}
std::vector<double> Run::radii() const {
  return impl_->rows<double>(impl_->simulation.particles.radius, [](double radius) { return radius; });
}
std::vector<std::array<double, 3>> Run::forces() const { return impl_->vectors(impl_->simulation.particles.force); }
std::vector<std::array<double, 3>> Run::torques() const { return impl_->vectors(impl_->simulation.particles.torque); }

Run::Rows Run::rows() const {
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Quat) == 4 * sizeof(double));
  const Particles& p = impl_->simulation.particles;
  const auto of = [](const std::vector<Vec3>& column) { return reinterpret_cast<const double*>(column.data()); };
  return {p.size_rows(),
          p.id.data(),
          p.size.data(),
          p.mass.data(),
          p.radius.data(),
          of(p.position),
          of(p.velocity),
          of(p.force),
          of(p.torque),
          of(p.angular_momentum),
          reinterpret_cast<const double*>(p.orientation.data())};
}

Run::Motion Run::begin_writing() {
  if (impl_->state != State::running) return impl_->refuse("only a run that goes on can be written into"), Motion();
  if (!end_writing()) return {};
  Particles& p = impl_->simulation.particles;
  impl_->written_over = motion_of(impl_->simulation);
  const auto of = [](std::vector<Vec3>& column) { return reinterpret_cast<double*>(column.data()); };
  return {p.size_rows(), of(p.velocity), of(p.angular_momentum)};
}
bool Run::end_writing(bool keeps) {
  if (!impl_->written_over) return true;
  const exec::Use use(impl_->threads);
  Particles& p = impl_->simulation.particles;
  if (!keeps) p.velocity = impl_->written_over->velocity, p.angular_momentum = impl_->written_over->angular_momentum;
  const bool taken = impl_->take_written();
  impl_->written_over.reset();
  return taken;
}

bool Run::set_outer_forces(const std::vector<std::array<double, 3>>& force,
                           const std::vector<std::array<double, 3>>& torque) {
  Simulation& s = impl_->simulation;
  if (impl_->state != State::running) return impl_->refuse("only a run that goes on takes forces from outside");
  if (!end_writing()) return false;
  const exec::Use use(impl_->threads);
  const std::size_t n = s.particles.size_rows();
  const RowOrder ids = id_order(s);
  const auto by_row = [&](const std::vector<std::array<double, 3>>& given) {
    std::vector<Vec3> rows(given.size());
    for (std::size_t k = 0; k < given.size(); ++k) {
      const std::size_t row = given.size() == n ? ids.row(ids.particle, k) : k;  // else refused
      rows[row] = {given[k][0], given[k][1], given[k][2]};
    }
    return rows;
  };
  const std::vector<Vec3> none(torque.empty() ? n : 0);
  const bool records = impl_->recording != nullptr;
  const std::vector<Vec3> force_before = records ? s.particles.outer_force : none,
                          torque_before = records ? s.particles.outer_torque : none;
  const Status taken = scree::set_outer_forces(s, by_row(force), torque.empty() ? none : by_row(torque));
  if (!taken) return impl_->refuse(taken.error().message);
  if (records && (s.particles.outer_force != force_before || s.particles.outer_torque != torque_before))
    impl_->recording->is_steered = true;
  return true;
}
std::vector<std::array<double, 3>> Run::outer_forces() const {
  const Particles& p = impl_->simulation.particles;
  return impl_->vectors(p.keeps_outer ? p.outer_force : std::vector<Vec3>(p.size_rows()));
}
std::vector<std::array<double, 3>> Run::outer_torques() const {
  const Particles& p = impl_->simulation.particles;
  return impl_->vectors(p.keeps_outer ? p.outer_torque : std::vector<Vec3>(p.size_rows()));
}

bool Run::change(const std::string& changes, const std::vector<std::uint32_t>& gone) {
  Simulation& s = impl_->simulation;
  impl_->change_remarks.clear();
  const auto refuse = [this](const std::string& why) {
    impl_->change_remarks.push_back({true, {}, 0, 0, {}, why});
    return false;
  };
  if (impl_->state != State::running) return refuse("only a run that goes on can be changed");
  const exec::Use use(impl_->threads);
  if (!end_writing()) return refuse(impl_->refusal);
  const io::ReadChanges read = io::read_changes(changes, impl_->description, s);
  for (const Diagnostic& d : read.diagnostics) impl_->change_remarks.push_back(as_remark(d));
  if (has_errors(read.diagnostics)) return false;
  const double every = output_every(s, impl_->description);
  if (const Status made = scree::change(s, impl_->description, read.value, gone, io::load_shape); !made)
    return refuse(made.error().message);
  for (const Diagnostic& d : read.diagnostics) impl_->warn(d.key + ": " + d.message);
  impl_->schedule.changed(s, every);
  impl_->changed();
  return true;
}
const std::vector<Run::Remark>& Run::change_remarks() const { return impl_->change_remarks; }

Run::Contacts Run::contacts() const {
  const exec::Use use(impl_->threads);
  const io::Frame f = io::make_frame(impl_->simulation, true);
  Contacts c;
  for (const auto& [a, b] : f.contact_ids) c.a.push_back(a), c.b.push_back(b);
  for (const Vec3& x : f.contact_point) c.point.push_back(three(x));
  for (const Vec3& n : f.contact_normal) c.normal.push_back(three(n));
  for (const Vec3& force : f.contact_force) c.force.push_back(three(force));
  c.overlap = f.contact_depth;
  return c;
}

Run::Bonds Run::bonds() const {
  const bond::Bonds& all = impl_->simulation.bonds;
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all.alive[r]) rows.push_back(r);
  std::ranges::sort(rows, {}, [&all](std::size_t r) { return std::pair(all.id_a[r], all.id_b[r]); });
  Bonds b;
  for (const std::size_t r : rows) {
    b.a.push_back(all.id_a[r]), b.b.push_back(all.id_b[r]), b.force.push_back(three(all.force[r]));
    b.normal_stress.push_back(all.normal_stress[r]), b.shear_stress.push_back(all.shear_stress[r]);
    b.damage.push_back(all.damage[r]);
  }
  return b;
}
std::vector<std::uint32_t> Run::fragments() const {
  return impl_->rows<std::uint32_t>(fragments_of(impl_->simulation), [](std::uint32_t name) { return name; });
}

std::vector<Run::Wall> Run::walls() const {
  std::vector<Wall> all;
  for (const scree::Wall& w : impl_->simulation.walls)
    all.push_back({w.name, w.id, three(w.point), three(w.normal), three(w.velocity), three(w.force), three(w.torque)});
  return all;
}

}  // namespace scree
