// LIBS: scree_io
// Pictures of frames: what is where, what hides what, and a file that other programs read.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "io/results/picture.h"

namespace scree::io {
namespace {

using Colour = PictureSettings::Colour;

Frame::ShapeRow sphere() { return {.name = "sphere", .vertices = {}, .faces = {}, .radius = 0.5}; }
Frame::ShapeRow cube() {
  Frame::ShapeRow s{.name = "cube", .vertices = {}, .faces = {}};
  for (int k = 0; k < 8; ++k) s.vertices.push_back({k & 1 ? .5 : -.5, k & 2 ? .5 : -.5, k & 4 ? .5 : -.5});
  s.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return s;
}

void add(Frame& f, std::uint32_t shape, Vec3 at, double size, Vec3 velocity = {}) {
  f.id.push_back(static_cast<std::uint32_t>(f.id.size()));
  f.shape.push_back(shape), f.material.push_back(0), f.size.push_back(size), f.mass.push_back(1);
  f.position.push_back(at), f.velocity.push_back(velocity), f.angular_velocity.push_back({});
  f.orientation.push_back({1, 0, 0, 0});
}

/// From -y, z up, over two metres about the origin.
PictureSettings from_the_front(int side = 200) {
  PictureSettings s;
  s.width = s.height = side, s.from = {0, -1, 0};
  s.extent.low = {-1, -1, -1}, s.extent.high = {1, 1, 1};
  return s;
}

struct Pixel {
  int r, g, b;
  bool is_background() const { return r == 255 && g == 255 && b == 255; }
  friend bool operator==(const Pixel&, const Pixel&) = default;
};
void PrintTo(const Pixel& p, std::ostream* out) { *out << p.r << ' ' << p.g << ' ' << p.b; }
Pixel at(const Picture& p, int x, int y) {
  const std::size_t k =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x));
  return {p.rgb[k], p.rgb[k + 1], p.rgb[k + 2]};
}
double covered(const Picture& p) {
  double n = 0;
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x) n += at(p, x, y).is_background() ? 0 : 1;
  return n;
}

/// A colour on which light falls so far from straight: from above, from the left and from the eye.
Pixel lit(std::uint32_t hex, double along, double dark = 0.45) {
  const auto share = static_cast<float>(dark + (1 - dark) * along / std::hypot(0.55, 0.75, 0.35));
  const auto part = [&](int shift) {
    return static_cast<int>(std::lround(static_cast<float>(hex >> shift & 255) * share));
  };
  return {part(16), part(8), part(0)};
}
/// Of a face that looks at the eye.
Pixel in_front(std::uint32_t hex) { return lit(hex, 0.55); }

/// Pixels across per unit of tan, and how far the eye is off the middle.
double focal(int side) { return 0.5 * side / std::tan(16 * M_PI / 180); }
double distance() { return 1.06 * (1 + 1 / std::tan(16 * M_PI / 180)); }

TEST(Picture, ASphereIsAsLargeAsItsRaysSay) {
  Frame f;
  f.shapes = {sphere()};
  add(f, 0, {}, 1.2);
  const Picture p = draw(f, from_the_front(400));
  // The cone of rays that touch it: tan = r / sqrt(d^2 - r^2).
  const double r = 0.6, across = focal(400) * r / std::sqrt(distance() * distance() - r * r);
  EXPECT_NEAR(covered(p), M_PI * across * across, 2 * M_PI * across);  // pixels that the rim crosses count whole
  EXPECT_TRUE(at(p, 200 - static_cast<int>(across) - 2, 200).is_background());
  EXPECT_FALSE(at(p, 200 - static_cast<int>(across) + 2, 200).is_background());
}

TEST(Picture, ACubeIsAsLargeAsItsFrontFace) {
  Frame f;
  f.shapes = {cube()};
  add(f, 0, {}, 1);
  const Picture p = draw(f, from_the_front(400));
  const double side = focal(400) * 1 / (distance() - 0.5);
  EXPECT_NEAR(std::sqrt(covered(p)), side, 1.5);
  EXPECT_EQ(at(p, 180, 190).r, at(p, 220, 210).r) << "one face, one light";
  EXPECT_EQ(at(p, 200, 200), in_front(0x6c8dad)) << "the face in front has some light, the one behind would have none";
}

