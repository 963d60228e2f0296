#pragma once
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "oracle/random_case.h"

namespace scree::oracle {

/// Writes a case: grains of 6 to 14 mm in a box of about ten of them, hard enough that no fault is due. What stands
/// beside what is written here, every value by the table of keys.
class CaseWriter {
 public:
  CaseWriter(std::uint64_t seed, std::uint64_t number, std::set<std::string>* drawn)
      : d_(seed, number, kNarrowed, drawn),
        later_(seed, number | std::uint64_t{1} << 32, kNarrowed, drawn),
        last_(seed, number | std::uint64_t{1} << 33, kNarrowed, drawn),
        library_(seed, number | std::uint64_t{1} << 34, kNarrowed, drawn) {}

  std::string operator()() {
    choose();
    MapText all(d_, "");
    all.maybe("title").give("seed").put("dimensions", d_.planar ? "2" : "3");
    if (d_.planar) all.give("thickness");
    // Down, so that what is in the box stays there.
    if (chance(0.4) || along_[2]) all.put("gravity", gravity());
    if (std::find(along_, along_ + 3, true) != along_ + 3) all.put("periodic", periods());
    all.put("materials", materials()).put("contacts", contacts());
    if (clustered_) all.put("bonds", named("glue", bond())).put("clusters", named("lump", cluster()));
    all.put("detection", detection()).put("walls", walls()).put("particles", particles());
    if (has_outlet_) all.put("outlets", named("drain", outlet()));
    if (chance(0.6)) all.put("measure", measure());
    all.put("stages", stages());
    if (chance(0.25)) time_step(all);
    if (chance(0.5)) all.put("output", output());
    if (later_.chance(0.2)) all.put("damping", damping());
    return all.str() + "\n";
  }

 private:
  bool chance(double p) { return d_.chance(p); }
  std::string one(const std::vector<std::string>& of) { return d_.one(of); }
  static std::string named(const std::string& name, const std::string& value) {
    return "{" + name + ": " + value + "}";
  }
  /// In two dimensions without its z.
  std::string vec(double x, double y, double z, const char* unit) const {
    std::ostringstream t;
    t << "[" << x << " " << unit << ", " << y << " " << unit << ", " << (d_.planar ? 0 : z) << " " << unit << "]";
    return t.str();
  }
  std::string direction() { return d_.planar ? one({"[1, 0, 0]", "[3, -4, 0]"}) : one({"[0, 0, 2]", "[1, 2, 3]"}); }

  void choose() {
    d_.planar = chance(0.25);
    for (int a = 0; a < 3; ++a) along_[a] = chance(a == 0 ? 0.25 : 0.15) && (a == 0 || !d_.planar);
    is_periodic_ = along_[0] || along_[1] || along_[2];
    energy_ = !d_.planar && chance(0.15);
    clustered_ = !d_.planar && !energy_ && chance(0.3);
    has_drum_ = !d_.planar && !is_periodic_ && chance(0.3);
    has_plate_ = !d_.planar && !is_periodic_ && !has_drum_ && chance(0.6);
    materials_ = energy_ || chance(0.6) ? 1 : 2;
    // Round bodies alone, with edges alone, both with clumps.
    bodies_ = energy_ ? 1 : static_cast<int>(d_.r.below(3));
    zone_ = !d_.planar && !energy_ && chance(0.3);
    has_outlet_ = chance(0.35);
  }

  std::string damping() { return MapText(later_, "damping").give("global").str(); }
  std::string gravity() {
    const double g = along_[2] ? 0 : -8;
    return d_.planar ? vec(d_.r.uniform(-5, 5), -9, 0, "m/s^2")
                     : vec(d_.r.uniform(-5, 5), d_.r.uniform(-5, 5), g, "m/s^2");
  }
  std::string periods() {
    MapText m(d_, "periodic");
    for (int a = 0; a < 3; ++a)
      if (along_[a]) m.put(std::string(1, "xyz"[a]), a == 2 ? "[0, 12 cm]" : "[0, 10 cm]");
    return m.str();
  }
  std::string materials() {
    MapText all(d_, "materials");
    for (int k = 0; k < materials_; ++k) {
      MapText m(d_, "materials.*");
      const std::string density = d_.value("materials.*.density");
      // Of those as light as the bounds of the density; their real moduli would be far too stiff.
      if (library_.chance(0.2)) {
        m.put("from", library_.one({"glass", "granite", "basalt", "sandstone"}));
        if (library_.chance(0.3)) m.put("density", density);
      } else {
        m.put("density", density);
      }
      all.named("m" + std::to_string(k), m.give("young_modulus").give("poisson_ratio").give("restitution").str());
    }
    return all.str();
  }

