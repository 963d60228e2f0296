#pragma once
#include "io/case/read_contacts.h"
#include "io/case/read_groups.h"
#include "io/case/read_walls.h"
#include "io/case/reading.h"

namespace scree::io {

void read_stages(Reading& in, Contacts& contacts, Walls& walls, Groups& groups);

}  // namespace scree::io
