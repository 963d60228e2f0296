#pragma once
#include <cstdint>

namespace scree::contact {

/// Whether a dashpot may pull two bodies together while they part. 64 bits: laws have no padding.
enum class Tension : std::uint64_t { cut, allowed };

/// Coefficient of restitution of a normal impact on a spring-dashpot with the given share of critical damping: linear
/// (dashpot 2 zeta sqrt(k m)), or Hertz' spring with a dashpot that grows with its stiffness
/// (2 sqrt(5/6) zeta sqrt(S m)): with the coordinate x^(5/4) its phase portrait is that of the linear one (after
/// Antypov & Elliott 2011), so that one relation serves both. Tension allowed: exp(-pi zeta/sqrt(1 - zeta^2)), contact
/// ending at zero depth. Cut: exp(-2 zeta acos(zeta)/sqrt(1 - zeta^2)), ending at zero force (after Schwager & Poeschel
/// 2007); above critical with acosh and sqrt(zeta^2 - 1).
double restitution_of(double damping_ratio, Tension tension);

/// The inverse; restitution in (0, 1]. Solved by bisection to the last digit.
double damping_ratio_for(double restitution, Tension tension);

}  // namespace scree::contact