  std::string contact(int a, int b) {
    MapText m(d_, "contacts[]");
    const bool jkr = bodies_ == 0 && !d_.planar && !clustered_ && !has_drum_ && !has_plate_ && chance(0.15);
    const std::string law = energy_     ? "energy"
                            : jkr       ? "hertz_mindlin"
                            : d_.planar ? one({"bloks3d", "linear"})
                                        : one({"bloks3d", "linear", "hertz_mindlin", "hertz_coulomb"});
    m.put("between", "[m" + std::to_string(a) + ", m" + std::to_string(b) + "]").put("law", law);
    m.give(chance(0.5) ? "friction" : "friction_angle");
    if (law == "bloks3d") {
      bloks3d(m);
    } else if (law == "linear") {
      m.give("kn").give(chance(0.5) ? "restitution" : "damping_ratio").maybe("tension");
      if (chance(0.6)) m.give(chance(0.5) ? "kt" : "kt_over_kn");
    } else if (law == "energy") {
      m.give("pressure").give("kt").some({"exponent", "damping_ratio"});
    } else {
      if (law == "hertz_coulomb") m.give("slip_speed");
      if (chance(0.6)) m.give(chance(0.5) ? "restitution" : "damping_ratio");
      m.maybe("tension");
    }
    if (chance(0.3)) {
      MapText rolling(d_, "contacts[].rolling");
      rolling.give("model").give("friction").maybe("damping_ratio");
      if (!d_.planar) rolling.maybe("twisting");
      m.put("rolling", rolling.str());
    }
    if (jkr || (chance(0.15) && !d_.planar))
      m.put("cohesion",
            MapText(d_, "contacts[].cohesion").put("model", jkr ? "jkr" : "dmt").give("work_of_adhesion").str());
    return m.str();
  }
  void bloks3d(MapText& m) {
    std::string kn = d_.value("contacts[].kn");
    m.give("ks");
    if (chance(0.5)) {
      // As much as kn at 1 mm; its unit hangs on the exponent.
      const double exponent = d_.number("contacts[].exponent");
      double at_1_mm = d_.r.uniform(0, 5e4);
      if (last_.chance(0.3)) kn = "0", at_1_mm = std::max(at_1_mm, 3e4);
      m.put("exponent", io::exact(exponent)).put("knn", io::exact(at_1_mm * std::pow(1e-3, 1 - exponent)));
    }
    m.put("kn", kn);
    if (chance(0.7))
      m.put("damping", MapText(d_, "contacts[].damping").give("ratio").some({"sliding", "sticking"}).str());
  }
  std::string contacts() {
    std::string all;
    for (int a = 0; a < materials_; ++a)
      for (int b = a; b < materials_; ++b) all += (all.empty() ? "" : ", ") + contact(a, b);
    return "[" + all + "]";
  }

  std::string bond() {
    MapText m(d_, "bonds.*");
    if (chance(0.5))
      m.give("kn").give("ks");
    else
      m.give("modulus").give(chance(0.5) ? "kn_over_ks" : "poisson");
    m.some({"radius_factor", "damping", "contact"});
    m.some({"normal_strength", "shear_strength"}, 0.7);
    if (m.has("normal_strength") || m.has("shear_strength")) m.maybe("scatter");
    return m.str();
  }
  std::string cluster() {
    MapText m(d_, "clusters.*");
    const std::string kind = one({"packed_sphere", "cube", "tablet", "filling", "mesh", "csv"});
    MapText of(d_, "clusters.*." + kind);
    if (kind == "packed_sphere") of.give("radius").give("sphere_radius");
    if (kind == "cube") of.give("edge").give("sphere_radius");
    if (kind == "tablet") of.give("radius").give("thickness").give("sphere_radius");
    if (kind == "filling") of.put("shape", one({"cube", "octahedron"})).give("size").give("sphere_radius");
    if (kind == "mesh") of.put("file", "brick.obj").give("scale").give("sphere_radius");
    if (kind == "csv") of.put("file", "spheres.csv").give("scale");
    return m.put(kind, of.str()).put("bonds", "glue").maybe("distance").str();
  }