TEST(Picture, PartsOfAClumpAreWhereItHasThem) {
  Frame f;
  Frame::ShapeRow left = sphere(), right = sphere();
  left.centre = {-1, 0, 0}, right.centre = {1, 0, 0};
  f.shapes = {{.name = "dumbbell", .vertices = {}, .faces = {}, .parts = {left, right}}};
  add(f, 0, {}, 0.5);
  f.orientation[0] = {std::sqrt(0.5), 0, std::sqrt(0.5), 0};  // about y: x comes to lie along z
  const Picture p = draw(f, from_the_front());
  const auto off = static_cast<int>(focal(200) * 0.5 / distance());
  EXPECT_FALSE(at(p, 100, 100 - off).is_background());
  EXPECT_FALSE(at(p, 100, 100 + off).is_background());
  EXPECT_TRUE(at(p, 100, 100).is_background());
  EXPECT_TRUE(at(p, 100 + off, 100).is_background());
}

TEST(Picture, AGrainBeforeAnotherIsToldFromIt) {
  Frame f;
  f.shapes = {sphere()};
  const auto darkest = [&] {
    const Picture p = draw(f, from_the_front());
    int least = 255;
    for (int y = 0; y < p.height; ++y)
      for (int x = 0; x < p.width; ++x) least = std::min(least, at(p, x, y).r);
    return least;
  };
  add(f, 0, {0, 0.3, 0}, 1);
  EXPECT_GE(darkest(), static_cast<int>(0.45 * 0x6c)) << "what no light falls on";
  add(f, 0, {0, -0.6, -0.1}, 0.3);
  EXPECT_LT(darkest(), static_cast<int>(0.45 * 0x6c)) << "a rim";
}

TEST(Picture, UpIsZAndRightIsX) {
  Frame f;
  f.shapes = {sphere()};
  add(f, 0, {0.5, 0, 0.7}, 0.2);
  const Picture p = draw(f, from_the_front());
  const auto x = static_cast<int>(100 + focal(200) * 0.5 / distance());
  const auto y = static_cast<int>(100 - focal(200) * 0.7 / distance());
  EXPECT_FALSE(at(p, x, y).is_background());
  EXPECT_TRUE(at(p, 200 - x, y).is_background());
  EXPECT_TRUE(at(p, x, 200 - y).is_background());
}

// The same with bodies in any order, of either kind, and with parts of clumps.
TEST(Picture, WhatIsNearHidesWhatIsFar) {
  for (const bool nearest_first : {false, true}) {
    for (const std::uint32_t kind : {0u, 1u, 2u}) {
      Frame f;
      f.shapes = {sphere(), cube(), {.name = "clump", .vertices = {}, .faces = {}, .parts = {cube()}}};
      const auto put = [&](bool is_near) {
        add(f, kind, {0, is_near ? -0.6 : 0.6, 0}, is_near ? 0.4 : 0.5, is_near ? Vec3{1, 0, 0} : Vec3{});
      };
      put(nearest_first), put(!nearest_first);
      PictureSettings s = from_the_front();
      s.top_speed = 1;  // the near one is red, the far one blue
      const Pixel middle = at(draw(f, s), 100, 100);
      EXPECT_GT(middle.r, middle.b) << kind << nearest_first;
    }
  }
}

TEST(Picture, ColoursSayWhatTheyAreFor) {
  Frame f;
  f.shapes = {sphere(), cube()};
  add(f, 0, {-0.5, 0, 0}, 0.5, {2, 0, 0}), add(f, 1, {0.5, 0, 0}, 0.5);
  f.material[1] = 1;
  const auto both = [&](Colour colour) {
    PictureSettings s = from_the_front();
    s.colour = colour, s.top_speed = typical_speed(f);
    const Picture p = draw(f, s);
    return std::pair(at(p, 65, 100), at(p, 135, 100));
  };
  const auto ratio = [](Pixel p) { return static_cast<double>(p.r) / p.b; };
  for (const Colour c : {Colour::speed, Colour::material, Colour::shape}) {
    const auto [left, right] = both(c);
    EXPECT_GT(std::abs(std::log(ratio(left) / ratio(right))), 0.2);
  }
  const auto [left, right] = both(Colour::size);
  EXPECT_NEAR(ratio(left), ratio(right), 0.1) << "both are of one size";
}

