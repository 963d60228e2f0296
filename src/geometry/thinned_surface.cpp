#include "geometry/thinned_surface.h"

#include <OpenMesh/Core/Mesh/TriMesh_ArrayKernelT.hh>
#include <OpenMesh/Tools/Decimater/DecimaterT.hh>
#include <OpenMesh/Tools/Decimater/ModAspectRatioT.hh>
#include <OpenMesh/Tools/Decimater/ModHausdorffT.hh>
#include <OpenMesh/Tools/Decimater/ModNormalFlippingT.hh>
#include <OpenMesh/Tools/Decimater/ModQuadricT.hh>
#include <array>
#include <functional>
#include <vector>

#include "exec/parallel.h"
#include "geometry/facet_mesh.h"

namespace scree {

namespace {

struct InDouble : OpenMesh::DefaultTraits {
  using Point = OpenMesh::Vec3d;
  using Normal = OpenMesh::Vec3d;
};
using ThinnedMesh = OpenMesh::TriMesh_ArrayKernelT<InDouble>;

// A facet keeps its direction within this angle (degrees) as edges are collapsed, and is no thinner than this (longest
// edge over height): slivers have any direction, and their planes go on far behind their neighbours.
constexpr double kMostTurn = 20, kMostAspect = 20;

/// False: edges with more than two triangles, or corners where separate fans meet.
bool lay_into(const Surface& s, ThinnedMesh* mesh) {
  omerr().disable();  // would tell of edges by itself
  std::vector<ThinnedMesh::VertexHandle> corner;
  for (const Vec3& v : s.vertices) corner.push_back(mesh->add_vertex({v.x, v.y, v.z}));
  for (const auto& t : s.triangles)
    if (!mesh->add_face(corner[t[0]], corner[t[1]], corner[t[2]]).is_valid()) return false;
  return true;
}

Surface surface_of_mesh(const ThinnedMesh& mesh) {
  Surface out;
  for (const auto v : mesh.vertices()) {
    const OpenMesh::Vec3d& x = mesh.point(v);
    out.vertices.push_back({x[0], x[1], x[2]});
  }
  for (const auto f : mesh.faces()) {
    std::array<std::uint32_t, 3> t{};
    std::size_t k = 0;
    for (const auto v : mesh.fv_range(f)) t[k++] = static_cast<std::uint32_t>(v.idx());
    out.triangles.push_back(t);
  }
  return out;
}

bool keeps_corners(const FacetMesh& of, const Surface& s, double within) {
  const std::size_t far = exec::parallel_reduce(
      s.vertices.size(), std::size_t{1024}, std::size_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::size_t n = 0;
        for (std::size_t i = begin; i < end; ++i) n += of.is_near(s.vertices[i], within) ? 0 : 1;
        return n;
      },
      std::plus<>());
  return far == 0;
}

}  // namespace

Surface thinned_surface(const Surface& s, double within) {
  namespace decimater = OpenMesh::Decimater;
  ThinnedMesh mesh;
  mesh.request_face_normals();
  mesh.request_face_status(), mesh.request_edge_status(), mesh.request_vertex_status();
  if (!(within > 0) || !lay_into(s, &mesh)) return s;
  mesh.update_face_normals();
  decimater::DecimaterT<ThinnedMesh> edges(mesh);
  decimater::ModQuadricT<ThinnedMesh>::Handle by_error;
  decimater::ModHausdorffT<ThinnedMesh>::Handle near;
  decimater::ModNormalFlippingT<ThinnedMesh>::Handle turned;
  decimater::ModAspectRatioT<ThinnedMesh>::Handle thin;
  edges.add(by_error), edges.module(by_error).unset_max_err();
  edges.add(turned), edges.module(turned).set_max_normal_deviation(kMostTurn);
  edges.add(thin), edges.module(thin).set_aspect_ratio(kMostAspect), edges.module(thin).set_binary(true);
  // Last, for it takes most of the time: asked of what the others allow.
  edges.add(near), edges.module(near).set_tolerance(within);
  if (!edges.initialize()) return s;
  edges.decimate(0);
  mesh.garbage_collection();
  Surface out = surface_of_mesh(mesh);
  if (out.triangles.empty() || out.triangles.size() >= s.triangles.size()) return s;
  // What has been promised is held to, whatever was promised to us.
  const FacetMesh facets(out);
  if (facets.size() == 0 || !keeps_corners(facets, s, within * (1 + 1e-9))) return s;
  return find_defects(out).open_edges > 0 && find_defects(s).open_edges == 0 ? s : out;
}

}  // namespace scree