  std::string fast() {
    MapText m(d_, "detection.fast");
    if (chance(0.4)) return m.put("mode", "direct").str();
    return m.put("mode", "paper").some({"approximation", "tolerance", "pad"}).str();
  }
  std::string detection() {
    MapText m(d_, "detection");
    m.give("neighbours").give("memory_order").give("skin").maybe("deepest_overlap", 0.3);
    if (m.str().find("neighbours: two_level") != std::string::npos && last_.chance(0.5))
      m.put("two_level", MapText(last_, "detection.two_level").give("box").str());
    if (bodies_ == 1) {
      std::vector<std::string> methods{"auto", "separating_axis", "fast", "common_plane"};
      if (!d_.planar) methods.insert(methods.end(), {"gjk", "shortest_link"});
      const std::string method = one(methods);
      m.put("common_plane", method);
      MapText cundall(d_, "detection.cundall");
      cundall.some({"largest_step", "smallest_step", "shrink", "tolerance"});
      if (!d_.planar) cundall.maybe("axes");
      if (chance(0.5) && method == "common_plane") m.put("cundall", cundall.str());
      if (chance(0.7) && method == "fast" && !d_.planar) m.put("fast", fast());
      if (chance(0.7) && method == "shortest_link")
        m.put("shortest_link", MapText(d_, "detection.shortest_link").some({"mode", "tolerance"}).str());
    }
    if (zone_)
      m.put("contact_geometry", "contact_zone").give("points");
    else if (!d_.planar)
      m.put("contact_geometry", "overlap");
    return m.str();
  }

  /// `beside`: the keys of the wall or of its new motion; `axis`: about which it may turn.
  void motion(MapText& beside, const std::string& axis, bool may_slide) {
    beside.maybe("velocity", 0.3);
    if (may_slide) beside.maybe("surface_velocity", 0.3);
    if (chance(0.3))
      beside.put("oscillation",
                 MapText(d_, "walls.*.oscillation").give("amplitude").give("frequency").maybe("phase").str());
    if (chance(0.3)) beside.put("path", MapText(d_, "walls.*.path").put("file", "path.csv").str());
    if (axis.empty() || !chance(0.5)) return;
    MapText r(d_, "walls.*.rotation");
    r.put("axis", axis).put("through", vec(5, 5, 0, "cm")).maybe("rate");
    if (chance(0.5)) r.give("swing").give("swing_frequency");
    beside.put("rotation", r.str());
  }
  void drive(MapText& wall) {
    const bool free = chance(0.5);
    MapText m(d_, free ? "walls.*.free" : "walls.*.servo");
    if (free)
      m.give("mass").some({"force", "damping"});
    else
      m.give("max_velocity").give("force");
    if (chance(0.5)) m.give("stress").give("area");
    if (chance(0.5)) m.put("along", d_.planar ? "[0, -2, 0]" : "[0, 0, -2]");
    wall.put(free ? "free" : "servo", m.str());
  }
  std::string material() { return "m" + std::to_string(d_.r.below(static_cast<std::uint64_t>(materials_))); }
  std::string up() const { return d_.planar ? "y" : "z"; }

