#include <optional>
#include <utility>

#include "base/diagnostic.h"
#include "base/hash.h"
#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "io/build_info.h"
#include "io/library.h"
#include "io/read_case.h"
#include "scree/scree.h"
#include "sim/instants.h"
#include "sim/row_order.h"
#include "sim/simulation.h"

namespace scree {

const char* version() { return io::kBuildInfo.version; }

void set_threads(int n) { exec::set_threads(n); }

struct Run::Impl {
  State state = State::invalid;
  std::string messages;
  Case description;
  Simulation simulation;
  LedgerWatch ledger;
  // Output instants are where `scree run` looks whether a stage has come to rest; the same instants give the same bits.
  double origin = 0;               ///< s
  std::uint64_t next_instant = 0;  ///< the next one is at origin + next_instant * output_every()

  void say(const std::string& line) { messages += line + "\n"; }
  void fail(const std::string& why) {
    say(why);
    state = State::failed;
  }
  double output_every() const { return scree::output_every(simulation, description); }
  bool pass_instant() {
    if (!reached(simulation, origin + static_cast<double>(next_instant) * output_every())) return false;
    next_instant = instants_reached(simulation, origin, output_every());
    return true;
  }
  /// Ends and begins the stages that this state ends and begins.
  void change_stages() {
    const bool at_instant = pass_instant();
    if (at_instant) {
      if (const auto gains = ledger.look(simulation, totals(simulation))) say("warning: " + *gains);
      if (simulation.fault) return fail(simulation.fault->message);
    }
    for (;;) {
      std::optional<Totals> sums;
      if (at_instant && simulation.time > simulation.stage_started) sums = totals(simulation);
      if (!stage_is_over(simulation, description, sums ? &*sums : nullptr)) return;
      for (const std::string& w : stage_end(simulation, description, sums ? *sums : totals(simulation)).warnings)
        say("warning: " + w);
      const double every = output_every();
      const Result<bool> begun = begin_next_stage(simulation, description, io::load_shape);
      if (!begun) return fail(begun.error().message);
      if (!*begun) {
        state = State::finished;
        return;
      }
      if (output_every() != every) {
        origin = simulation.time;
        next_instant = at_instant ? 1 : 0;
      }
    }
  }
  void one_step() {
    scree::step(simulation);
    for (const std::string& remark : simulation.remarks) say("warning: " + remark);
    if (simulation.fault) return fail(simulation.fault->message);
    change_stages();
  }
  /// In the order of the ids.
  template <class Row, class Column, class F>
  std::vector<Row> rows(const Column& column, F&& f) const {
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
  impl->change_stages();
  return Run(std::move(impl));
}

Run::State Run::state() const { return impl_->state; }
Run::operator bool() const { return impl_->state == State::running || impl_->state == State::finished; }
const std::string& Run::messages() const { return impl_->messages; }

Run::State Run::advance(double seconds) {
  const Simulation& s = impl_->simulation;
  if (!(seconds > 0)) return impl_->state;
  const double end = s.time + seconds;
  while (impl_->state == State::running && s.time < end - s.dt / 2) impl_->one_step();
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
  const Totals sums = totals(impl_->simulation);
  return sums.kinetic_translation + sums.kinetic_rotation;
}
std::string Run::state_hash() const { return to_hex(scree::state_hash(impl_->simulation)); }

std::size_t Run::particle_count() const { return impl_->simulation.particles.size_rows(); }
std::vector<std::uint32_t> Run::ids() const {
  return by_id(impl_->simulation.particles.id, id_order(impl_->simulation));
}
std::vector<std::string> Run::shapes() const {
  const Simulation& s = impl_->simulation;
  return impl_->rows<std::string>(s.particles.shape, [&s](std::uint32_t row) { return s.shapes[row]->name; });
}
std::vector<double> Run::sizes() const { return by_id(impl_->simulation.particles.size, id_order(impl_->simulation)); }
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
