#include "sim/schedule.h"

#include <algorithm>
#include <cmath>

namespace scree {

double output_every(const Simulation& s, const Case& c) {
  const bool of_stage = s.stage < c.stages.size() && c.stages[s.stage].output_every;
  return std::max(of_stage ? *c.stages[s.stage].output_every : c.output.every, s.dt);
}

std::uint64_t instants_reached(const Simulation& s, double origin, double every) {
  std::uint64_t k = static_cast<std::uint64_t>(std::max(0.0, std::floor((s.time - origin) / every)));
  while (reached(s, origin + static_cast<double>(k) * every)) ++k;
  while (k > 0 && !reached(s, origin + static_cast<double>(k - 1) * every)) --k;
  return k;
}

Status RunWatch::output(const Simulation&, const Totals&) { return ok(); }
void RunWatch::stage_ended(const Simulation&, const StageEnd&) {}
void RunWatch::stage_begun(const Simulation&) {}
void RunWatch::warn(const std::string&) {}
Result<bool> RunWatch::before_step(Simulation&, bool) { return true; }
Status RunWatch::stepped(const Simulation&) { return ok(); }

Schedule::Schedule(const Case& c, ShapeSource shapes, RunWatch& watch)
    : case_(c), shapes_(std::move(shapes)), watch_(watch) {}

void Schedule::resume(const Simulation& s, const Instants& at, double every) {
  at_ = at;
  if (every != output_every(s, case_)) at_.next = instants_reached(s, at_.origin, output_every(s, case_));
  (void)checkpoint_is_due(s);  // the one that it goes on from
  // An instant that came before the state was saved is still the one at which a stage may end by being at rest.
  if (at_.last_step == s.step) at_instant_ = totals(s);
}

void Schedule::changed(const Simulation& s, double every) {
  at_instant_.reset();
  if (output_every(s, case_) != every) at_.origin = s.time, at_.next = at_.last_step == s.step ? 1 : 0;
  at_.last_step = Instants().last_step;
}

std::optional<RunEnd> Schedule::output_if_due(Simulation& s) {
  const double every = output_every(s, case_);
  if (!reached(s, at_.origin + static_cast<double>(at_.next) * every)) return {};
  at_instant_ = totals(s);
  if (heeds_ledger_) {
    if (const auto gains = ledger_.look(s, *at_instant_)) watch_.warn(*gains);
  }
  if (s.fault) return RunEnd{RunEnd::How::fault, {}};
  if (Status taken = watch_.output(s, *at_instant_); !taken) return RunEnd{RunEnd::How::refused, taken.error().message};
  at_.next = instants_reached(s, at_.origin, every), at_.last_step = s.step;
  return {};
}

bool Schedule::stage_is_over(const Simulation& s) const {
  return scree::stage_is_over(s, case_, at_instant_ ? &*at_instant_ : nullptr);  // rest is looked for at instants only
}

std::optional<RunEnd> Schedule::next_stage(Simulation& s) {
  watch_.stage_ended(s, stage_end(s, case_, at_instant_ ? *at_instant_ : totals(s)));
  const double every = output_every(s, case_);
  Result<bool> begun = begin_next_stage(s, case_, shapes_);
  if (!begun) return RunEnd{RunEnd::How::stage, begun.error().message};
  if (!*begun) return RunEnd{RunEnd::How::finished, {}};
  at_instant_.reset();  // the stage has changed what it was of
  if (output_every(s, case_) != every) at_.origin = s.time, at_.next = at_.last_step == s.step ? 1 : 0;
  watch_.stage_begun(s);
  return {};
}

std::optional<RunEnd> Schedule::settle(Simulation& s) {
  for (;;) {
    if (auto end = output_if_due(s)) return end;  // a stage may begin with an instant of its own
    if (!stage_is_over(s)) return {};
    if (auto end = next_stage(s)) return end;
  }
}

bool Schedule::checkpoint_is_due(const Simulation& s) {
  if (!case_.output.checkpoint) return false;
  const std::uint64_t reached = instants_reached(s, 0, std::max(*case_.output.checkpoint, s.dt));
  if (reached <= checkpoints_) return false;
  checkpoints_ = reached;
  return true;
}

std::optional<RunEnd> Schedule::one_step(Simulation& s) {
  const Result<bool> goes_on = watch_.before_step(s, checkpoint_is_due(s));
  if (!goes_on) return RunEnd{RunEnd::How::refused, goes_on.error().message};
  if (!*goes_on) return RunEnd{RunEnd::How::halted, {}};
  step(s);
  at_instant_.reset();
  for (const std::string& remark : s.remarks) watch_.warn(remark);
  const Status taken = watch_.stepped(s);
  if (s.fault) {  // comes first: its state must not be taken for a sound one
    if (!taken) watch_.warn(taken.error().message);
    return RunEnd{RunEnd::How::fault, {}};
  }
  if (!taken) return RunEnd{RunEnd::How::refused, taken.error().message};
  return {};
}

RunEnd Schedule::go(Simulation& s, double until) {
  for (;;) {
    if (auto end = settle(s)) return *end;
    if (reached(s, until)) return {};
    if (auto end = one_step(s)) return *end;
  }
}

RunEnd Schedule::finish_stage(Simulation& s) {
  for (;;) {
    if (auto end = output_if_due(s)) return *end;
    if (stage_is_over(s)) return {};
    if (auto end = one_step(s)) return *end;
  }
}

RunEnd Schedule::only_step(Simulation& s, double until) {
  while (!reached(s, until))
    if (auto end = one_step(s)) return *end;
  return {};
}

}  // namespace scree