  std::string walls() {
    MapText all(d_, "walls"), box(d_, "walls.*"), sides(d_, "walls.*.box");
    std::string open = up() + "_max";
    for (int a = 0; a < 3; ++a)
      for (const char* end : {"_min", "_max"})
        if (const std::string side = std::string(1, "xyz"[a]) + end; along_[a] && side != up() + "_max")
          open += ", " + side;
    sides.put("min", vec(0, 0, 0, "cm")).put("max", vec(10, 10, 12, "cm")).put("open", "[" + open + "]");
    box.put("box", sides.str()).put("material", "m0");
    motion(box, "", !is_periodic_);
    all.named("box", box.str());
    has_lid_ = !along_[2] && chance(0.6);
    if (has_lid_) all.named("lid", lid(11));
    if (has_drum_) all.named("drum", drum());
    if (has_plate_) all.named("plate", plate());
    return all.str();
  }
  std::string lid(double at) {
    MapText m(d_, "walls.*");
    m.put("plane", MapText(d_, "walls.*.plane")
                       .put("point", vec(0, at, at, "cm"))
                       .put("normal", d_.planar ? "[0, -1, 0]" : "[0, 0, -3]")
                       .str());
    m.put("material", material());
    if (chance(0.6))
      drive(m);
    else
      motion(m, d_.planar ? "" : "[0, 0, 1]", false);
    return m.str();
  }
  std::string drum() {
    MapText m(d_, "walls.*");
    const bool cone = chance(0.5);
    MapText of(d_, cone ? "walls.*.cone" : "walls.*.cylinder");
    of.put("from", "[5 cm, 5 cm, 0]").put("to", "[5 cm, 5 cm, 12 cm]");
    if (cone)
      of.put("radius_from", "4.7 cm").put("radius_to", "5 cm");
    else
      of.put("radius", "5 cm");
    m.put(cone ? "cone" : "cylinder", of.str()).put("material", material());
    motion(m, "[0, 0, 2]", true);
    return m.str();
  }
  /// Over the floor, below where grains begin.
  std::string plate() {
    MapText m(d_, "walls.*"), mesh(d_, "walls.*.mesh");
    mesh.put("file", "plate.obj")
        .give("scale")
        .put("position", "[5 cm, 5 cm, -5.5 mm]")
        .maybe("sides")
        .maybe("simplify");
    if (chance(0.7))
      mesh.put("orientation",
               chance(0.3) ? "[0.8, 0, 0, 0.6]"
                           : MapText(d_, "walls.*.mesh.orientation").put("axis", "[0, 0, 1]").give("angle").str());
    m.put("mesh", mesh.str()).put("material", material());
    if (chance(0.5)) m.give("surface_velocity");
    if (chance(0.5))
      m.put("rotation", MapText(d_, "walls.*.rotation")
                            .put("axis", "[0, 0, 1]")
                            .put("through", vec(5, 5, 0, "cm"))
                            .give("rate")
                            .str());
    return m.str();
  }

  std::string shapes() {
    if (d_.planar)
      return bodies_ == 0   ? "disc"
             : bodies_ == 1 ? one({"square", "[triangle, hexagon]", "pentagon"})
                            : "[disc, square, octagon]";
    if (bodies_ == 0) return "sphere";
    if (bodies_ == 1) return one({"cube", "tetrahedron", "[grain14, pyramid]", "[plate, needle]", "dodecahedron"});
    return one({"[sphere, cube]", "dumbbell", "[tetrapod, sphere]", "[angle, cube]", "[dumbbell, octahedron, sphere]"});
  }
  /// So many numbers of the key, in ascending order.
  std::string ascending(const std::string& path, int n) {
    d_.mark(path);
    std::vector<double> all;
    for (int k = 0; k < n; ++k) all.push_back(d_.number(path));
    std::sort(all.begin(), all.end());
    for (int k = 1; k < n; ++k) all[k] = std::max(all[k], all[k - 1] * 1.01);
    std::string text;
    for (const double v : all) text += (text.empty() ? "" : ", ") + io::exact(v);
    return "[" + text + "]";
  }
  std::string size() {
    const std::string kind = one({"", "uniform", "normal", "log_normal", "weibull", "sieve", "values", "file"});
    const std::string path = "particles[].size";
    if (kind.empty()) return d_.value(path);
    MapText m(d_, path), of(d_, path + "." + kind);
    d_.mark(path);
    if (kind == "uniform") return m.put(kind, ascending(path + ".uniform", 2)).str();
    if (kind == "normal") of.give("mean").give("deviation").some({"min", "max"});
    if (kind == "log_normal") of.give("median").give("geometric_deviation").some({"min", "max"});
    if (kind == "weibull") of.give("scale").give("modulus").some({"min", "max"});
    if (kind == "sieve") {
      const double share = d_.number(path + ".sieve.passing");
      of.put("openings", ascending(path + ".sieve.openings", 3)).put("passing", "[0, " + io::exact(share) + ", 1]");
    }
    if (kind == "values") {
      of.put("sizes", ascending(path + ".values.sizes", 2)).maybe("by");
      if (chance(0.5)) of.put("shares", ascending(path + ".values.shares", 2));
    }
    if (kind == "file")
      of.put("path", "sizes.txt").put("unit", "mm").put("columns", "[size]").put("other_rows", "skip");
    return m.put(kind, of.str()).str();
  }

