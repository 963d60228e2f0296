#include "validation/validation.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "io/library.h"
#include "io/read_case.h"
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
  const auto begin = std::chrono::steady_clock::now();
  Outcome o;
  try {
    o = c.run();
  } catch (const std::exception& e) {
    o = {};
    o.fault = e.what();
  }
  o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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
  Result<Simulation> s = set_up(c, [](const std::string& shape) { return io::load_shape(shape); });
  if (!s) throw std::runtime_error(s.error().message);
  return std::move(*s);
}

void advance(Simulation& s, double seconds, const std::function<void(const Simulation&)>& look) {
  const double end = s.time + seconds - 0.5 * s.dt;
  while (s.time < end) {
    step(s);
    if (s.fault) throw std::runtime_error(s.fault->message);
    if (look) look(s);
  }
}

void next_stage(Simulation& s, const Case& c) {
  const Result<bool> begun = begin_next_stage(s, c, [](const std::string& shape) { return io::load_shape(shape); });
  if (!begun) throw std::runtime_error(begun.error().message);
  if (!*begun) throw std::runtime_error("the case has no further stage");
}

}  // namespace scree::validation
