// LIBS: scree_io
// Data files of shapes, and what OFF files draw as shapes: the first byte says which and how.
#include <cmath>

#include "fuzz/fuzz.h"
#include "geometry/clump.h"
#include "io/library/library.h"
#include "io/mesh/mesh.h"
#include "io/mesh/off_mesh.h"

namespace scree::fuzz {
namespace {

constexpr std::size_t kMostTriangles = 60;  // a longer one takes time, and shows nothing else

void keeps_a_body(const Polyhedron& b) {
  SCREE_KEEPS(b.vertices.size() >= 4 && b.vertices.size() <= kMaxVertices);
  for (const Vec3& v : b.vertices) SCREE_KEEPS(is_finite(v));
}

template <class T>
bool keeps(const Result<T>& r) {
  if (!r) keeps_legible(r.error().message);
  return static_cast<bool>(r);
}

bool take_drawing(std::string_view text, std::uint8_t how) {
  const Result<Surface> s = io::read_off(text, "drawing.off");
  if (!keeps(s)) return false;
  for (const Vec3& v : s->vertices) SCREE_KEEPS(is_finite(v));
  for (const auto& t : s->triangles)
    for (const std::uint32_t v : t) SCREE_KEEPS(v < s->vertices.size());
  if (s->triangles.size() > kMostTriangles) return true;
  io::ImportOptions options;
  options.take_hull = (how & 2) != 0;
  if ((how & 4) != 0) options.scale = 1e-3;
  if ((how & 8) != 0) options.corners = 5;
  const Result<io::ImportedShape> shape = io::shape_of(*s, options);
  if (keeps(shape)) keeps_a_body(shape->body);
  Surface whole = *s;
  repair(whole, kCoplanarTolerance, Turn::as_neighbours);
  if (const Result<Decomposition> parts = decompose(whole); keeps(parts)) {
    SCREE_KEEPS(!parts->parts.empty() && parts->whole.volume > 0);
    for (const Polyhedron& p : parts->parts) keeps_a_body(p);
  }
  return true;
}

}  // namespace

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  std::vector<std::string> all;
  for (const std::string& text : texts_of(SCREE_SOURCE_DIR "/shapes", ".yaml")) all.push_back("\0"s + text);
  const std::string tetrahedron = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
  // An L, which has a dent.
  const std::string bent =
      "OFF\n12 8 18\n0 0 0\n2 0 0\n2 1 0\n1 1 0\n1 2 0\n0 2 0\n0 0 1\n2 0 1\n2 1 1\n1 1 1\n1 2 1\n0 2 1\n"
      "6 0 5 4 3 2 1\n6 6 7 8 9 10 11\n4 0 1 7 6\n4 1 2 8 7\n4 2 3 9 8\n4 3 4 10 9\n4 4 5 11 10\n4 5 0 6 11\n";
  for (const char how : {'\1', '\3', '\5', '\11', '\13'})
    for (const std::string& drawing : {tetrahedron, bent}) all.push_back(how + drawing);
  all.push_back("\1NOFF BINARY\n");
  all.push_back(
      "\1"
      "COFF\n3 1 0\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 0 0 255 255\n3 0 1 2 .5 .5 .5\n");
  return all;
}

bool take(std::string_view input) {
  Front in(input);
  const auto how = in.take<std::uint8_t>();
  if ((how & 1) != 0) return take_drawing(in.rest(), how);
  const Result<Shape> shape = io::parse_shape(std::string(in.rest()), "of_chance.yaml");
  return keeps(shape);
}

}  // namespace scree::fuzz