  std::string box_between(const std::string& path, double low, double high) {
    return MapText(d_, path)
        .put("min", vec(0.15, low, low, "cm"))
        .put("max", vec(9.85, d_.planar ? high : 9.85, high, "cm"))
        .str();
  }
  std::string region(double low, double high) {
    const std::string path = "particles[].place.random.inside";
    MapText m(d_, path);
    if (!has_drum_) return m.put("box", box_between(path + ".box", low, high)).str();
    return m
        .put("cylinder", MapText(d_, path + ".cylinder")
                             .put("from", vec(5, 5, low, "cm"))
                             .put("to", vec(5, 5, high, "cm"))
                             .put("radius", "4.5 cm")
                             .str())
        .str();
  }
  std::string lattice(double low, double high, std::uint64_t* count) {
    const std::string path = "particles[].place.lattice";
    MapText m(d_, path);
    // Wide cells are few.
    if (chance(0.4)) *count = 2 + d_.r.below(3), m.some({"spacing", "jitter"}, 0.7);
    if (chance(0.5) && !is_periodic_ && !has_plate_)
      m.put("above", "box");
    else
      m.put("inside", box_between(path + ".inside", low, high));
    m.maybe("from", 0.3);
    return m.str();
  }
  std::string pour(double low, double high) {
    return MapText(d_, "particles[].place.pour")
        .put("inside", region(low, high))
        .give(chance(0.5) ? "mass_rate" : "number_rate")
        .some({"duration", "gap"})
        .str();
  }
  std::string points() const {
    std::string all;
    for (int k = 0; k < 4; ++k) all += (k > 0 ? ", " : "") + vec(2 + 3 * (k % 3), 2 + 3 * (k / 3), 2 + (k / 3), "cm");
    return "[" + all + "]";
  }

  std::string group(const std::string& name, double low, double high, bool pours) {
    MapText m(d_, "particles[]"), place(d_, "particles[].place");
    const bool cluster = clustered_ && !pours && chance(0.7);
    std::uint64_t count = cluster          ? 2 + d_.r.below(4)
                          : d_.planar      ? 5 + d_.r.below(4)
                          : name == "late" ? 5 + d_.r.below(8)
                                           : 12 + d_.r.below(20);
    const bool first = name == "first" && !has_drum_;
    const std::string kind = pours                   ? "pour"
                             : !first || chance(0.5) ? "random"
                             : d_.planar             ? one({"lattice", "at"})
                                                     : one({"lattice", "lattice", "at", "file"});
    if (kind == "pour") place.put(kind, pour(low, high));
    if (kind == "random") {
      if (d_.planar) count = count / 2 + 1;
      place.put(kind, MapText(d_, "particles[].place.random").put("inside", region(low, high)).maybe("gap", 0.3).str());
    }
    if (kind == "lattice") place.put(kind, lattice(low, high, &count));
    if (kind == "at" || kind == "file") count = 4;
    if (kind == "at") place.put(kind, points());
    if (kind == "file")
      place.put(kind, MapText(d_, "particles[].size.file")
                          .put("path", "places.txt")
                          .put("unit", "cm")
                          .put("columns", "[-, x, y, z, -]")
                          .put("other_rows", "skip")
                          .str());
    m.put("name", name);
    if (cluster)
      m.put("cluster", "lump");
    else
      m.put("shapes", shapes()).put("size", size());
    if (chance(0.5)) {
      const std::string turned = d_.planar ? "[0.6, 0, 0, 0.8]" : "[0.1, -0.7, 0.1, 0.7]";
      m.put("orientation", one({"random", "identity", turned}));
    }
    m.put("count", std::to_string(count)).put("place", place.str()).put("material", material());
    m.maybe("velocity", 0.9);
    if (kind != "pour") m.maybe("overlap");
    if (chance(0.3)) m.put("angular_velocity", d_.planar ? "[0, 0, 5]" : "[20 rad/s, -10 rad/s, 200 rev/min]");
    return m.str();
  }
  std::string particles() {
    std::string all = group("first", 0.15, 5.5, false);
    if (chance(0.3)) all += ", " + group("second", 5.6, 9.5, false);
    has_pour_ = chance(0.3);
    if (has_pour_) all += ", " + group("poured", 5.6, 10, true);
    return "[" + all + "]";
  }

  std::string outlet() {
    MapText m(d_, "outlets.*");
    if (chance(0.5))
      m.put("inside", region(0.15, 1.5));
    else
      m.put("beyond", MapText(d_, "outlets.*.beyond")
                          .put("point", vec(0, 1, 1, "cm"))
                          .put("normal", d_.planar ? "[0, -2, 0]" : "[0, 0.1, -2]")
                          .str());
    return m.maybe("open").str();
  }

