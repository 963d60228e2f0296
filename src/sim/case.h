#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/domain.h"
#include "base/vec.h"
#include "bond/cluster.h"
#include "bond/parallel_bond.h"
#include "boundary/motion.h"
#include "contact/laws.h"
#include "contact/rolling.h"
#include "geometry/facet_mesh.h"
#include "geometry/frustum.h"
#include "geometry/region.h"
#include "narrow/plane_method.h"
#include "neighbour/neighbour.h"
#include "sim/size.h"

namespace scree {

/// Where grains of a group stand, one by one.
struct PlacesGiven {
  std::vector<Vec3> points;  ///< m, one per particle
  // From a file; each is empty or has one per particle, and goes before what the group says.
  std::vector<double> size = {};  ///< m
  std::vector<Quat> orientation = {};
  std::vector<Vec3> velocity = {}, angular_velocity = {};  ///< m/s; rad/s, space frame
  std::vector<std::uint32_t> shape = {};                   ///< rows of the group's shapes
};

/// A case as the user describes it, in SI units, with names resolved to rows. Read from YAML by io/, turned into a
/// Simulation by sim/setup. Holds no state of a run.
struct Case {
  struct Material {
    std::string name;
    double density = 0;        ///< kg/m^3
    double young_modulus = 0;  ///< Pa; 0: not given, as the next two
    double poisson_ratio = 0;
    double restitution = 0;
    std::string from = {};  ///< the library's material whose values it has where the case gives none; empty: none
  };
  struct Contact {
    int material_a = 0, material_b = 0;  ///< rows of materials; unordered
    Law law;
    contact::Beside beside = {};
  };
  /// Unbounded plane, whose grains stay on the side that `normal` points to, or a mesh.
  struct Wall {
    std::string name;  ///< "floor", or "box.x_max" for the sides of a box
    Vec3 point;        ///< m; of a mesh the place of its origin
    Vec3 normal;       ///< unit, into the domain
    int material = 0;
    boundary::Motion motion;
    /// Rectangle to draw, as four corners (m); only pictures use it.
    std::optional<std::array<Vec3, 4>> outline;
    std::shared_ptr<const FacetMesh> mesh;  ///< none: a plane
    std::optional<Frustum> round;           ///< what spheres touch instead of the mesh
    Quat orientation;                       ///< of the mesh
    bool front_only = false;                ///< of the mesh
    std::size_t drawn_triangles = 0;        ///< of the mesh, as its file has them
  };
  /// A box is up to six planes whose names are NAME.x_min ... NAME.z_max; `open` sides are left out.
  struct Box {
    std::string name;
    Vec3 min, max;  ///< m
  };
  using Size = SizeDistribution;
  /// Template of bonded spheres; the pairs are rows of its spheres.
  struct Cluster {
    std::string name;
    bond::Cluster spheres;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> bonds;
    bond::ParallelBond law;
  };
  using Region = scree::Region;
  /// Regular lattice over a box's footprint, or in a region, layer upon layer from `from` above its floor; each grain
  /// gets a random place of the order, and stands a little off the centre of its cell. In two dimensions a footprint is
  /// a stretch of x, and layers are piled along y.
  struct Lattice {
    int box = 0;                    ///< row of boxes; without a meaning where there is a region
    double from = 0;                ///< m above the floor of the box
    std::optional<double> spacing;  ///< m; default: the largest bounding-sphere diameter times 1 + 2 jitter
    std::optional<Region> region;   ///< instead of the box
    double jitter = 0.02;           ///< of the spacing: most that a grain stands off, along each axis
  };
  using AtPoints = PlacesGiven;
  /// Anywhere in a region, without overlap.
  struct AtRandom {
    Region region;
    double gap = 0;  ///< m, kept at least between neighbours
  };
  /// Grains that come little by little, while the case runs, each at a random free place of a region.
  struct Pour {
    Region region;
    double mass_rate = 0, number_rate = 0;  ///< kg/s; 1/s; one of them is above 0
    std::optional<double> duration;         ///< s, from when it opens
    double gap = 0;                         ///< m, kept at least to all that is there
  };
  /// Grains whose centroid is in the region, or beyond the plane, are taken away and counted.
  struct Outlet {
    std::string name;
    std::optional<Region> region;
    Vec3 point, normal;  ///< m; unit, points to where grains are taken away
    bool open = true;    ///< at the start
  };
  /// Something that series.csv has columns for (sim/measure.h).
  struct Measure {
    enum class Kind : std::uint32_t {
      solid_fraction,
      stress,
      coordination,
      fabric,
      flow,
      mixing,
      repose,
      track,
      size_distribution
    };
    Kind kind = Kind::solid_fraction;
    std::string name;
    std::optional<Region> inside;          ///< absent: everywhere
    Vec3 point, normal;                    ///< flow: of the plane; unit
    int material = 0;                      ///< mixing: the share of its grains is looked at
    std::array<std::uint32_t, 3> cells{};  ///< mixing: of the region along x, y, z
    std::optional<Vec3> centre;            ///< repose: a point of the axis; absent: the mean centroid
    std::vector<std::uint32_t> ids;        ///< track
    bool of_fragments = false;             ///< size_distribution: of what bonds hold together, not of grains
  };
  struct Orientation {
    bool random = true;
    Quat fixed;  ///< when not random
  };
  struct Group {
    std::string name;
    std::uint64_t count = 0;
    std::vector<std::string> shapes;  ///< names of the library, used in equal parts; of a cluster the sphere
    int cluster = -1;                 ///< row of clusters, `count` of which are made; -1: single grains
    Size size;
    Orientation orientation;
    std::variant<AtPoints, Lattice, AtRandom, Pour> place;
    bool may_overlap = false;  ///< at the start with other grains and walls
    int material = 0;
    Vec3 velocity;          ///< m/s
    Vec3 angular_velocity;  ///< rad/s, space frame
    std::string key = {};   ///< "particles[0]": where it stands in the file, for mistakes that show later
  };
  struct FrictionChange {
    int material_a = 0, material_b = 0;
    double friction_angle = 0;  ///< rad
  };
  struct Move {
    std::string wall;  ///< a plane, a mesh, or a box (all of its sides)
    boundary::Motion motion;
    std::string words = {};  ///< of one that came from outside: its map as YAML
  };
  /// Of the motion of every grain, against nothing (Zhao et al. 2006, Eq. 1).
  struct Damping {
    double global = 0;  ///< 1/s, alpha_d: forces -alpha_d m v, moments -alpha_d I w
  };
  struct CutAbove {
    double height = 0;  ///< m: particles whose centroid lies above this along -gravity are removed
  };
  struct Stage {
    std::string name;
    std::optional<double> duration;              ///< s
    std::optional<double> kinetic_energy_below;  ///< J per particle, mean; ends the stage (checked at output instants)
    std::vector<std::string> remove;             ///< walls or boxes
    std::vector<Wall> add;                       ///< walls
    std::optional<Vec3> gravity;                 ///< m/s^2
    std::optional<Damping> damping;
    std::vector<FrictionChange> friction;
    std::vector<Move> move;
    std::optional<CutAbove> cut_above;
    std::vector<Group> insert;
    std::vector<std::string> open, close;  ///< inlets (groups that are poured) and outlets
    std::optional<double> output_every;    ///< s
    std::vector<std::string> measure;      ///< columns of series.csv (io/results/stage_values.h) to sum up at the end
  };
  enum class ContactGeometry { overlap, contact_zone };
  /// What of a pair's springs and dashpots a point of its contact zone has: its part of the zone, or, as printed, all.
  enum class ZonePoints { shared, paper };
  /// Of the particles in memory; no result depends on it.
  enum class MemoryOrder { spatial, id };
  struct Detection {
    neighbour::Method neighbours = neighbour::Method::automatic;
    neighbour::TwoLevelSettings two_level;
    narrow::PlaneSettings common_plane;
    ContactGeometry contact_geometry = ContactGeometry::overlap;
    ZonePoints points = ZonePoints::shared;
    MemoryOrder memory_order = MemoryOrder::spatial;
    std::optional<double> skin;  ///< m; default: a fraction of the median bounding diameter
    /// Of the smaller grain's size: an overlap above it, with a grain or a plane, ends the run. The motion does not
    /// depend on it.
    double deepest_overlap = 0.5;
  };
  struct TimeStep {
    std::optional<double> fixed;  ///< s; absent: auto
    double fraction = 0.2;        ///< of the critical time step of the springs alone, when auto
  };
  /// Columns of series.csv that the report draws over one of them (io/results/stage_values.h).
  struct Plot {
    std::string title, over = "time";
    std::vector<std::string> of;
  };
  struct Output {
    double every = 0.01;               ///< s between frames and rows of series.csv
    std::optional<double> checkpoint;  ///< s between checkpoints; one is always written at the end
    bool contacts = true;              ///< contact forces in the frames
    std::vector<Plot> plots;
  };