TEST(Picture, SpeedsAreColouredByTheirSquareRootAsInTheReport) {
  Frame f;
  f.shapes = {cube()};
  add(f, 0, {}, 1, {0, 0, 0.25});
  PictureSettings s = from_the_front();
  s.top_speed = 1;
  EXPECT_EQ(at(draw(f, s), 100, 100), in_front(0xc6d5b2)) << "between 9fcabf and ece0a4, the middle of the scale";
}

TEST(Picture, ColoursAreThoseOfTheReport) {
  const auto text_of = [](const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(SCREE_SOURCE_DIR "/" + file).rdbuf();
    return text.str();
  };
  // The numbers between a list's beginning and its end, each behind 0x or #.
  const auto colours = [](const std::string& text, const std::string& begin, char end) {
    std::vector<std::string> all;
    const std::size_t from = text.find(begin);
    if (from == std::string::npos) return all;
    const std::string list =
        text.substr(from + begin.size(), text.find(end, from + begin.size()) - from - begin.size());
    for (std::size_t k = list.find_first_of("x#"); k != std::string::npos; k = list.find_first_of("x#", k + 1))
      all.push_back(list.substr(k + 1, 6));
    return all;
  };
  const std::string here = text_of("src/io/results/picture.cpp"), page = text_of("viewer/src/colours.ts");
  for (const auto& [own, of_page] :
       {std::pair("kSpeed[] = {", "speed: ["), {"kSize[] = {", "size: ["}, {"kKinds[] = {", "categories = ["}}) {
    const auto list = colours(here, own, '}');
    EXPECT_GE(list.size(), 6u) << own;
    EXPECT_EQ(list, colours(page, of_page, ']')) << own;
  }
}

TEST(Picture, WallsBehindAreSeenAndThoseInFrontAreSeenThrough) {
  Frame f;
  f.shapes = {sphere()};
  add(f, 0, {}, 0.5);
  const Pixel grain = at(draw(f, from_the_front()), 100, 100);
  const auto plane = [](double y, Vec3 normal) {
    Frame::WallRow w;
    w.point = {0, y, 0}, w.normal = normal;
    w.outline = std::array<Vec3, 4>{Vec3{-1, y, -1}, Vec3{1, y, -1}, Vec3{1, y, 1}, Vec3{-1, y, 1}};
    return w;
  };
  f.walls = {plane(1, {0, -1, 0}), plane(-1, {0, 1, 0})};
  const Picture between = draw(f, from_the_front());
  EXPECT_EQ(at(between, 100, 100).r, grain.r) << "the plane in front is seen from behind";
  EXPECT_FALSE(at(between, 60, 60).is_background());
  Frame::WallRow mesh;
  mesh.point = {0, -1, 0};
  mesh.vertices = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}}, mesh.triangles = {{0, 1, 2}};
  f.walls = {mesh};
  const Pixel through = at(draw(f, from_the_front()), 100, 100);
  EXPECT_NE(through.r, grain.r);
  EXPECT_NEAR(through.r, grain.r, 60);
  f.walls[0].point.y = 1;
  EXPECT_EQ(at(draw(f, from_the_front()), 100, 100).r, grain.r) << "behind the grain it is not seen";
}

