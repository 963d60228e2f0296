#include "io/results/picture.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>

namespace scree::io {

namespace {

using Rgb = std::array<float, 3>;

// The page's own (viewer/src/colours.ts).
constexpr std::uint32_t kSpeed[] = {0x6c8dad, 0x7aaac0, 0x9fcabf, 0xece0a4, 0xf2a957, 0xd9513a};
constexpr std::uint32_t kSize[] = {0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b};
constexpr std::uint32_t kKinds[] = {0xc8674a, 0x5d9393, 0xdba653, 0x6f84b3, 0x93a35c, 0xa8707c,
                                    0xc9ad8c, 0x53707f, 0xb58bb0, 0x7da37f, 0xd98c7a, 0x8c8c96};
constexpr std::uint32_t kBackground = 0xffffff, kPlane = 0xe9ecef, kLine = 0x7c8791, kVeil = 0x8d9aa8;

constexpr double kFar = 1e30;   // m; its powers are numbers still
constexpr double kRoom = 1.06;  // how much farther the eye is than the extent asks for

Rgb rgb(std::uint32_t hex) {
  return {static_cast<float>(hex >> 16 & 255), static_cast<float>(hex >> 8 & 255), static_cast<float>(hex & 255)};
}

Rgb mixed(Rgb a, Rgb b, float x) {
  for (std::size_t k = 0; k < 3; ++k) a[k] += (b[k] - a[k]) * x;
  return a;
}

/// No number is as 0.
Rgb sample(std::span<const std::uint32_t> stops, double x) {
  const double s = (x > 0 ? std::min(x, 1.0) : 0) * static_cast<double>(stops.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(s), stops.size() - 2);
  return mixed(rgb(stops[i]), rgb(stops[i + 1]), static_cast<float>(s - static_cast<double>(i)));
}

bool is_drawable(const Frame& f, std::size_t i) {
  return is_finite(f.position[i]) && norm(f.position[i]) < kFar && f.size[i] > 0 && f.size[i] < kFar &&
         std::isfinite(norm2(f.orientation[i])) && norm2(f.orientation[i]) > 0;
}

/// use(grain, shape, where the shape's origin is, its rotation, size) for every grain, of a clump for every part.
template <class Use>
void each_body(const Frame& f, Use&& use) {
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    if (!is_drawable(f, i)) continue;
    const Frame::ShapeRow& whole = f.shapes[f.shape[i]];
    const Mat3 r = rotation_matrix(normalized(f.orientation[i]));
    if (whole.parts.empty()) use(i, whole, f.position[i], r, f.size[i]);
    for (const Frame::ShapeRow& part : whole.parts)
      use(i, part, f.position[i] + r * (f.size[i] * part.centre), r, f.size[i]);
  }
}

Vec3 vertex(const Frame::WallRow& w, const Mat3& r, std::uint32_t k) { return w.point + r * w.vertices[k]; }

/// Of a box; its edges lead to those whose k has one bit more.
Vec3 corner(Vec3 low, Vec3 high, int k) {
  return {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
}

/// Where a plane meets a box: corners in order around the normal; empty: nowhere.
std::vector<Vec3> section(Vec3 point, Vec3 normal, Vec3 low, Vec3 high) {
  std::vector<Vec3> loop;
  Vec3 middle;
  for (int k = 0; k < 8; ++k) {
    for (const int along : {1, 2, 4}) {
      if (k & along) continue;
      const Vec3 a = corner(low, high, k), b = corner(low, high, k | along);
      const double height_a = dot(normal, a - point), height_b = dot(normal, b - point);
      if ((height_a > 0) == (height_b > 0)) continue;
      loop.push_back(a + height_a / (height_a - height_b) * (b - a));
      middle += loop.back();
    }
  }
  if (loop.empty()) return loop;
  middle = middle / static_cast<double>(loop.size());
  const Vec3 u = any_perpendicular(normal), v = cross(normal, u);
  std::ranges::sort(loop, {}, [&](Vec3 x) { return std::atan2(dot(x - middle, v), dot(x - middle, u)); });
  return loop;
}

/// Where the eye is and how space comes to lie on the picture.
struct Camera {
  Vec3 eye, right, up, back;  ///< m; unit, back being towards the eye
  double focal = 1;           ///< pixels
  double width = 0, height = 0;

  /// On the picture, with one over the depth (1/m); not in front of the eye: 0.
  struct Point {
    double x = 0, y = 0, nearness = 0;
  };
  Point project(Vec3 at) const {
    const Vec3 v = at - eye;
    const double depth = -dot(v, back);
    if (!(depth > 0)) return {};
    return {0.5 * width + focal * dot(v, right) / depth, 0.5 * height - focal * dot(v, up) / depth, 1 / depth};
  }
  /// From the eye through a point of the picture, one deep.
  Vec3 ray(double x, double y) const {
    return (x - 0.5 * width) / focal * right - (y - 0.5 * height) / focal * up - back;
  }
};

/// From the nearest place from which all of the extent is in the picture.
Camera camera_of(const PictureSettings& s, int dimensions, int scale) {
  Camera c;
  c.width = s.width * scale, c.height = s.height * scale;
  const Vec3 upright = dimensions == 2 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  c.back = dimensions == 2 ? Vec3{0, 0, 1} : normalized(s.from);
  Vec3 side = cross(upright, c.back);
  if (norm(side) < 1e-6) side = cross(Vec3{0, 1, 0}, c.back);  // seen from above
  c.right = normalized(side), c.up = cross(c.back, c.right);
  const double tall = std::tan(16 * M_PI / 180), wide = tall * c.width / c.height;
  c.focal = 0.5 * c.height / tall;
  const Vec3 low = s.extent.low, high = s.extent.high, centre = 0.5 * (low + high);
  double distance = 0;
  for (int k = 0; k < 8; ++k) {
    const Vec3 v = corner(low, high, k) - centre;
    distance = std::max(
        {distance, dot(v, c.back) + std::abs(dot(v, c.right)) / wide, dot(v, c.back) + std::abs(dot(v, c.up)) / tall});
  }
  c.eye = centre + kRoom * std::max(distance, 1e-30) * c.back;
  return c;
}

/// What is nearest in every pixel, and how much of it is seen.
class Canvas {
 public:
  using Point = Camera::Point;
  static constexpr std::uint32_t kNothing = 0xffffffffU, kWall = 0xfffffffeU;

  explicit Canvas(const Camera& camera)
      : camera_(camera),
        width_(static_cast<int>(camera.width)),
        height_(static_cast<int>(camera.height)),
        nearness_(pixels()),
        owner_(pixels(), kNothing),
        colour_(pixels(), rgb(kBackground)),
        clear_(pixels(), 1.0F) {}

  /// put(pixel, nearness) for every pixel whose middle lies within the triangle.
  template <class Put>
  void triangle(Point a, Point b, Point c, Put&& put) {
    if (!(a.nearness > 0 && b.nearness > 0 && c.nearness > 0)) return;
    const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (!(std::abs(area) > 0) || !std::isfinite(area)) return;
    const auto [left, right] = range(std::array{a.x, b.x, c.x}, width_);
    const auto [top, bottom] = range(std::array{a.y, b.y, c.y}, height_);
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        const double px = x + 0.5, py = y + 0.5;
        const double u = ((b.x - px) * (c.y - py) - (b.y - py) * (c.x - px)) / area;
        const double v = ((c.x - px) * (a.y - py) - (c.y - py) * (a.x - px)) / area;
        if (u < 0 || v < 0 || u + v > 1) continue;
        put(at(x, y), static_cast<float>(u * a.nearness + v * b.nearness + (1 - u - v) * c.nearness));
      }
    }
  }

