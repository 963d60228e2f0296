#include <utility>

#include "base/diagnostic.h"
#include "base/hash.h"
#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "io/case/read_case.h"
#include "io/library/library.h"
#include "io/results/build_info.h"
#include "scree/scree.h"
#include "sim/row_order.h"
#include "sim/schedule.h"

namespace scree {

const char* version() { return io::kBuildInfo.version; }

struct Run::Impl : RunWatch {
  State state = State::invalid;
  std::string messages;
  Case description;
  Simulation simulation;
  exec::Context threads;
  Schedule schedule{description, io::load_shape, *this};

  void say(const std::string& line) { messages += line + "\n"; }
  void warn(const std::string& sentence) override { say("warning: " + sentence); }
  void stage_ended(const Simulation&, const StageEnd& how) override {
    for (const std::string& w : how.warnings) warn(w);
  }
  void note(const RunEnd& end) {
    switch (end.how) {
      case RunEnd::How::at_time:
      case RunEnd::How::halted:
        return;
      case RunEnd::How::finished:
        state = State::finished;
        return;
      case RunEnd::How::fault:
        say(simulation.fault->message);
        break;
      case RunEnd::How::refused:
      case RunEnd::How::stage:
        say(end.reason);
        break;
    }
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
    return rows<std::array<double, 3>>(column, [](const Vec3& v) { return std::array<double, 3>{v.x, v.y, v.z}; });
  }
};

Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

Run Run::open(const std::string& case_file, const std::vector<std::string>& set) {
  auto impl = std::make_unique<Impl>();
  const exec::Use use(impl->threads);
  io::ReadCase read = io::read_case(case_file, set);
  for (const Diagnostic& d : read.diagnostics) impl->say(format(d));
  if (has_errors(read.diagnostics)) return Run(std::move(impl));
  impl->description = std::move(read.value);
  Result<Simulation> built = set_up(impl->description, io::load_shape);
  if (!built) {
    impl->say(case_file + ": " + built.error().message);
    return Run(std::move(impl));
  }
  impl->simulation = std::move(*built);
  impl->state = State::running;
  if (const auto end = impl->schedule.settle(impl->simulation)) impl->note(*end);
  return Run(std::move(impl));
}

void Run::set_threads(int n) { impl_->threads = exec::Context(n); }

Run::State Run::state() const { return impl_->state; }
Run::operator bool() const { return impl_->state == State::running || impl_->state == State::finished; }
const std::string& Run::messages() const { return impl_->messages; }

Run::State Run::advance(double seconds) {
  if (!(seconds > 0) || impl_->state != State::running) return impl_->state;
  const exec::Use use(impl_->threads);
  impl_->note(impl_->schedule.go(impl_->simulation, impl_->simulation.time + seconds));
  return impl_->state;
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

}  // namespace scree
