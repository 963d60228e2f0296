#pragma once
#include <memory>
#include <vector>

#include "sim/simulation.h"

namespace scree::app {

/// What a run of few grains takes: the program, its libraries and what writing files leaves behind (bytes).
inline constexpr double kBytesOfProgram = 34e6;

/// Memory of grains (bytes).
struct GrainMemory {
  double state = 0;    ///< Simulation::bytes(): rows, candidate pairs, contacts and buffers of a step
  double writing = 0;  ///< of frames and checkpoints, made in memory
};

/// Of one grain of this shape, which lies in a packed bed. The tables: those of the run. candidates_for_sizes: how many
/// candidates grains of the bed's sizes have, as a share of those of equal ones.
GrainMemory memory_of_grain(const Shape& shape, const Simulation& tables, double candidates_for_sizes = 1);

/// Mean over pairs of the volume (in two dimensions the area) about the one in which the other's centre makes it a
/// candidate, over that of equal grains with the same solid fraction; 1 without particles.
double candidates_for_sizes(const Simulation& s);

/// Tables as set-up makes them for these shapes by default, without grains.
Simulation tables_for(const std::vector<std::shared_ptr<const Shape>>& shapes);

}  // namespace scree::app