  void face(std::span<const Vec3> loop, Rgb colour, std::uint32_t owner) {
    fan(loop, [&](std::size_t k, float nearness) { cover(k, nearness, colour, owner); });
  }

  void sphere(Vec3 centre, double radius, Rgb colour, std::uint32_t owner) {
    const Vec3 v = centre - camera_.eye;
    const double depth = -dot(v, camera_.back), x = dot(v, camera_.right), y = dot(v, camera_.up);
    if (!(depth > radius)) return;
    // The block about it, of which every corner is looked at.
    std::array<double, 4> across{}, down{};
    for (std::size_t k = 0; k < 4; ++k) {
      const double side = k & 1 ? radius : -radius, d = k & 2 ? depth + radius : depth - radius;
      across[k] = 0.5 * camera_.width + camera_.focal * (x + side) / d;
      down[k] = 0.5 * camera_.height - camera_.focal * (y + side) / d;
    }
    const auto [left, right] = range(across, width_);
    const auto [top, bottom] = range(down, height_);
    const double beyond = norm2(v) - radius * radius;
    for (int j = top; j < bottom; ++j) {
      for (int i = left; i < right; ++i) {
        const Vec3 ray = camera_.ray(i + 0.5, j + 0.5);
        const double a = norm2(ray), b = dot(ray, v), root = b * b - a * beyond;
        if (root < 0) continue;
        const double t = (b - std::sqrt(root)) / a;
        cover(at(i, j), static_cast<float>(1 / t), lit(colour, (1 / radius) * (t * ray - v)), owner);
      }
    }
  }

