#pragma once
#include <vector>

#include "base/domain.h"
#include "boundary/wall.h"

// What the grains have a say in, of walls alone; what their contacts answer with: sim/drives.h.
namespace scree::boundary {

/// Where walls stand.
struct Space {
  const Domain& domain;
  int dimensions = 3;
  double thickness = 1;  ///< m, in two dimensions
};

/// Gives the planes that are sides of a box, by their names, `box` and `side`. Whenever walls have come or gone.
void number_sides(std::vector<Wall>& walls);

/// Of the side of a box between the four planes beside it, as they stand: m^2. 0: they are not there.
double area_of_side(const std::vector<Wall>& walls, const Wall& w, const Space& space);

/// Force that a drive is asked for, along its direction (N).
double force_asked(const std::vector<Wall>& walls, const Wall& w, const Space& space);

/// A kick of dt (s) by `net` (N): force, weight and what the grains press with, along the drive. A servo has no
/// inertia: its speed is that which the force is missing.
void kick(Wall& w, double net, double dt);

constexpr double kServoMemory = 500;  ///< steps that the means of what a servo misses go back
/// What a servo misses (N) goes into its running means; `steps`: how long it has been driven.
void note_missed(Wall& w, double net, double steps);
/// Root mean square of a servo's force about its mean (N).
double swing(const Wall& w);

}  // namespace scree::boundary
