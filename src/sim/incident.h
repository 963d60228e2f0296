#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/simulation.h"

/// What led to a fault: told from the steps before it, made again from a checkpoint.
namespace scree {

/// One instant on the way to a fault. The two: what the fault names, two grains or a grain and a wall; of a grain named
/// alone, it and what it overlaps most.
struct IncidentRow {
  std::uint64_t step = 0;
  double time = 0;                        ///< s
  double lively = 0, unclosed = 0;        ///< J, of the whole: what moves and is stored, and Totals::unclosed
  double max_speed = 0, max_overlap = 0;  ///< m/s; over the smaller one's size
  bool both_are_there = false;            ///< whether the run has both
  double overlap = 0;                     ///< of the two, over the smaller one's size
  double approach = 0;                    ///< m/s, at the contact or along the line of centres; > 0: towards each other
  double wall_approach = 0;               ///< m/s, what of it is the wall's own
  double force = 0, energy = 0;           ///< N; J, stored
  double mass = 0;                        ///< kg, effective
  double power = 0;                       ///< of the overlap that the stored energy grows with; 0: none is stored
};

/// What is looked at where a fault names nobody: of a wall, the grain that overlaps it most; else the fastest grain.
Fault in_view(const Simulation& s);

/// Of the state as it stands, whose totals are `t`, with the two that `fault` names.
IncidentRow incident_row(const Simulation& s, const Totals& t, const Fault& fault);

/// Why a run has failed, as far as its last steps tell.
struct Cause {
  enum class Kind {
    unknown,
    put_into_each_other,  ///< they overlapped when they came
    wall_speed,           ///< a wall came too fast
    impact,               ///< they met faster than the contacts can bear
    load,                 ///< pressed together by what lies around them
    unstable,             ///< energy came from nothing
    free_flight           ///< a grain is faster than a mesh can be watched at
  } kind = Kind::unknown;
  std::string text;    ///< sentences: what happened, in figures
  std::string advice;  ///< a sentence: what to change
};
const char* name_of(Cause::Kind k);

/// `rows`: in the order of the steps, the last one of the state that failed. Empty, or that one alone: unknown.
Cause likely_cause(const Simulation& failed, const std::vector<IncidentRow>& rows);

}  // namespace scree