TEST(Picture, APlaneWithoutBoundsIsSeenAsFarAsThePictureGoes) {
  Frame f;
  f.shapes = {cube()};
  add(f, 0, {0, 0, -0.5}, 1);  // rests on z = -1
  const Picture alone = draw(f, from_the_front());
  Frame::WallRow w;
  w.point = {70, -30, -1}, w.normal = {0, 0, 1};
  f.walls = {w};
  // The front of the cube ends here, and before it there is half a metre of the plane.
  const auto foot = static_cast<int>(100 + focal(200) / (distance() - 0.5));
  const Picture p = draw(f, from_the_front());
  EXPECT_EQ(at(p, 100, foot - 2), in_front(0x6c8dad));
  EXPECT_EQ(at(p, 100, foot + 2), lit(0xe9ecef, 0.75, 0.88));
  EXPECT_TRUE(at(alone, 100, foot + 2).is_background());
  f.walls[0].normal = {0, 0, -1};
  EXPECT_TRUE(at(draw(f, from_the_front()), 100, foot + 2).is_background()) << "seen from behind it is looked through";
  EXPECT_GT(covered(draw(f, from_the_front())), covered(alone)) << "its edges are drawn";
  for (const double z : {-3.0, 3.0, 1e200, std::numeric_limits<double>::quiet_NaN()}) {
    f.walls[0].point.z = z;
    EXPECT_EQ(draw(f, from_the_front()).rgb, alone.rgb) << "it lies elsewhere";
  }
}

// Across a cube's diagonal it is a hexagon.
TEST(Picture, ASlopedPlaneWithoutBoundsEndsAtTheBoxOfThePicture) {
  Frame f;
  Frame::WallRow w;
  w.normal = normalized(Vec3{1, 1, 1});
  f.walls = {w};
  PictureSettings s = from_the_front(400);
  s.from = w.normal;
  // The farthest out are the corners along the picture's up, sqrt(8/3) off the axis and 1/sqrt(3) towards the eye.
  const double away = 1.06 * (1 / std::sqrt(3.0) + std::sqrt(8.0 / 3) / std::tan(16 * M_PI / 180));
  const double side = 1.06 * std::sqrt(2.0) * focal(400) / away, area = 1.5 * std::sqrt(3.0) * side * side;
  EXPECT_NEAR(covered(draw(f, s)), area, 6 * 2 * side);
}

TEST(Picture, ALineWithoutBoundsIsDrawnInTwoDimensions) {
  Frame f;
  f.dimensions = 2;
  f.shapes = {sphere()};
  add(f, 0, {}, 1);
  const Picture alone = draw(f, from_the_front());
  Frame::WallRow w;
  w.point = {5, -0.8, 0}, w.normal = {0, 1, 0};
  f.walls = {w};
  const Picture p = draw(f, from_the_front());
  const auto row = static_cast<int>(100 + focal(200) * 0.8 / distance());
  for (const int x : {30, 100, 170}) {
    const auto is_line = [&](int y) { return !at(p, x, y).is_background(); };
    EXPECT_TRUE(is_line(row) || is_line(row + 1)) << x;
    EXPECT_FALSE(is_line(row - 3) || is_line(row + 4)) << x;
  }
  EXPECT_LT(covered(p) - covered(alone), 3 * 200);
}

/// In a block of 5 x 5 x 4.
Frame hundred_grains() {
  Frame f;
  f.shapes = {sphere()};
  for (int k = 0; k < 100; ++k) add(f, 0, {0.1 * (k % 5), 0.1 * (k / 5 % 5), 0.1 * (k / 25)}, 0.1);
  return f;
}

TEST(Picture, AGrainThatStrayedDoesNotDecideWhatIsInThePicture) {
  Frame f = hundred_grains();
  Extent block;
  block.add(f);
  EXPECT_NEAR(norm(block.low - Vec3{-0.05, -0.05, -0.05}), 0, 1e-12);
  EXPECT_NEAR(norm(block.high - Vec3{0.45, 0.45, 0.35}), 0, 1e-12);
  for (const Vec3 far : {Vec3{1e6, 0, 0}, Vec3{0, -5, 0}, Vec3{0, 0, -1e29}}) {
    Frame strayed = f;
    add(strayed, 0, far, 0.1);
    for (const bool with_another : {false, true}) {
      Extent e;
      if (with_another) e.add(f);
      e.add(strayed);
      EXPECT_EQ(e.low, block.low);
      EXPECT_EQ(e.high, block.high);
    }
  }
  // One that is large, or a little apart, is in the picture.
  add(f, 0, {0.2, 0.2, 0.5}, 0.3);
  Extent all;
  all.add(f);
  EXPECT_NEAR(all.high.z, 0.65, 1e-12);
  // So are walls that have bounds, wherever they are.
  Frame::WallRow w;
  w.outline = std::array<Vec3, 4>{Vec3{9, 0, 0}, Vec3{9, 1, 0}, Vec3{9, 1, 1}, Vec3{9, 0, 1}};
  f.walls = {w};
  Extent walls;
  walls.add(f);
  EXPECT_EQ(walls.high.x, 9);
}