  /// A layer that is looked through, over what is there so far.
  void veil(std::span<const Vec3> loop, float share) {
    fan(loop, [&](std::size_t k, float nearness) {
      if (nearness > nearness_[k]) clear_[k] *= 1 - share;
    });
  }

  void line(Vec3 from, Vec3 to) {
    const Point a = camera_.project(from), b = camera_.project(to);
    if (!(a.nearness > 0 && b.nearness > 0)) return;
    const double length = std::max(std::abs(b.x - a.x), std::abs(b.y - a.y));
    if (!(length < 20 * (camera_.width + camera_.height))) return;
    const int n = 1 + static_cast<int>(length);
    for (int k = 0; k <= n; ++k) {
      const double t = static_cast<double>(k) / n;
      const double x = a.x + t * (b.x - a.x), y = a.y + t * (b.y - a.y);
      const auto nearness = static_cast<float>(1.0001 * (a.nearness + t * (b.nearness - a.nearness)));
      for (const auto& [dx, dy] : {std::pair(0, 0), std::pair(1, 0), std::pair(0, 1), std::pair(1, 1)}) {
        if (!(x + dx >= 0 && x + dx < camera_.width && y + dy >= 0 && y + dy < camera_.height)) continue;
        cover(at(static_cast<int>(x) + dx, static_cast<int>(y) + dy), nearness, rgb(kLine), kWall);
      }
    }
  }

  /// `dark`: what a face has that no light falls on.
  Rgb lit(Rgb colour, Vec3 normal, double dark = 0.45) const {
    const Vec3 light = normalized(0.55 * camera_.back + 0.75 * camera_.up - 0.35 * camera_.right);
    const auto share = static_cast<float>(dark + (1 - dark) * std::max(0.0, dot(normal, light)));
    for (float& c : colour) c *= share;
    return colour;
  }

  /// `scale` x `scale` pixels become one.
  Picture picture(int scale) const {
    Picture p;
    p.width = width_ / scale, p.height = height_ / scale;
    p.rgb.reserve(static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height) * 3);
    for (int y = 0; y < p.height; ++y) {
      for (int x = 0; x < p.width; ++x) {
        Rgb sum{};
        for (int j = 0; j < scale; ++j)
          for (int i = 0; i < scale; ++i)
            sum = mixed(sum, seen(x * scale + i, y * scale + j), 1.0F / static_cast<float>(j * scale + i + 1));
        for (const float c : sum) p.rgb.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(c, 0.0F, 255.0F))));
      }
    }
    return p;
  }

 private:
  std::size_t pixels() const { return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_); }
  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }
  /// Rows or columns, of n, that have something within. Values may be infinite or none.
  template <std::size_t N>
  static std::pair<int, int> range(const std::array<double, N>& values, int n) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const auto within = [n](double v) { return v > 0 ? static_cast<int>(std::min(v, static_cast<double>(n))) : 0; };
    return {within(std::floor(*low)), within(std::floor(*high) + 1)};
  }
  template <class Put>
  void fan(std::span<const Vec3> loop, Put&& put) {
    for (std::size_t k = 2; k < loop.size(); ++k)
      triangle(camera_.project(loop[0]), camera_.project(loop[k - 1]), camera_.project(loop[k]), put);
  }
  void cover(std::size_t k, float nearness, Rgb colour, std::uint32_t owner) {
    if (!(nearness > nearness_[k])) return;
    nearness_[k] = nearness, colour_[k] = colour, owner_[k] = owner;
  }
  /// A pixel, darker where a nearer grain begins beside it.
  Rgb seen(int x, int y) const {
    const std::size_t k = at(x, y);
    Rgb c = colour_[k];
    if (owner_[k] != kNothing) {
      const auto begins = [&](int i, int j) {
        if (i < 0 || j < 0 || i >= width_ || j >= height_) return false;
        const std::size_t m = at(i, j);
        return owner_[m] != owner_[k] && owner_[m] < kWall && nearness_[m] > nearness_[k];
      };
      if (begins(x - 1, y) || begins(x + 1, y) || begins(x, y - 1) || begins(x, y + 1))
        for (float& v : c) v *= 0.55F;
    }
    return mixed(rgb(kVeil), c, clear_[k]);
  }

  const Camera& camera_;
  int width_, height_;
  std::vector<float> nearness_;  ///< 1/m; 0: nothing is there
  std::vector<std::uint32_t> owner_;
  std::vector<Rgb> colour_;
  std::vector<float> clear_;  ///< share of the light that comes through
};

