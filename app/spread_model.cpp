#include "app/spread_model.h"

#include <algorithm>
#include <cmath>

namespace scree::app {

double faces_of(int ranks, int dimensions) { return dimensions * std::min(2.0, std::pow(ranks, 1.0 / dimensions) - 1); }

SpreadModel spread_model(double grains, int ranks, int threads, int dimensions, const BorderCounts& border,
                         const Network& network) {
  constexpr double kBytes = 48;      // of a copy's force and torque
  constexpr double kReductions = 1;  // of all ranks in a step: how far grains will have come, and faults
  const double n = std::max(1.0, grains / ranks), faces = faces_of(ranks, dimensions);
  const double area = std::pow(n, 1 - 1.0 / dimensions), neighbours = std::pow(1 + faces / dimensions, dimensions) - 1;
  SpreadModel m;
  m.grains = n, m.copies = std::min(border.copies * faces * area, grains - n);
  const double pairs = border.pairs * faces * area, contacts = border.contacts * faces * area;
  m.messages = std::min(neighbours, ranks - 1.0), m.bytes = kBytes * m.copies;
  const double alone = n * border.grain / threads;
  // What two compute is half of it more than a fair share.
  const double more = (m.copies * border.copy + pairs / 2 * border.look + contacts / 2 * border.contact) / threads;
  const double said = ranks == 1 ? 0
                                 : m.messages * network.message + m.bytes / network.bandwidth + network.latency +
                                       kReductions * 2 * std::log2(ranks) * network.latency;
  m.twice = more / alone;
  m.efficiency = ranks == 1 ? 1 : alone / (alone + more + said) / (1 + network.imbalance);
  return m;
}

}  // namespace scree::app
