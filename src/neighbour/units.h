#pragma once
#include "neighbour/neighbour.h"

namespace scree::neighbour {

/// Which spheres belong together: clusters of bonded spheres, their fragments, single spheres. Changes when bonds
/// break, not when spheres move.
class Units {
 public:
  Units() = default;
  /// `unit[i]` (below the number of spheres) is the same for the spheres of a unit and differs between units; numbers
  /// may be left out. Errors name the first sphere whose number is too large.
  static Result<Units> make(std::span<const std::uint32_t> unit);

  std::size_t size() const { return start_.size() - 1; }
  std::size_t spheres() const { return of_.size(); }
  /// Place of the sphere's unit among all, in the order of the units' numbers.
  std::uint32_t of(std::uint32_t sphere) const { return of_[sphere]; }
  /// Rising.
  std::span<const std::uint32_t> members(std::size_t unit) const {
    return std::span(member_).subspan(start_[unit], start_[unit + 1] - start_[unit]);
  }
  std::size_t bytes() const { return (of_.capacity() + start_.capacity() + member_.capacity()) * sizeof(of_[0]); }

 private:
  std::vector<std::uint32_t> of_, start_{0}, member_;
};

}  // namespace scree::neighbour
