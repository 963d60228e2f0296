#pragma once
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/library/library.h"
#include "narrow/common_plane.h"
#include "narrow/find_contacts.h"

/// Two posed bodies outside of any simulation, for tests of src/narrow.
namespace scree::oracle {

inline std::shared_ptr<const Shape> shape(const std::string& name) {
  static std::map<std::string, std::shared_ptr<const Shape>> known;
  std::shared_ptr<const Shape>& held = known[name];
  if (held) return held;
  const Result<std::shared_ptr<const Shape>> s = io::load_shape(name);
  if (!s) std::fprintf(stderr, "%s\n", s.error().message.c_str()), std::abort();
  return held = *s;
}

inline const std::vector<std::string>& compact_shapes() {
  static const std::vector<std::string> names = {"tetrahedron",  "pyramid",     "cube",    "octahedron",
                                                 "dodecahedron", "icosahedron", "grain14", "grain16"};
  return names;
}
inline const std::vector<std::string>& all_shapes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> n = compact_shapes();
    n.push_back("needle"), n.push_back("plate");
    return n;
  }();
  return names;
}

struct Pose {
  double size = 1;
  Quat orientation;
  Vec3 position;
};

class PosedPair {
 public:
  PosedPair(std::shared_ptr<const Shape> a, std::shared_ptr<const Shape> b, Pose pa, Pose pb)
      : shapes_{std::move(a), std::move(b)} {
    bodies_.set_shapes(shapes_);
    particles_.resize(2);
    particles_.shape = {0, 1};
    move(pa, pb);
  }
  void move(Pose pa, Pose pb) {
    const Pose* pose[2] = {&pa, &pb};
    for (std::size_t i = 0; i < 2; ++i) {
      particles_.size[i] = pose[i]->size, particles_.radius[i] = pose[i]->size * shapes_[i]->outer_radius();
      particles_.orientation[i] = pose[i]->orientation, particles_.position[i] = pose[i]->position;
    }
    bodies_.lay_out(particles_);
    for (std::size_t i = 0; i < 2; ++i) bodies_.pose(particles_, i);
  }
  Pose pose(std::size_t i) const { return {particles_.size[i], particles_.orientation[i], particles_.position[i]}; }
  const narrow::BodyView& a() const { return bodies_.view(0); }
  const narrow::BodyView& b() const { return bodies_.view(1); }
  Vec3 d() const { return particles_.position[1] - particles_.position[0]; }
  double scale() const { return particles_.radius[0] + particles_.radius[1]; }
  const Particles& particles() const { return particles_; }

  narrow::Plane plane() const { return narrow::separating_axis(a(), b(), d()); }
  narrow::Overlap overlap() const { return narrow::exact_overlap(a(), b(), d(), plane()); }

  /// Contact points as a step would find them for a pair never seen before.
  std::vector<narrow::FoundPoint> points(narrow::ContactGeometry geometry,
                                         const narrow::PlaneSettings& planes = {}) const {
    PairTable pairs;
    pairs.keeps_tracked = narrow::keeps_track(planes);
    pairs.resize(1);
    pairs.a[0] = 0, pairs.b[0] = 1;
    narrow::FoundPoints out;
    narrow::find_body_contacts(particles_, bodies_, pairs, 0, 1, planes, geometry, out);
    return out.points;
  }
  /// Contact points in a step of a pair that was there before; `moved`: how far any corner of either body can have
  /// moved since the last call.
  narrow::FoundPoints step(PairTable& pairs, double moved, narrow::ContactGeometry geometry,
                           const narrow::PlaneSettings& planes = {}) {
    particles_.travel[0] += moved;
    narrow::FoundPoints out;
    narrow::find_body_contacts(particles_, bodies_, pairs, 0, 1, planes, geometry, out);
    pairs.count[0] = static_cast<std::uint32_t>(out.points.size());
    return out;
  }
  /// The same of body 0 against a plane wall.
  std::vector<narrow::FoundPoint> wall_points(Vec3 point, Vec3 normal, narrow::ContactGeometry geometry) const {
    PairTable pairs;
    pairs.resize(1);
    narrow::FoundPoints out;
    narrow::NearFacets near;
    const narrow::WallView wall[] = {{point, normal, 0}};
    narrow::find_wall_contacts(particles_, bodies_, wall, pairs, 0, 1, geometry, near, out);
    return out.points;
  }

 private:
  std::vector<std::shared_ptr<const Shape>> shapes_;
  Particles particles_;
  narrow::Bodies bodies_;
};

}  // namespace scree::oracle
