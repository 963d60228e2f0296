// LIBS: scree_io
// STL, OBJ and PLY files, whose reader runs in a process of its own, and the walls that they make. The first byte says
// which.
#include "fuzz/fuzz.h"
#include "io/mesh/mesh.h"
#include "io/mesh/wall_mesh.h"

namespace scree::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEndings[] = {".stl", ".obj", ".ply"};

std::string binary_stl() {
  std::string bytes(80, ' ');
  const auto put = [&](const auto& v) { bytes.append(reinterpret_cast<const char*>(&v), sizeof v); };
  put(std::uint32_t{2});
  for (int t = 0; t < 2; ++t) {
    for (const float v : {0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, static_cast<float>(t)}) put(v);
    put(std::uint16_t{0});
  }
  return bytes;
}

}  // namespace

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  return {
      "\0solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"s,
      "\0"s + binary_stl(),
      "\1v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvt 0 0\nf 1 3 2\nf 1/1/1 2/1/1 4/1/1\nf 1 4 3\nf 2 3 4\n",
      "\2ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"};
}

bool take(std::string_view input) {
  Front in(input);
  const fs::path file = scratch() / (std::string("drawing") + kEndings[in.take<std::uint8_t>() % std::size(kEndings)]);
  std::ofstream(file, std::ios::binary) << in.rest();
  const Result<io::WallMesh> wall = io::read_wall_mesh(file, 1e-3, true);
  if (!wall) return keeps_legible(wall.error().message), false;
  for (const std::string& r : wall->remarks) keeps_legible(r);
  SCREE_KEEPS(wall->facets != nullptr);
  return true;
}

}  // namespace scree::fuzz
