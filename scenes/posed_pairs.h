#pragma once
#include <cstdint>
#include <memory>

#include "narrow/find_contacts.h"

namespace scree::scenes {

/// Pairs of bodies of size 1 m, outside of any simulation: rows 2k (A, at the origin) and 2k + 1 (B) of the particles.
class PosedPairs {
 public:
  PosedPairs(std::shared_ptr<const Shape> a, std::shared_ptr<const Shape> b, std::size_t n);
  std::size_t size() const { return particles_.size_rows() / 2; }
  /// `d` = centroid of B minus centroid of A (m).
  void pose(std::size_t k, Quat a, Quat b, Vec3 d);
  /// Moves B along the normal of the best plane until the exact gap is `gap` (m). False: not reached in the few steps
  /// that an overlap may take.
  bool bring_to(std::size_t k, double gap);

  const narrow::BodyView& a(std::size_t k) const { return bodies_.view(2 * k); }
  const narrow::BodyView& b(std::size_t k) const { return bodies_.view(2 * k + 1); }
  Vec3 d(std::size_t k) const { return particles_.position[2 * k + 1]; }
  Quat orientation_a(std::size_t k) const { return particles_.orientation[2 * k]; }
  Quat orientation_b(std::size_t k) const { return particles_.orientation[2 * k + 1]; }
  const Particles& particles() const { return particles_; }
  const narrow::Bodies& bodies() const { return bodies_; }
  const std::shared_ptr<const Shape>& shape_a() const { return shapes_[0]; }
  const std::shared_ptr<const Shape>& shape_b() const { return shapes_[1]; }
  /// Every pair, `times` over, as the step's pair table holds them; nothing known of any.
  PairTable table(std::size_t times, bool tracks) const;

 private:
  std::vector<std::shared_ptr<const Shape>> shapes_;
  Particles particles_;
  narrow::Bodies bodies_;
};

/// In random poses, at this gap (m; negative: overlap), as two bodies have that come at each other from a random side.
PosedPairs random_pairs(const std::shared_ptr<const Shape>& shape, std::size_t n, double gap, std::uint64_t seed);
/// A step later: B has slid by `motion` (m) and both have turned by as much (rad), at the same gap; each pair goes on
/// in its own direction.
PosedPairs step_later(const PosedPairs& before, double motion, double gap, std::uint64_t seed);
/// The largest face of A against that of B, centre on centre but for a tenth of the size, at any turn, `depth` (m)
/// deep.
PosedPairs face_to_face(const std::shared_ptr<const Shape>& shape, std::size_t n, double depth, std::uint64_t seed);
/// A stone of 32 corners, none of which lies inside: the hull of points drawn on a sphere of diameter 1.
std::shared_ptr<const Shape> boulder32();

}  // namespace scree::scenes
