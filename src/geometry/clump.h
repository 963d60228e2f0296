#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "geometry/ball_union.h"
#include "geometry/polyhedron.h"

namespace scree {

inline constexpr std::size_t kMaxParts = 200;

using DrawnPart = std::variant<Ball, Polyhedron>;

/// Rigid body of convex parts in any common frame, moved and turned as make_shape does it. Without `given`, balls may
/// overlap each other, polyhedra may touch (sharing faces or parts of them) but not overlap, one has to be in touch
/// with the next, and the two kinds do not mix: this is what the mass properties of the union are known for. `given`
/// (centroid in the drawn frame, inertia about it, at density 1) stands for what the parts leave out or count twice;
/// then anything goes. Errors name the part (counted from 0).
Result<Shape> make_clump(std::string name, const std::vector<DrawnPart>& parts,
                         const std::optional<MassProperties>& given = {}, std::string description = {});

}  // namespace scree