TEST(Picture, OfManyGrainsTheToeStaysWhereOneStrayed) {
  Frame f;
  f.shapes = {sphere()};
  for (int k = 0; k < 970; ++k) add(f, 0, {k / 970.0, 0, 0}, 1e-3);
  for (int k = 0; k < 30; ++k) add(f, 0, {1 + 0.01 * k, 0, 0}, 1e-3);
  Extent all;
  all.add(f);
  EXPECT_EQ(all.high.x, 1.29 + 0.5e-3);
  add(f, 0, {1e6, 0, 0}, 1e-3);
  Extent e;
  e.add(f);
  EXPECT_NEAR(e.high.x, 1.28, 1e-3) << "two in a thousand are left out, one of them the stray one";
  // Two grains are both seen, however far apart.
  Frame two;
  two.shapes = {sphere()};
  add(two, 0, {}, 1), add(two, 0, {100, 0, 0}, 1);
  Extent both;
  both.add(two);
  EXPECT_EQ(both.high.x, 100.5);
  EXPECT_EQ(both.low.x, -0.5);
}

TEST(Picture, WhatIsNoNumberIsLeftOut) {
  Frame f;
  f.shapes = {sphere(), cube()};
  const double none = std::numeric_limits<double>::quiet_NaN(), far = std::numeric_limits<double>::infinity();
  add(f, 0, {none, 0, 0}, 1), add(f, 1, {far, 0, 0}, 1), add(f, 1, {0, 0, 1e300}, 1), add(f, 0, {}, none);
  add(f, 0, {0, -50, 0}, 1), add(f, 1, {0, -30, 0}, 60);  // behind the eye, and about it
  add(f, 1, {}, 1), f.orientation.back() = {0, 0, 0, 0};
  for (const double size : {1e308, far, 0.0, -1.0}) add(f, 0, {}, size), add(f, 1, {}, size);
  add(f, 1, {0, 0, 0}, 0.5, {none, 0, 0}), add(f, 1, {0.6, 0, 0}, 0.5, {1e200, 1e200, 1e200});
  Frame::WallRow w;
  w.outline = std::array<Vec3, 4>{Vec3{none, 0, 0}, Vec3{1e20, 0, 0}, Vec3{-1e20, 0, 1e20}, Vec3{0, far, 0}};
  w.vertices = {{none, 0, 0}, {far, 0, 0}, {0, 0, 1e25}, {1e160, 0, 0}, {0, 0, 1e160}, {-1e160, 1e160, 0}};
  w.triangles = {{0, 1, 2}, {3, 4, 5}, {2, 3, 4}};
  f.walls = {w};
  PictureSettings s = from_the_front();
  s.top_speed = 1;
  const auto right = static_cast<int>(100 + focal(200) * 0.6 / (distance() - 0.25));
  EXPECT_EQ(at(draw(f, s), 100, 100), in_front(0x6c8dad)) << "no number is as no speed";
  EXPECT_EQ(at(draw(f, s), right, 100), in_front(0xd9513a));
  s.colour = Colour::size;
  EXPECT_EQ(at(draw(f, s), 100, 100), in_front(0x3e4989)) << "the least of those that are seen";
  EXPECT_EQ(typical_speed(f), 0);
  Extent e;
  f.walls[0].outline.reset(), f.walls[0].vertices[2] = {};
  e.add(f);
  EXPECT_EQ(e.low, (Vec3{-30, -60, -30}));
  EXPECT_EQ(e.high, (Vec3{30, 0.25, 30}));
  EXPECT_TRUE(Extent().is_empty());
}

