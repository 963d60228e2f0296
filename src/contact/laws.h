#pragma once
#include <variant>

#include "contact/laws/bloks3d.h"

namespace scree {

/// One alternative per contact law; adding a law adds its header and one name here.
using Law = std::variant<contact::Bloks3d>;

}  // namespace scree
