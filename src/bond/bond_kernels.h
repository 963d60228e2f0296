#pragma once
#include "bond/bonds.h"

namespace scree::bond {

/// Force, torques, stresses and energy of one bond; zero where it is broken. The reference of `forces_of`.
void force_of(Bonds& bonds, const Particles& p, std::size_t row);

/// The same, bit for bit, for the rows [begin, end), a vector of bonds at a time.
void forces_of(Bonds& bonds, const Particles& p, std::size_t begin, std::size_t end);

/// Takes the stresses of the rows [begin, end) into their damage; returns how many have now reached their strength.
std::size_t take_damage(Bonds& bonds, std::size_t begin, std::size_t end);

}  // namespace scree::bond