/// Of every grain, unlit.
std::vector<Rgb> colours(const Frame& f, const PictureSettings& s) {
  using Colour = PictureSettings::Colour;
  double low = kFar, high = 0;  // m
  for (std::size_t i = 0; i < f.id.size(); ++i)
    if (is_drawable(f, i)) low = std::min(low, f.size[i]), high = std::max(high, f.size[i]);
  std::vector<Rgb> all;
  all.reserve(f.id.size());
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    if (s.colour == Colour::speed)
      all.push_back(sample(kSpeed, s.top_speed > 0 ? std::sqrt(norm(f.velocity[i]) / s.top_speed) : 0));
    else if (s.colour == Colour::size)
      all.push_back(sample(kSize, high > low ? (f.size[i] - low) / (high - low) : 0.5));
    else
      all.push_back(rgb(kKinds[(s.colour == Colour::material ? f.material[i] : f.shape[i]) % std::size(kKinds)]));
  }
  return all;
}

void draw_grains(const Frame& f, const PictureSettings& s, const Camera& camera, Canvas& canvas) {
  const std::vector<Rgb> all = colours(f, s);
  std::vector<Vec3> loop;
  each_body(f, [&](std::size_t i, const Frame::ShapeRow& shape, Vec3 at, const Mat3& r, double size) {
    const auto owner = static_cast<std::uint32_t>(i);
    if (shape.radius > 0) canvas.sphere(at, size * shape.radius, all[i], owner);
    for (const std::vector<std::uint16_t>& face : shape.faces) {
      loop.clear();
      for (const std::uint16_t k : face) loop.push_back(at + r * (size * shape.vertices[k]));
      Vec3 n;
      for (std::size_t k = 2; k < loop.size(); ++k) n += cross(loop[k - 1] - loop[0], loop[k] - loop[0]);
      if (loop.size() < 3 || !(norm(n) > 0) || !std::isfinite(norm(n))) continue;
      if (f.dimensions == 3 && dot(n, camera.eye - loop[0]) <= 0) continue;
      canvas.face(loop, canvas.lit(all[i], normalized(n)), owner);
    }
  });
}

/// What is seen of a plane without bounds: as much as is in the picture with all of the extent.
std::vector<Vec3> outline_of(const Frame::WallRow& plane, const Extent& extent, int dimensions) {
  const Vec3 centre = 0.5 * (extent.low + extent.high), half = 0.5 * kRoom * (extent.high - extent.low);
  Vec3 low = centre - half, high = centre + half;
  if (dimensions == 2) low.z = high.z = 0;
  return section(plane.point, normalized(plane.normal), low, high);
}

void draw_walls(const Frame& f, const PictureSettings& s, const Camera& camera, Canvas& canvas) {
  const auto plane = [&](std::span<const Vec3> outline, Vec3 normal) {
    if (outline.empty()) return;
    if (dot(normal, camera.eye - outline[0]) > 0)
      canvas.face(outline, canvas.lit(rgb(kPlane), normal, 0.88), Canvas::kWall);
    for (std::size_t k = 0; k < outline.size(); ++k) canvas.line(outline[k], outline[(k + 1) % outline.size()]);
  };
  for (const Frame::WallRow& w : f.walls) {
    if (w.outline)
      plane(*w.outline, w.normal);
    else if (w.triangles.empty())
      plane(outline_of(w, s.extent, f.dimensions), w.normal);
  }
  for (const Frame::WallRow& w : f.walls) {
    const Mat3 r = rotation_matrix(w.orientation);
    for (const auto& [a, b, c] : w.triangles) {
      const std::array<Vec3, 3> t{vertex(w, r, a), vertex(w, r, b), vertex(w, r, c)};
      const Vec3 n = cross(t[1] - t[0], t[2] - t[0]), sight = camera.eye - t[0];
      const double both = norm(n) * norm(sight);
      if (both > 0 && std::isfinite(both))
        canvas.veil(t, static_cast<float>(0.1 + 0.3 * (1 - std::abs(dot(n, sight)) / both)));
    }
  }
}

void put_word(std::string& text, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) text.push_back(static_cast<char>(value >> shift & 255));
}

void put_chunk(std::string& png, std::string_view type, std::string_view data) {
  put_word(png, static_cast<std::uint32_t>(data.size()));
  const std::size_t from = png.size();
  png.append(type).append(data);
  const auto* bytes = reinterpret_cast<const Bytef*>(png.data() + from);
  put_word(png, static_cast<std::uint32_t>(crc32(crc32(0, nullptr, 0), bytes, static_cast<uInt>(png.size() - from))));
}

