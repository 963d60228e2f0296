#pragma once
#include "io/case/reading.h"

namespace scree::io {

/// Title, seed, dimensions, gravity, periodic axes.
void read_world(Reading& in);
void read_detection(Reading& in);
void read_time_step_and_output(Reading& in);
/// When measurements are known: planes that count grains suit the periodic axes.
void check_counting_planes(Reading& in);

}  // namespace scree::io
