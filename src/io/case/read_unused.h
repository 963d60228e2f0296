#pragma once
#include "io/case/reading.h"

namespace scree::io {

/// Warns of what a case defines or sets and no grain of it uses: clusters, bonds, and how faces meet where no grain has
/// any. Of a case without mistakes.
void warn_of_unused(Reading& in);

}  // namespace scree::io