TEST(Picture, GrainsWithoutAPlaceOrASizeAreNothingToDraw) {
  Frame f;
  f.shapes = {sphere(), cube()};
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double size : {1e308, 1e30, 0.0, -1.0, none}) add(f, 0, {}, size), add(f, 1, {}, size);
  add(f, 0, {none, 0, 0}, 1), add(f, 1, {0, 1e30, 0}, 1);
  Extent e;
  e.add(f);
  EXPECT_TRUE(e.is_empty());
  for (const Colour c : {Colour::speed, Colour::size, Colour::material, Colour::shape}) {
    PictureSettings s = from_the_front();
    s.colour = c;
    EXPECT_EQ(covered(draw(f, s)), 0);
  }
  add(f, 1, {-0.5, 0, 0}, 0.5), add(f, 1, {0.5, 0, 0}, 0.6);
  PictureSettings s = from_the_front();
  s.colour = Colour::size;
  const Picture p = draw(f, s);
  EXPECT_EQ(at(p, 60, 100), in_front(0x3e4989)) << "they bound no colours either";
  EXPECT_EQ(at(p, 140, 100), in_front(0xb5de2b));
}

TEST(Picture, AMeshBeyondAllBoundsIsLeftOut) {
  Frame f;
  Frame::WallRow w;
  w.triangles = {{0, 1, 2}};
  for (const auto& [y, length] : {std::pair(0.0, 1e150), {0.0, 1e160}, {1e10, 1e158}, {1e160, 1e160}}) {
    w.vertices = {{0, y, 0}, {length, y, 0}, {0, y, length}};
    f.walls = {w};
    EXPECT_EQ(covered(draw(f, from_the_front())), 0) << y << ' ' << length;
  }
}

TEST(Picture, TwoDimensionsAreSeenAlongZWithYUp) {
  Frame f;
  f.dimensions = 2;
  f.shapes = {{.name = "square",
               .vertices = {{-.5, -.5, 0}, {.5, -.5, 0}, {.5, .5, 0}, {-.5, .5, 0}},
               .faces = {{0, 1, 2, 3}}}};
  add(f, 0, {0, 0.6, 0}, 0.4);
  const Picture p = draw(f, from_the_front());
  EXPECT_FALSE(at(p, 100, 50).is_background());
  EXPECT_TRUE(at(p, 100, 150).is_background());
}

std::uint32_t word(const std::string& s, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t k = 0; k < 4; ++k) v = v << 8 | static_cast<unsigned char>(s[at + k]);
  return v;
}

TEST(Picture, AFileHasItsRowsAndTheirChecks) {
  Picture p;
  p.width = 3, p.height = 2;
  for (int k = 0; k < 18; ++k) p.rgb.push_back(static_cast<std::uint8_t>(13 * k));
  const std::string png = png_text(p);
  ASSERT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  std::vector<std::string> types;
  std::string rows;
  for (std::size_t i = 8; i < png.size();) {
    const std::size_t n = word(png, i);
    ASSERT_LE(i + 12 + n, png.size());
    types.push_back(png.substr(i + 4, 4));
    const auto* data = reinterpret_cast<const Bytef*>(png.data() + i + 4);
    EXPECT_EQ(word(png, i + 8 + n), crc32(0, data, static_cast<uInt>(4 + n)));
    if (types.back() == "IHDR") {
      EXPECT_EQ(word(png, i + 8), 3u);
      EXPECT_EQ(word(png, i + 12), 2u);
      EXPECT_EQ(png.substr(i + 16, 5), std::string("\x08\x02\x00\x00\x00", 5));
    }
    if (types.back() == "IDAT") {
      rows.resize(100);
      uLongf size = rows.size();
      ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, data + 4, static_cast<uLong>(n)), Z_OK);
      rows.resize(size);
    }
    i += 12 + n;
  }
  EXPECT_EQ(types, (std::vector<std::string>{"IHDR", "IDAT", "IEND"}));
  ASSERT_EQ(rows.size(), 20u);
  for (std::size_t y = 0; y < 2; ++y) {
    EXPECT_EQ(rows[10 * y], 0);
    EXPECT_EQ(std::memcmp(rows.data() + 10 * y + 1, p.rgb.data() + 9 * y, 9), 0);
  }
}

}  // namespace
}  // namespace scree::io