void join(Extent& e, Vec3 low, Vec3 high) {
  for (std::size_t k = 0; k < 3; ++k) e.low[k] = std::min(e.low[k], low[k]), e.high[k] = std::max(e.high[k], high[k]);
}

void join_ball(Extent& e, Vec3 centre, double r) {
  if (is_finite(centre) && norm(centre) < kFar && r < kFar) join(e, centre - Vec3{r, r, r}, centre + Vec3{r, r, r});
}

/// Of those that have bounds.
Extent of_walls(const Frame& f) {
  Extent e;
  for (const Frame::WallRow& w : f.walls) {
    const Mat3 r = rotation_matrix(w.orientation);
    for (std::uint32_t k = 0; k < w.vertices.size(); ++k) join_ball(e, vertex(w, r, k), 0);
    if (w.outline)
      for (const Vec3& x : *w.outline) join_ball(e, x, 0);
  }
  return e;
}

/// Of each that has a place.
std::vector<Extent> of_grains(const Frame& f) {
  std::vector<Extent> all(f.id.size());
  each_body(f, [&](std::size_t i, const Frame::ShapeRow& shape, Vec3 at, const Mat3& r, double size) {
    if (shape.radius > 0) join_ball(all[i], at, size * shape.radius);
    for (const Vec3& v : shape.vertices) join_ball(all[i], at + r * (size * v), 0);
  });
  std::erase_if(all, [](const Extent& e) { return e.is_empty(); });
  return all;
}

/// With the grains but for the share that strayed farthest at each end of each axis. Reorders them.
Extent most_of(Extent walls, std::vector<Extent>& grains, double strayed) {
  if (grains.empty()) return walls;
  const auto at = grains.begin() + std::lround(strayed * static_cast<double>(grains.size() - 1));
  Vec3 low, high;
  for (std::size_t k = 0; k < 3; ++k) {
    std::ranges::nth_element(grains, at, std::less<>(), [k](const Extent& e) { return e.low[k]; });
    low[k] = at->low[k];
    std::ranges::nth_element(grains, at, std::greater<>(), [k](const Extent& e) { return e.high[k]; });
    high[k] = at->high[k];
  }
  join(walls, low, high);
  return walls;
}

}  // namespace

void Extent::add(const Frame& f) {
  const Extent walls = of_walls(f);
  std::vector<Extent> grains = of_grains(f);
  Extent most = most_of(walls, grains, 0.04);
  for (const double strayed : {0.0, 0.002}) {
    const Extent more = most_of(walls, grains, strayed);
    if (!(norm(more.high - more.low) < 1.6 * norm(most.high - most.low))) continue;
    most = more;
    break;
  }
  join(*this, most.low, most.high);
}

double typical_speed(const Frame& f) {
  std::vector<double> speeds;
  for (const Vec3& v : f.velocity)
    if (std::isfinite(norm(v))) speeds.push_back(norm(v));
  if (speeds.empty()) return 0;
  const auto at =
      speeds.begin() + static_cast<std::ptrdiff_t>(std::ceil(0.995 * static_cast<double>(speeds.size() - 1)));
  std::nth_element(speeds.begin(), at, speeds.end());
  return *at;
}

Picture draw(const Frame& f, const PictureSettings& settings) {
  constexpr int kScale = 2;  // edges between pixels are seen as such
  const Camera camera = camera_of(settings, f.dimensions, kScale);
  Canvas canvas(camera);
  draw_grains(f, settings, camera, canvas);
  draw_walls(f, settings, camera, canvas);
  return canvas.picture(kScale);
}

std::string png_text(const Picture& p) {
  const std::size_t row = static_cast<std::size_t>(p.width) * 3;
  std::string lines;
  for (std::size_t y = 0; y < static_cast<std::size_t>(p.height); ++y) {
    lines.push_back(0);  // no filter
    lines.append(reinterpret_cast<const char*>(p.rgb.data()) + y * row, row);
  }
  uLongf size = compressBound(lines.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(lines.data()),
                lines.size(), 6) != Z_OK)
    return {};
  std::string head;
  put_word(head, static_cast<std::uint32_t>(p.width)), put_word(head, static_cast<std::uint32_t>(p.height));
  head += std::string_view("\x08\x02\x00\x00\x00", 5);  // eight bits each of red, green and blue
  std::string png("\x89PNG\r\n\x1a\n", 8);
  put_chunk(png, "IHDR", head);
  put_chunk(png, "IDAT", std::string_view(packed).substr(0, size));
  put_chunk(png, "IEND", {});
  return png;
}

}  // namespace scree::io
