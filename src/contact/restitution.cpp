#include "contact/restitution.h"

#include <cmath>

namespace scree::contact {

namespace {

/// acos(z)/sqrt(1 - z^2), through z = 1, where both vanish.
double angle_over_sine(double z) {
  const double below = 1 - z;
  if (std::abs(below) < 1e-6) return 1 + below / 3;
  return z < 1 ? std::acos(z) / std::sqrt(1 - z * z) : std::acosh(z) / std::sqrt(z * z - 1);
}

}  // namespace

double restitution_of(double damping_ratio, Tension tension) {
  if (tension == Tension::cut) return std::exp(-2 * damping_ratio * angle_over_sine(damping_ratio));
  return damping_ratio < 1 ? std::exp(-M_PI * damping_ratio / std::sqrt(1 - damping_ratio * damping_ratio)) : 0;
}

double damping_ratio_for(double restitution, Tension tension) {
  if (restitution >= 1) return 0;
  const double log = std::log(restitution);
  if (tension == Tension::allowed) return -log / std::sqrt(log * log + M_PI * M_PI);
  // Falls from 1 at no damping; far above critical it is 1/(4 zeta^2).
  double low = 0, high = 1 + 1 / std::sqrt(restitution);
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) return middle;
    (restitution_of(middle, tension) > restitution ? low : high) = middle;
  }
}

}  // namespace scree::contact
