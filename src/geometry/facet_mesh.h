#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/surface.h"

namespace scree {

/// A surface cut into flat convex facets, for contact. Triangles of one plane are one facet as far as it stays convex:
/// how finely a flat face was triangulated leaves no trace. Immutable; lengths in metres, in the mesh's own frame.
class FacetMesh {
 public:
  enum class EdgeKind : std::uint8_t {
    flat,    ///< the surface goes on in the same plane
    smooth,  ///< it turns by less than kEven, either way
    ridge,   ///< convex, seen from the front
    valley,  ///< concave, seen from the front
    rim,     ///< it ends
    joint,   ///< more than two facets meet
  };
  struct Edge {
    Vec3 a;         ///< m, first corner; the loop runs counter-clockwise seen from the front
    Vec3 along;     ///< unit
    double length;  ///< m
    Vec3 outward;   ///< unit, in the facet's plane
    Vec3 limit;   ///< unit, out of this facet: normal of the plane through the edge that parts what lies behind the two
    Vec3 beyond;  ///< unit normal of the facet on the other side; of a rim or joint this one's own
    EdgeKind kind;
  };
  struct Facet {
    Vec3 normal;  ///< unit, to the front
    double offset;
    std::uint32_t first_edge, edges;
    bool at_rim;  ///< the surface ends at one of its edges
  };
  struct Foot {
    Vec3 point;       ///< m, of the facet, nearest
    double distance;  ///< m
    double height;    ///< m, over the facet's plane
    bool inside;      ///< the foot lies within the outline: the distance is that from the plane
  };

  /// Places whose normals differ by less than this angle (rad) are of one smooth surface: a sphere has one contact with
  /// them, the deepest.
  static constexpr double kSmooth = 8.0 * 3.14159265358979323846 / 180;
  /// Edges that turn by less than this angle (rad) do not part the contacts of a polyhedron. With 8 degrees a bed in
  /// a turning drum got a fifth of what it lost from nothing: a corner sank deep into one facet as long as its face lay
  /// on the next, for the mean depth of the two was small.
  static constexpr double kEven = 1.0 * 3.14159265358979323846 / 180;
  /// Corners this share of the extent off a plane are in it; files of single precision have no better ones.
  static constexpr double kFlat = 1e-6;

  /// Of a surface that repair() has welded. Triangles without an area are left out.
  explicit FacetMesh(Surface s);

  const Surface& surface() const { return surface_; }
  double extent() const { return extent_; }
  Vec3 low() const { return low_; }
  Vec3 high() const { return high_; }
  std::size_t size() const { return facets_.size(); }
  const Facet& facet(std::size_t f) const { return facets_[f]; }
  std::span<const Edge> edges(std::size_t f) const {
    return std::span(edges_).subspan(facets_[f].first_edge, facets_[f].edges);
  }
  struct Neighbour {
    std::uint32_t facet;
    bool from_front, from_back;  ///< joined, seen from there
  };
  Foot foot(std::size_t f, Vec3 x) const;
  /// The facets that share an edge with f, ascending.
  std::span<const Neighbour> neighbours(std::size_t f) const {
    return std::span(neighbours_).subspan(neighbour_start_[f], neighbour_start_[f + 1] - neighbour_start_[f]);
  }
  /// Whether a body that touches both, seen from that side, has one contact with both: they meet at an edge that is
  /// flat, smooth, or convex from there.
  bool are_joined(std::size_t f, std::size_t g, bool from_front) const;

  /// Whether any facet is within `reach` of x.
  bool is_near(Vec3 x, double reach) const;
  /// Appends the facets within `reach` of x, ascending.
  void find_near(Vec3 x, double reach, std::vector<std::uint32_t>& out) const;
  /// Largest distance of a corner from the axis through `centre` along the unit vector `axis`.
  double reach_about(Vec3 centre, Vec3 axis) const;
  std::size_t bytes() const;

 private:
  struct Node {
    Vec3 low, high;
    std::uint32_t first, count;  ///< leaf: rows of order_; else count is 0 and children are first, first + 1
  };
  class Builder;
  void build_tree();
  template <class Visit>
  void walk(Vec3 x, double reach, Visit&& visit) const;

  Surface surface_;
  double extent_ = 0;
  Vec3 low_, high_;
  std::vector<Facet> facets_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> neighbour_start_;
  std::vector<Neighbour> neighbours_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
};

}  // namespace scree
