#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/case/read_case.h"
#include "sim/case.h"
#include "sim/schedule.h"

/// Published and analytic cases, run by the engine from case files as a user would write them, and held to their
/// references: `scree validate`.
namespace scree::validation {

/// One number against its reference.
struct Check {
  enum class Kind { equal, at_most, at_least, reported };  ///< reported: shown, held to nothing
  std::string quantity;                                    ///< "largest force"
  std::string unit;                                        ///< of the SI, "" for none
  double computed = 0, reference = 0;
  double tolerance = 0;     ///< relative; of `scale` where the reference is zero
  double scale = 0;         ///< what an error of a quantity that should vanish is measured by
  Kind kind = Kind::equal;  ///< of the others the reference is a limit, and there is no tolerance

  double error() const;  ///< relative to the reference, or to the scale
  bool passes() const;   ///< NaN does not
};

struct Curve {
  std::string name;
  std::vector<double> x, y;
  bool is_reference = false;
  bool as_points = false;  ///< single values, not a line
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
};

/// What running a case gave.
struct Outcome {
  std::vector<Check> checks;
  std::vector<Plot> plots;
  std::vector<std::string> notes;  ///< sentences for the reader of the page
  std::string fault;               ///< why it could not be run to its end; empty: it was
  double seconds = 0;              ///< wall clock
  bool passes() const;             ///< no fault, at least one check that is held to something, all pass
};

/// One case of the collection.
struct PublishedCase {
  std::string name, title;
  std::string reference;           ///< closed form or publication
  bool quick = true;               ///< takes seconds; the others run without --quick only
  std::vector<std::string> files;  ///< of validation/cases, without .yaml
  std::function<Outcome()> run;
};

/// All cases, in the order of the page.
const std::vector<PublishedCase>& cases();

/// Runs one, takes its time; exceptions of the standard library become faults.
Outcome run(const PublishedCase& c);

/// Text of a file of validation/cases, compiled in. The program ends where there is none: a mistake of ours.
const std::string& case_text(const std::string& name);

/// The world of such a case with these `--set` overrides, its first stage begun.
Simulation world(const std::string& name, const std::vector<std::string>& set = {});
Simulation world(const Case& c);
/// The case itself.
Case read(const std::string& name, const std::vector<std::string>& set = {});
/// A case that was read; its mistakes are thrown as std::runtime_error.
Case sound(io::ReadCase r);

using Look = std::function<void(const Simulation&)>;

/// Steps until s.time + seconds, whatever the stages say, calling `look` after each step. A fault of the run is thrown
/// as std::runtime_error, which run() turns into the outcome's.
void advance(Simulation& s, double seconds, const Look& look = {});
/// Steps while `goes_on`, which is asked before each step and may change the world, for no longer than `seconds`;
/// whether it was that which ended it.
bool advance_while(Simulation& s, double seconds, const std::function<bool(Simulation&)>& goes_on);

/// A case run by its own stages, as `scree run` does. Faults are thrown as above, and that a stage cannot begin.
class StagedRun : private RunWatch {
 public:
  /// Both must outlive it.
  StagedRun(const Case& c, Simulation& s);
  /// To the end of the running stage.
  void finish_stage(const Look& look = {});
  /// Begins the next stage; where there is none, std::runtime_error.
  void next_stage();
  /// To the end of the last stage.
  void finish(const Look& look = {});

 private:
  Status stepped(const Simulation& s) override;
  void take(const RunEnd& end) const;
  Simulation& s_;
  Look look_;
  Schedule schedule_;
};

/// The page: a summary, then each case with verdicts, curves and case files. Needs no network and no script.
std::string page(const std::vector<std::pair<const PublishedCase*, Outcome>>& outcomes);

namespace detail {
inline constexpr double kG = 9.81;  // m/s^2
inline constexpr double kDegree = M_PI / 180;

std::vector<PublishedCase> sphere_cases();
std::vector<PublishedCase> polyhedron_cases();
std::vector<PublishedCase> bulk_cases();
PublishedCase direct_shear_case();

/// How many samples of each preparation, their seeds following each other; tests shorten them by overrides of the
/// example's grains and of its stages.
struct DirectShear {
  std::size_t samples = 3;
  std::vector<std::string> grains, stages;
};
Outcome direct_shear(const DirectShear& given);
}  // namespace detail

}  // namespace scree::validation