  std::string measure() {
    MapText all(d_, "measure");
    for (int k = 0; k < 3; ++k) {
      const std::string kind = one({"solid_fraction", "stress", "coordination", "fabric", "flow", "mixing", "repose",
                                    "track", "size_distribution"});
      MapText m(d_, "measure.*"), of(d_, "measure.*." + kind);
      if (kind == "track") {
        all.named("n" + std::to_string(k), m.give("track").str());
        continue;
      }
      if (kind == "flow") of.give("point").put("normal", is_periodic_ ? "[1, 0, 0]" : direction());
      if (kind == "mixing")
        of.put("material", "m0")
            .give("cells")
            .put("inside", named("box", box_between("particles[].place.random.inside.box", 0.1, 5)));
      const bool needs = kind == "solid_fraction" || kind == "stress";
      if (kind != "flow" && kind != "mixing" && (needs || chance(0.6))) of.put("inside", region(0.5, 5));
      if (kind == "repose") of.maybe("centre");
      if (kind == "size_distribution") of.maybe("of");
      all.named("n" + std::to_string(k), m.put(kind, of.str()).str());
    }
    return all.str();
  }

  std::string stage(std::uint64_t k, bool last) {
    MapText m(d_, "stages[]");
    m.maybe("name", 0.2).put("duration", last ? "50 ms" : io::exact(d_.r.uniform(1e-4, 1e-3)));
    if (chance(0.2)) m.put("until", MapText(d_, "stages[].until").give("kinetic_energy_below").str());
    if (chance(0.2)) m.put("measure", one({"kinetic_translation", "[max_overlap, kinetic_translation]"}));
    if (chance(0.2)) m.put("output", MapText(d_, "stages[].output").give("every").str());
    if (k == 0) return m.str();
    if (chance(0.3)) m.put("gravity", gravity());
    if (chance(0.3))
      m.put("friction", "[" +
                            MapText(d_, "stages[].friction[]")
                                .put("between", "[any, any]")
                                .give(chance(0.5) ? "friction" : "friction_angle")
                                .str() +
                            "]");
    if (!along_[2]) m.maybe("cut_above", 0.2);
    if (has_lid_ && chance(0.2)) {
      m.put("remove", "lid"), has_lid_ = false;
    } else if (chance(0.6)) {
      MapText moved(d_, "stages[].move.*");
      const bool moves_lid = has_lid_ && chance(0.8);
      if (moves_lid && chance(0.6))
        drive(moved);
      else
        motion(moved, moves_lid && !d_.planar ? "[0, 0, 1]" : "", !moves_lid && !is_periodic_);
      m.put("move", named(moves_lid ? "lid" : "box", moved.str()));
    }
    if (!along_[2] && k == 1 && chance(0.2)) m.put("add", named("roof", lid(11.8)));
    if (has_outlet_ && chance(0.7))
      m.put(chance(0.5) ? "open" : "close", "drain");
    else if (has_pour_ && chance(0.5))
      m.put("close", "poured");
    if (k == 1 && chance(0.3)) m.put("insert", "[" + group("late", 6, 10, false) + "]");
    if (later_.chance(0.2)) m.put("damping", damping());
    return m.str();
  }
  std::string stages() {
    std::string all;
    const std::uint64_t n = 1 + d_.r.below(3);
    for (std::uint64_t k = 0; k < n; ++k) all += (k > 0 ? ", " : "") + stage(k, k + 1 == n);
    return "[" + all + "]";
  }
  std::string output() {
    MapText m(d_, "output");
    m.some({"every", "checkpoint", "contacts"});
    if (last_.chance(0.3)) {
      MapText plot(last_, "output.plots[]");
      plot.maybe("title").put("of", last_.one({"contacts", "[lost_normal, lost_tangential]"}));
      if (last_.chance(0.5)) plot.put("over", "kinetic_translation");
      m.put("plots", "[" + plot.str() + "]");
    }
    return m.str();
  }
  void time_step(MapText& all) {
    // The smallest plates under the law of the volume need less than what is narrowed for the others.
    if (!energy_ && chance(0.3))
      all.give("time_step");
    else
      all.put("time_step", MapText(d_, "time_step").give("fraction").str());
  }

  KeyDraws d_, later_, last_, library_;  // of keys that came later: cases draw the others as they did before
  bool along_[3] = {}, is_periodic_ = false, energy_ = false, clustered_ = false, zone_ = false;
  bool has_lid_ = false, has_drum_ = false, has_plate_ = false, has_pour_ = false, has_outlet_ = false;
  int materials_ = 1, bodies_ = 0;
};

}  // namespace scree::oracle
