#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"

namespace scree::app {

/// A film of all pictures (*.png) of a folder, in the order of their names, by ffmpeg.
struct Film {
  std::filesystem::path pictures, file;
  bool has_odd_side = false;  ///< of pixels; yuv420p, which every player shows, has none

  /// What a shell makes it with.
  std::string line() const;
  /// Makes it, aside and then renamed. Errors: no ffmpeg on PATH, one that fails; then there is no film.
  Status make() const;
};

}  // namespace scree::app
