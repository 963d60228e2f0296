#include <cmath>
#include <utility>

#include "base/diagnostic.h"
#include "base/hash.h"
#include "exec/parallel.h"
#include "io/library.h"
#include "io/read_case.h"
#include "scree/scree.h"
#include "sim/simulation.h"

namespace scree {

const char* version() { return SCREE_VERSION; }

void set_threads(int n) { exec::set_threads(n); }

struct Run::Impl {
  State state = State::invalid;
  std::string messages;
  Case description;
  Simulation simulation;
  double next_output = 0;  ///< s; a stage's own end is looked for at output instants, as `scree run` does

  void say(const std::string& line) { messages += line + "\n"; }
  void fail(const std::string& why) {
    say(why);
    state = State::failed;
  }
  double output_every() const {
    if (simulation.stage < description.stages.size()) {
      const Case::Stage& stage = description.stages[simulation.stage];
      if (stage.output_every) return *stage.output_every;
    }
    return description.output.every;
  }
  bool running_stage_is_over() {
    if (simulation.time < next_output - simulation.dt / 2) return stage_is_over(simulation, description, nullptr);
    next_output += output_every();
    const Totals sums = totals(simulation);
    return stage_is_over(simulation, description, &sums);
  }
  void one_step() {
    scree::step(simulation);
    if (simulation.fault) return fail(simulation.fault->message);
    if (!running_stage_is_over()) return;
    const Result<bool> begun = begin_next_stage(simulation, description, io::load_shape);
    if (!begun) return fail(begun.error().message);
    if (!*begun) state = State::finished;
  }
  template <class Row, class Column, class F>
  std::vector<Row> rows(const Column& column, F&& f) const {
    std::vector<Row> result;
    result.reserve(column.size());
    for (const auto& value : column) result.push_back(f(value));
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
  impl->next_output = impl->output_every();
  impl->state = State::running;
  return Run(std::move(impl));
}

Run::State Run::state() const { return impl_->state; }
Run::operator bool() const { return impl_->state == State::running || impl_->state == State::finished; }
const std::string& Run::messages() const { return impl_->messages; }

Run::State Run::advance(double seconds) {
  const Simulation& s = impl_->simulation;
  if (!std::isfinite(seconds) || seconds <= 0) return impl_->state;
  const double end = s.time + seconds;
  while (impl_->state == State::running && s.time < end - s.dt / 2) impl_->one_step();
  return impl_->state;
}

double Run::time() const { return impl_->simulation.time; }
double Run::time_step() const { return impl_->simulation.dt; }
std::uint64_t Run::step() const { return impl_->simulation.step; }
std::string Run::stage() const {
  const auto& stages = impl_->description.stages;
  return impl_->simulation.stage < stages.size() ? stages[impl_->simulation.stage].name : std::string();
}
double Run::kinetic_energy() const {
  const Totals sums = totals(impl_->simulation);
  return sums.kinetic_translation + sums.kinetic_rotation;
}
std::string Run::state_hash() const { return to_hex(scree::state_hash(impl_->simulation)); }

std::size_t Run::particle_count() const { return impl_->simulation.particles.size_rows(); }
std::vector<std::uint32_t> Run::ids() const { return impl_->simulation.particles.id; }
std::vector<std::string> Run::shapes() const {
  const Simulation& s = impl_->simulation;
  return impl_->rows<std::string>(s.particles.shape, [&s](std::uint32_t row) { return s.shapes[row]->name; });
}
std::vector<double> Run::sizes() const { return impl_->simulation.particles.size; }
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
  return impl_->vectors(impl_->simulation.particles.angular_velocity);
}

}  // namespace scree
