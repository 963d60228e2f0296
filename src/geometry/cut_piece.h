#pragma once
#include <cmath>
#include <vector>

#include "base/vec.h"

/// A solid in pieces, for decompose(). A piece is the solid cut by some planes: convex faces, and which of them meet
/// along which line. No step follows a loop of edges, so none can lose its way; corners need not match.
namespace scree::cut {

inline constexpr double kFlat = 1e-9;    // of the longest side: nearer to a plane counts as on it
inline constexpr double kSliver = 1e-9;  // of the volume: pieces below it go

using Polygon = std::vector<Vec3>;

struct Face {
  Polygon corners;  ///< convex, counter-clockwise from outside
  Vec3 normal;
  bool drawn = true;  ///< of the surface, not of a cut
};

/// Where two faces meet.
struct Seam {
  std::size_t f, g;
  Vec3 a, b;
  bool concave = false;
};

struct Piece {
  std::vector<Face> faces;
  std::vector<Seam> seams;
  double volume = 0;
  // Beside its hull:
  double excess = 0;  ///< volume
  double depth = 0;
  double score = 0;
  bool whole = false;  ///< not to be cut any more
};

struct Plane {
  Vec3 normal;
  double offset;
  double height(Vec3 x) const {
    const double d = dot(normal, x) - offset;
    return std::abs(d) <= kFlat ? 0 : d;
  }
};

/// An order of points.
bool before(Vec3 a, Vec3 b);
double volume_of(const std::vector<Face>& faces);
/// What of the piece lies on the positive side of a plane; a face in the plane counts as cut. The piece is closed with
/// the cross-section.
Piece clipped(const Piece& from, const Plane& plane);
/// The pieces that hang together; the wall of a cavity goes with the piece around it.
std::vector<Piece> separated(Piece all);
/// Of each face, one face that stands for all that hang together with it over seams.
std::vector<std::size_t> sheet_of_faces(const Piece& p);
/// Solid angle of the faces seen from x, over that of the sphere: 1 inside, 0 outside (van Oosterom & Strackee 1983).
double winding(const std::vector<Face>& faces, Vec3 x);

}  // namespace scree::cut