  std::string title;
  std::uint64_t seed = 1;
  int dimensions = 3;    ///< 2: all motion is in the plane z = 0
  double thickness = 1;  ///< m, of the discs and polygons of two dimensions
  Vec3 gravity{0, 0, -9.81};
  Damping damping;
  Domain periodic;  ///< where space repeats
  std::vector<Material> materials;
  std::vector<Contact> contacts;
  std::vector<Cluster> clusters;
  std::vector<Wall> walls;
  std::vector<Box> boxes;
  std::vector<Group> particles;
  std::vector<Outlet> outlets;
  std::vector<Measure> measures;
  std::vector<Stage> stages;
  Detection detection;
  TimeStep time_step;
  Output output;

  /// Particles of a group: the spheres of all its clusters, or its grains.
  std::uint64_t particles_of(const Group& g) const {
    return g.count * (g.cluster < 0 ? 1 : clusters[static_cast<std::size_t>(g.cluster)].spheres.size());
  }

  /// f(group) for all of `particles` and of the stages up to `stage`, in the order of their random streams.
  template <class F>
  void for_each_group(F&& f, std::uint64_t stage = ~std::uint64_t{0}) const {
    for (const Group& g : particles) f(g);
    for (std::uint64_t k = 0; k < stages.size() && k <= stage; ++k)
      for (const Group& g : stages[k].insert) f(g);
  }

  /// The groups among them that are poured.
  std::vector<std::string> inlets(std::uint64_t stage = ~std::uint64_t{0}) const {
    std::vector<std::string> names;
    const auto take = [&](const Group& g) {
      if (std::holds_alternative<Pour>(g.place)) names.push_back(g.name);
    };
    for_each_group(take, stage);
    return names;
  }

  /// Shapes that any group has.
  std::set<std::string> shape_names() const {
    std::set<std::string> names;
    for_each_group([&](const Group& g) { names.insert(g.shapes.begin(), g.shapes.end()); });
    return names;
  }

  /// Whether there ever is global damping.
  bool has_damping() const {
    return damping.global > 0 ||
           std::any_of(stages.begin(), stages.end(), [](const Stage& s) { return s.damping && s.damping->global > 0; });
  }

  std::string source_path;  ///< file it came from
  std::string source_text;  ///< its text, after --set, for the report and the provenance
};

}  // namespace scree
