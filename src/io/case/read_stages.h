#pragma once
#include "io/case/read_contacts.h"
#include "io/case/read_groups.h"
#include "io/case/read_walls.h"
#include "io/case/reading.h"

namespace scree::io {

/// What a stage changes beside the walls that go and come and friction: motions, damping, grains, gates.
void read_changes_of(const Node& n, const std::string& path, Reading& in, Walls& walls, Groups& groups, Case::Stage& s);

void read_stages(Reading& in, Contacts& contacts, Walls& walls, Groups& groups);

}  // namespace scree::io
