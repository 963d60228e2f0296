#pragma once
#include "neighbour/neighbour.h"

namespace scree::neighbour {

/// Which spheres belong together: clusters of bonded spheres, their fragments, single spheres. Changes when bonds
/// break, not when spheres move.
/// A unit is cut into parts of at most `kMostOfAPart` spheres that lie side by side, so that a search need not take a
/// large unit as a whole.
class Units {
 public:
  static constexpr std::size_t kMostOfAPart = 128;
  static constexpr std::size_t kPadding = 16;  ///< elements that may be read past the end of the members

  Units() = default;
  /// `unit[i]` (below the number of spheres) is the same for the spheres of a unit and differs between units; numbers
  /// may be left out. Where the spheres lie decides how large units are cut, and nothing else.
  /// Errors: columns of unequal length; the first sphere whose number is too large.
  static Result<Units> make(const Bodies& spheres, std::span<const std::uint32_t> unit);

  std::size_t size() const { return start_.size() - 1; }
  std::size_t spheres() const { return of_.size(); }
  /// Place of the sphere's unit among all, in the order of the units' numbers.
  std::uint32_t of(std::uint32_t sphere) const { return of_[sphere]; }
  /// All spheres, part by part.
  std::span<const std::uint32_t> members() const { return std::span(member_).first(of_.size()); }
  /// Part by part.
  std::span<const std::uint32_t> members(std::size_t unit) const {
    return std::span(member_).subspan(start_[unit], start_[unit + 1] - start_[unit]);
  }

  /// Whether the spheres are numbered unit by unit and part by part.
  bool in_order() const { return in_order_; }

  std::size_t parts() const { return part_start_.size() - 1; }
  std::uint32_t unit_of_part(std::size_t part) const { return part_unit_[part]; }
  /// Place of its first sphere in members().
  std::uint32_t begin_of_part(std::size_t part) const { return part_start_[part]; }
  std::uint32_t size_of_part(std::size_t part) const { return part_start_[part + 1] - part_start_[part]; }
  /// Rising.
  std::span<const std::uint32_t> part(std::size_t part) const {
    return std::span(member_).subspan(part_start_[part], part_start_[part + 1] - part_start_[part]);
  }
  std::size_t bytes() const {
    return sizeof(of_[0]) *
           (of_.capacity() + start_.capacity() + member_.capacity() + part_start_.capacity() + part_unit_.capacity());
  }

 private:
  void cut(const Bodies& spheres, std::uint32_t begin, std::uint32_t end);

  bool in_order_ = true;
  std::vector<std::uint32_t> of_, start_{0}, member_, part_start_{0}, part_unit_;
};

}  // namespace scree::neighbour
