#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/simulation.h"

namespace scree::app {

/// What the user sees while a run goes on, on stderr: one line that is drawn over on a terminal, a line every five
/// seconds elsewhere, nothing when quiet. Messages clear the line first.
class Progress {
 public:
  /// `mute`: not a word, as on ranks but the first.
  explicit Progress(bool quiet, bool mute = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `end`: s of simulated time, absent when the run ends by itself at rest.
  void begin(const Simulation& s, std::optional<double> end);
  /// Call after every step; draws when it is time to.
  void stepped(const Simulation& s);
  /// Of a state that is spread over ranks nothing is drawn by itself, for all of them have to know of it.
  bool is_time_to_draw() const;
  /// `t`: of this state.
  void draw(const Simulation& s, const Totals& t);
  /// The last state, drawn whatever the clock says.
  void end(const Simulation& s);
  /// A line of its own, whether quiet or not, unless mute.
  void say(const std::string& message);
  /// A line of its own unless quiet.
  void remark(const std::string& message);

  double particle_steps() const { return particle_steps_; }

 private:
  using Clock = std::chrono::steady_clock;
  void clear();
  bool quiet_, mute_, terminal_, colour_;
  bool drawn_ = false;
  std::optional<double> end_;
  double particle_steps_ = 0;
  Clock::time_point last_drawn_, began_;
  double began_at_ = 0;       ///< s of simulated time
  double steps_at_last_ = 0;  ///< particle-steps when last drawn
};

/// "1.23 M"
std::string count_text(double n);

}  // namespace scree::app
