#pragma once
#include "sim/simulation.h"

namespace scree::app {

/// What crosses a border between two ranks that have n grains each, of a bed as deep as wide: per n^(2/3), in two
/// dimensions n^(1/2). And what it takes.
struct BorderCounts {
  double copies = 0, pairs = 0, contacts = 0;         ///< of one side; both compute pairs and contacts
  double grain = 0, copy = 0, look = 0, contact = 0;  ///< s: a step of a grain, of a copy; of a pair, a contact
};
/// Measured (docs/measured/many-machines.md), of round and of other grains.
inline constexpr BorderCounts kRoundBorder{0.9, 1.7, 1.2, 280e-9, 40e-9, 4e-9, 90e-9};
inline constexpr BorderCounts kAngularBorder{1.8, 8.8, 0.75, 1000e-9, 70e-9, 12e-9, 450e-9};

/// What is assumed of a network and of ranks, not measured.
struct Network {
  double latency = 2e-6, message = 0.8e-6;  ///< s: of a step of a reduction; of software, for a message
  double bandwidth = 1e10;                  ///< bytes/s of a rank
  double imbalance = 0.03;
};

/// A step of a rank, by a model: regions are blocks that lie beside each other in as many rows as columns and layers.
struct SpreadModel {
  double grains = 0, copies = 0;   ///< of a rank in the middle
  double twice = 0;                ///< of its work: what others do as well
  double messages = 0, bytes = 0;  ///< sent
  double efficiency = 1;           ///< its speed, of its share if nothing had to be said or done twice
};
/// Borders of a rank that has most of them.
double faces_of(int ranks, int dimensions);
SpreadModel spread_model(double grains, int ranks, int threads, int dimensions, const BorderCounts& border,
                         const Network& network = {});

}  // namespace scree::app
