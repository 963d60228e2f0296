#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace scree::app {

/// What a case will take and how deep its grains will press into each other, from the state at time 0. Rough: meant to
/// catch a factor of ten, not of two.
struct Estimate {
  double critical_time_step = 0;   ///< s
  double overlap_at_rest = 0;      ///< deepest, as a share of the grain's size, under the weight of the settled bed
  double overlap_at_impact = 0;    ///< of the worst grain, alone, hitting the wall below it or hit by one that moves
  double stiffening = 1;           ///< of that contact at that depth over where the time step judges it
  double impact_speed = 0;         ///< m/s, of that grain against the wall
  std::string impact_wall;         ///< that wall, if it is one that moves
  std::optional<double> duration;  ///< s; absent: no stage ends by the clock
  bool may_end_earlier = false;    ///< a stage waits for rest
  double steps = 0;                ///< of the duration
  double seconds = 0;              ///< wall clock, on one core
  double frames = 0;               ///< output instants
  double bytes = 0;                ///< memory, the most that the process holds
  double bytes_of_state = 0;       ///< of it Simulation::bytes()
  double grains = 0;               ///< most at a time
  double share_round = 0;          ///< of those that are there
  std::vector<std::string> warnings;
};
Estimate estimate(const Simulation& s, const Case& c);

/// Before a set-up that takes seconds: how many grains there will be, and their memory once they are packed. Empty
/// where it is soon done.
std::string set_up_notice(const Case& c, const ShapeSource& shapes);

/// Depth (m) at which the law's elastic force is `force` (N), for a grain of the given radius (m) and mass (kg) on a
/// wall; 0 where it is not above `least` (m), as in the next.
double depth_under_force(const Law& law, double radius, double mass, double force, double least = 0);
/// Depth (m) at which the law has stored `energy` (J).
double depth_under_energy(const Law& law, double radius, double mass, double energy, double least = 0);

/// "31.2 mm", "130 kN/m": four digits and an SI prefix. "1:02:03" for long times is Progress' business.
std::string metric(double value, const std::string& unit);

}  // namespace scree::app
