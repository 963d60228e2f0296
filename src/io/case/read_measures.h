#pragma once
#include "io/case/reading.h"

namespace scree::io {

void read_measures(Reading& in);

/// When all grains and walls are known: the columns that stages and plots name, and the grains that are tracked.
void read_named_columns(Reading& in);
void check_tracked_grains(Reading& in);

}  // namespace scree::io
