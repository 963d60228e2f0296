#include "validation/validation.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "base/timer.h"
#include "io/case/read_case.h"
#include "io/library/library.h"
#include "validation/case_files.h"

namespace scree::validation {

double Check::error() const {
  const double by = reference != 0 ? std::abs(reference) : scale;
  return std::abs(computed - reference) / by;
}

bool Check::passes() const {
  switch (kind) {
    case Kind::at_most:
      return computed <= reference;
    case Kind::at_least:
      return computed >= reference;
    case Kind::reported:
      return std::isfinite(computed);
    case Kind::equal:
      break;
  }
  return error() <= tolerance;
}

bool Outcome::passes() const {
  bool is_held = false;
  for (const Check& c : checks) {
    if (!c.passes()) return false;
    is_held |= c.kind != Check::Kind::reported;
  }
  return fault.empty() && is_held;
}

const std::vector<PublishedCase>& cases() {
  static const std::vector<PublishedCase> all = [] {
    std::vector<PublishedCase> out = detail::polyhedron_cases();
    for (PublishedCase& c : detail::sphere_cases()) out.push_back(std::move(c));
    for (PublishedCase& c : detail::bulk_cases()) out.push_back(std::move(c));
    return out;
  }();
  return all;
}

Outcome run(const PublishedCase& c) {
  const Stopwatch watch;
  Outcome o;
  try {
    o = c.run();
  } catch (const std::exception& e) {
    o = {};
    o.fault = e.what();
  }
  o.seconds = watch.seconds();
  return o;
}

const std::string& case_text(const std::string& name) {
  for (const CaseFile& f : case_files()) {
    if (f.name == name) return f.text;
  }
  std::fprintf(stderr, "validation: no case file %s\n", name.c_str());
  std::abort();
}

Case read(const std::string& name, const std::vector<std::string>& set) {
  return sound(io::read_case_text(case_text(name), "validation/cases/" + name + ".yaml", set));
}

Case sound(io::ReadCase r) {
  std::string messages;
  for (const Diagnostic& d : r.diagnostics) messages += format(d) + "\n";
  if (has_errors(r.diagnostics)) throw std::runtime_error(messages);
  return std::move(r.value);
}

Simulation world(const std::string& name, const std::vector<std::string>& set) { return world(read(name, set)); }

Simulation world(const Case& c) {
  Result<Simulation> s = set_up(c, io::load_shape);
  if (!s) throw std::runtime_error(s.error().message);
  return std::move(*s);
}

namespace {

void throw_fault(const Simulation& s, const RunEnd& end) {
  if (end.how == RunEnd::How::fault) throw std::runtime_error(s.fault->text());
  if (end.how == RunEnd::How::stage || end.how == RunEnd::How::refused) throw std::runtime_error(end.reason);
}

struct Looks : RunWatch {
  const Look* look = nullptr;
  const std::function<bool(Simulation&)>* goes_on = nullptr;
  Result<bool> before_step(Simulation& s, bool) override { return !goes_on || (*goes_on)(s); }
  Status stepped(const Simulation& s) override {
    if (look && *look && !s.fault) (*look)(s);
    return ok();
  }
};

RunEnd steps(Simulation& s, double seconds, Looks& watch) {
  const Case none;
  const RunEnd end = Schedule(none, io::load_shape, watch).only_step(s, s.time + seconds);
  throw_fault(s, end);
  return end;
}

}  // namespace

void advance(Simulation& s, double seconds, const Look& look) {
  Looks watch;
  watch.look = &look;
  steps(s, seconds, watch);
}

bool advance_while(Simulation& s, double seconds, const std::function<bool(Simulation&)>& goes_on) {
  Looks watch;
  watch.goes_on = &goes_on;
  return steps(s, seconds, watch).how == RunEnd::How::halted;
}

StagedRun::StagedRun(const Case& c, Simulation& s) : s_(s), schedule_(c, io::load_shape, *this) {}

Status StagedRun::stepped(const Simulation& s) {
  if (look_ && !s.fault) look_(s);
  return ok();
}

void StagedRun::take(const RunEnd& end) const { throw_fault(s_, end); }

void StagedRun::finish_stage(const Look& look) {
  look_ = look;
  take(schedule_.finish_stage(s_));
}

void StagedRun::next_stage() {
  if (const auto end = schedule_.next_stage(s_)) {
    take(*end);
    throw std::runtime_error("the case has no further stage");
  }
}

void StagedRun::finish(const Look& look) {
  look_ = look;
  take(schedule_.go(s_));
}

}  // namespace scree::validation
