#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "io/results/frame.h"

/// Frames as pictures, drawn by the processor alone: no browser, no display, no graphics driver.
namespace scree::io {

/// What is in the picture, in space (m).
struct Extent {
  Vec3 low{kNone, kNone, kNone}, high{-kNone, -kNone, -kNone};
  /// Walls that have bounds, and the grains but for those that strayed farthest at each end of each axis: none, else
  /// 0.2 %, else 4 % of them, the first that is less than 1.6 times as long as the last (viewer/src/view.ts).
  void add(const Frame& f);
  bool is_empty() const { return low.x > high.x; }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
};

/// The speed (m/s) that all but one grain in two hundred stay below, of those whose speed is a number.
double typical_speed(const Frame& f);

struct PictureSettings {
  int width = 1280, height = 960;  ///< pixels
  Vec3 from{0.48, -1, 0.42};       ///< from the middle towards the eye; in two dimensions it is z whatever this says
  Extent extent;                   ///< all of it is in the picture
  enum class Colour { speed, size, material, shape } colour = Colour::speed;
  double top_speed = 0;  ///< m/s, where the colours end, which go by the square root
};

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< rows from the top, three bytes a pixel
};

/// Grains and planes hide what is behind them; meshes, and planes seen from behind, are looked through. Planes without
/// bounds end where the picture of the extent does. Up is z, in two dimensions y. What is no number is left out.
Picture draw(const Frame& f, const PictureSettings& settings);

/// A PNG file. Empty: not enough memory to pack it.
std::string png_text(const Picture& p);

}  // namespace scree::io
