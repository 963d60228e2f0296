#pragma once
#include <span>
#include <string>

#include "io/case/reading.h"

namespace scree::io {

/// Of a wall, or of a new motion that a stage gives to one.
boundary::Motion read_motion(const Node& n, const std::string& path, Reading& in);

/// A surface moves along itself alone: of a velocity along the normal of all of it nothing is left.
void must_slide(std::span<const Case::Wall> walls, const Node& n, const boundary::Motion& m, const std::string& path,
                Reading& in);

/// A plane that turns about anything but its normal sweeps through all of space; false: told.
bool may_turn(const Case::Wall& w, const Node& n, const boundary::Motion& m, const std::string& path, Reading& in);

/// Planes have to look the same from every image of a place; of meshes that can only be asked of their motion. False:
/// told.
bool suits_period(const Case::Wall& w, const Node& n, const boundary::Motion& m, const std::string& path, Reading& in);

}  // namespace scree::io
