#include "io/case/read_case.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>

#include "bond/filling.h"
#include "io/case/read_sources.h"
#include "io/case/schema.h"
#include "io/case/set_up_mistake.h"
#include "io/library/library.h"
#include "io/mesh/wall_mesh.h"
#include "io/results/series.h"
#include "io/results/stage_values.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"
#include "sim/about_group.h"

namespace scree::io {

namespace {

/// The schema has checked that the word is one of them.
neighbour::Method search_named(const std::string& word) {
  using enum neighbour::Method;
  for (const neighbour::Method m : {brute_force, nbs, two_level, dess, sorted_grid, multi_level_grid, clusters}) {
    if (neighbour::name(m) == word) return m;
  }
  return automatic;
}

constexpr std::size_t kMaxClusterBytes = std::size_t{1} << 28;
constexpr std::uint64_t kMaxParticles = 100'000'000;
// State of a grain without contacts; a packed bed takes several times as much.
constexpr double kLeastBytesPerParticle = 600;
constexpr const char* kSides[6] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

/// That this process may use: the machine's, or less where a container limits it; 0: unknown.
double memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  double there = pages > 0 && size > 0 ? static_cast<double>(pages) * static_cast<double>(size) : 0;
  for (const char* limit : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    double bytes = 0;
    if (std::ifstream in(limit); in >> bytes && bytes > 0 && (there == 0 || bytes < there)) there = bytes;
  }
  return there;
}

/// Turns the checked tree into a Case and holds the names against each other. Reads only values that fit the schema;
/// the rest has its diagnostic already.
class Reader {
 public:
  Reader(const Units& units, const std::vector<std::string>& files, std::vector<Diagnostic>& out)
      : units_(units), files_(files), out_(out) {}

  void read(const Node& root, Case& c) {
    case_ = &c;
    root_ = &root;
    if (root.kind != Node::Kind::map) return;
    whole_ = root.valid;
    if (const Node* n = get(root, "title")) c.title = n->text;
    if (const Node* n = get(root, "seed")) c.seed = n->integer;
    dimensions(root);
    periodic(root);
    if (const Node* n = get(root, "gravity")) c.gravity = placed(*n, "gravity");
    materials(root);
    contacts(root);
    bonds(root);
    clusters(root);
    if (const Node* n = root.find("walls")) walls(*n, "walls", c.walls);
    if (const Node* n = root.find("particles")) groups(*n, "particles", c.particles);
    if (const Node* n = map_at(root, "outlets")) {
      case_->outlets = read_outlets(*n, reading());
      for (const Case::Outlet& o : case_->outlets)
        if (group_names_.contains(o.name))
          report(*n, "outlets." + o.name,
                 "there is a group of this name: stages could not tell which to open or close");
    }
    if (const Node* n = map_at(root, "measure"))
      case_->measures = read_measures(*n, reading(), [this](const Node& m, const std::string& path) {
        return materials_known_ ? resolve(m, path, material_names_, "material") : -1;
      });
    counting_planes(root);
    detection(root);
    time_step(root);
    output(root);
    stages(root);
    if (whole_ && total_ == 0) report(root, "particles", "no grains, neither here nor in the stages' insert");
    if (whole_) contacts_complete(root);
    if (whole_) friction_of_any();
    if (whole_) stage_measures(root);
    if (whole_) tracked_grains(root);
  }

 private:
  // -- helpers
  // ---------------------------------------------------------------------------------------------------------
  /// The key's value when it fits the schema.
  static const Node* get(const Node& map, std::string_view key) {
    const Node* n = map.find(key);
    return n && n->valid ? n : nullptr;
  }
  static const Node* map_at(const Node& map, std::string_view key) {
    const Node* n = map.find(key);
    return n && n->kind == Node::Kind::map ? n : nullptr;
  }
  static Vec3 vec3(const Node& n) { return {n.items[0].si, n.items[1].si, n.items[2].si}; }
  /// A vector of the world; in two dimensions it has to lie in the plane.
  Vec3 placed(const Node& n, const std::string& path) {
    const Vec3 v = vec3(n);
    if (case_->dimensions == 2 && v.z != 0)
      report(n.items[2], path + "[2]",
             fmt::format("expected 0, for two dimensions (dimensions: 2) keep to the plane z = 0; got {}",
                         short_text(n.items[2].text)));
    return {v.x, v.y, case_->dimensions == 2 ? 0 : v.z};
  }

  void report(const Node& n, const std::string& path, std::string message) {
    whole_ = false;
    if (out_.size() < kMaxDiagnostics)
      out_.push_back({Diagnostic::Severity::error, files_[static_cast<std::size_t>(n.source)], n.line, n.column, path,
                      std::move(message)});
  }

  void warn(const Node& n, const std::string& path, std::string message) {
    if (out_.size() < kMaxDiagnostics)
      out_.push_back({Diagnostic::Severity::warning, files_[static_cast<std::size_t>(n.source)], n.line, n.column, path,
                      std::move(message)});
  }

  /// Row of a named thing; -1: not there, and said so.
  int resolve(const Node& n, const std::string& path, const std::vector<std::string>& names, const std::string& kind) {
    return resolve(n, path, n.text, names, kind);
  }
  int resolve(const Node& n, const std::string& path, const std::string& name, const std::vector<std::string>& names,
              const std::string& kind) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) return static_cast<int>(at - names.begin());
    report(n, path, fmt::format("no {} {}{}", kind, short_text(name), hint(name, names, kind)));
    return -1;
  }
  std::string hint(const std::string& text, const std::vector<std::string>& names, const std::string& kind) const {
    if (out_.size() >= kMaxDiagnostics) return {};  // it will not be shown
    std::string h = did_you_mean(text, names);
    if (!h.empty()) return h;
    if (names.empty()) return fmt::format("; there is no {} at all", kind);
    h = "; there is ";
    for (std::size_t i = 0; i < names.size() && i < 20; ++i) h += (i > 0 ? ", " : "") + names[i];
    return h + (names.size() > 20 ? ", ..." : "");
  }
  int material(const Node& map, const std::string& path) {
    const Node* n = get(map, "material");
    return n && materials_known_ ? resolve(*n, path + ".material", material_names_, "material") : -1;
  }

  void dimensions(const Node& root) {
    if (const Node* n = get(root, "dimensions")) case_->dimensions = static_cast<int>(n->integer);
    dimensions_known_ = !root.find("dimensions") || get(root, "dimensions");
    if (case_->dimensions == 2) case_->gravity = {0, -9.81, 0};
    const Node* n = get(root, "thickness");
    if (!n) return;
    case_->thickness = n->si;
    if (case_->dimensions != 2 && dimensions_known_)
      report(*n, "thickness", "is that of the grains of two dimensions; it needs dimensions: 2 beside it");
  }

  // -- periodic axes
  // ----------------------------------------------------------------------------------------------------
  void periodic(const Node& root) {
    const Node* n = map_at(root, "periodic");
    if (!n) return;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::string axis(1, "xyz"[a]), path = "periodic." + axis;
      const Node* v = get(*n, axis);
      if (!v) continue;
      const double low = v->items[0].si, high = v->items[1].si;
      if (a == 2 && case_->dimensions == 2) {
        report(*v, path, "is for three dimensions; this case has two");
      } else if (!(low < high)) {
        report(v->items[1], path + "[1]",
               fmt::format("expected more than the lower end, {}, got {}", short_text(v->items[0].text),
                           short_text(v->items[1].text)));
      } else if (!(std::max(std::abs(low), std::abs(high)) < 1e9) || !(high - low > 1e-9 * std::max(-low, high))) {
        report(*v, path, "expected ends within 1e9 m of the origin, and not so near each other");
      } else {
        case_->periodic.low[a] = low, case_->periodic.high[a] = high, case_->periodic.periodic[a] = true;
      }
    }
  }

  /// Planes have to look the same from every image of a place; of meshes that can only be asked of their motion.
  bool suits_period(const Case::Wall& w, const Node& n, const boundary::Motion& m, const std::string& path) {
    for (std::size_t a = 0; a < 3; ++a) {
      if (!case_->periodic.periodic[a]) continue;
      const char axis = "xyz"[a];
      if (!w.mesh && w.normal[a] != 0) {
        report(
            n, path,
            fmt::format("the plane {} stands across the periodic axis {}: give it a normal without {}, of a box leave "
                        "these sides out (open: [{}_min, {}_max])",
                        w.name, axis, axis, axis, axis));
        return false;
      }
      if (!w.mesh) continue;
      const bool shifts = m.velocity[a] != 0 || (m.drive && m.drive->along[a] != 0) ||
                          (m.oscillation && m.oscillation->amplitude[a] != 0) ||
                          std::any_of(m.table.begin(), m.table.end(), [a](const auto& r) { return r.shift[a] != 0; });
      const bool tilts = m.rotation && std::abs(m.rotation->axis[a]) < 1 - 1e-12;
      if (!shifts && !tilts) continue;
      report(n, path,
             fmt::format("the mesh {} must not {} the periodic axis {}: it would leave the seam", w.name,
                         shifts ? "move along" : "turn about another line than", axis));
      return false;
    }
    return true;
  }

  void counting_planes(const Node& root) {
    for (const Case::Measure& m : case_->measures) {
      if (m.kind != Case::Measure::Kind::flow) continue;
      for (std::size_t a = 0; a < 3; ++a) {
        if (!case_->periodic.periodic[a] || m.normal[a] == 0 || std::abs(m.normal[a]) > 1 - 1e-12) continue;
        report(
            *root.find("measure"), "measure." + m.name,
            fmt::format("its plane is tilted against the periodic axis {}; its normal has to be along it or across it",
                        "xyz"[a]));
        break;
      }
    }
  }

  // -- materials and laws
  // ----------------------------------------------------------------------------------------------
  /// In place of a material: all of them.
  static constexpr int kAny = -1;
  static constexpr const char* kAnyName = "any";

  void materials(const Node& root) {
    const Node* n = map_at(root, "materials");
    if (!n) return;
    materials_known_ = true;
    for (std::size_t i = 0; i < n->items.size(); ++i) {
      Case::Material m{n->keys[i].name, 1};
      if (n->items[i].kind == Node::Kind::map) {
        if (const Node* v = get(n->items[i], "density")) m.density = v->si;
        if (const Node* v = get(n->items[i], "young_modulus")) m.young_modulus = v->si;
        if (const Node* v = get(n->items[i], "poisson_ratio")) m.poisson_ratio = v->si;
        if (const Node* v = get(n->items[i], "restitution")) m.restitution = v->si;
        elastic_.push_back(n->items[i].find("young_modulus") && n->items[i].find("poisson_ratio"));
      } else {
        elastic_.push_back(true);  // its mistake is told already
      }
      if (m.name == kAnyName)
        report(n->items[i], "materials.any",
               "a material cannot be called any, which stands for all of them in `between`");
      case_->materials.push_back(std::move(m));
      material_names_.push_back(n->keys[i].name);
    }
  }

  static std::pair<int, int> ordered(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

  /// The two materials of a `between`, or kAny; false: unknown.
  bool between(const Node& map, const std::string& path, int& a, int& b) {
    const Node* n = get(map, "between");
    if (!n || !materials_known_) return false;
    const auto one = [&](std::size_t k, int& m) {
      m = kAny;
      if (n->items[k].text == kAnyName) return true;
      m = resolve(n->items[k], fmt::format("{}.between[{}]", path, k), material_names_, "material");
      return m >= 0;
    };
    const bool first = one(0, a), second = one(1, b);
    return first && second;
  }

  static double friction_angle(const Node& map) {
    if (const Node* n = get(map, "friction_angle")) return n->si;
    if (const Node* n = get(map, "friction")) return std::atan(n->si);
    return 0;
  }

  void contacts(const Node& root) {
    const Node* list = root.find("contacts");
    if (!list || list->kind != Node::Kind::list) return;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const Node& n = list->items[i];
      if (n.kind != Node::Kind::map) continue;
      const std::string path = fmt::format("contacts[{}]", i);
      int a = 0, b = 0;
      if (!between(n, path, a, b)) continue;
      const auto [at, fresh] = laws_.try_emplace(ordered(a, b), i);
      if (!fresh) {
        report(*n.find("between"), path + ".between",
               fmt::format("this pair has its law in contacts[{}] already", at->second));
        continue;
      }
      if (a != kAny && b != kAny) {
        contact(n, path, a, b);
      } else if (const Node* name = get(n, "law"); name && name->text != "hertz_mindlin" && !case_->materials.empty()) {
        // Its own mistakes are told whether a pair needs it or not; Hertz' law hangs on the pair's materials.
        const std::size_t mistakes = out_.size();
        Case::Contact unused;
        unused.law = law(n, path, unused);
        adhesion(n, path, unused);
        if (out_.size() > mistakes) spoiled_.insert(i);
      }
    }
  }

  void contact(const Node& n, const std::string& path, int a, int b) {
    Case::Contact c;
    c.material_a = a, c.material_b = b;
    c.law = law(n, path, c);
    c.beside = beside(n);
    if (adhesion(n, path, c)) case_->contacts.push_back(c);
  }

  /// Whether the pair has a law: its own, or that of an entry that names one of the materials and any, or any twice,
  /// which becomes its own.
  bool has_law(int a, int b) {
    if (laws_.contains(ordered(a, b))) return true;
    auto at = laws_.find(ordered(kAny, a));
    const auto other = laws_.find(ordered(kAny, b));
    if (at != laws_.end() && other != laws_.end() && at != other) {
      report(*root_->find("contacts"), "contacts",
             fmt::format("contacts[{}] and contacts[{}] both give a law between {} and {}; add an entry with between: "
                         "[{}, {}]",
                         std::min(at->second, other->second), std::max(at->second, other->second), named(a), named(b),
                         named(a), named(b)));
      laws_[ordered(a, b)] = at->second;
      return true;
    }
    if (at == laws_.end()) at = other;
    if (at == laws_.end()) at = laws_.find(ordered(kAny, kAny));
    if (at == laws_.end()) return false;
    const std::size_t entry = at->second;
    laws_[ordered(a, b)] = entry;
    if (spoiled_.contains(entry)) return true;
    const std::size_t mistakes = out_.size();
    contact(root_->find("contacts")->items[entry], fmt::format("contacts[{}]", entry), a, b);
    if (out_.size() > mistakes) spoiled_.insert(entry);
    return true;
  }
  const std::string& named(int material) const { return material_names_[static_cast<std::size_t>(material)]; }

  Law law(const Node& n, const std::string& path, const Case::Contact& c) {
    const Node* name = get(n, "law");
    const std::string which = name ? name->text : "bloks3d";
    if (which == "linear") return linear(n, path);
    if (which == "hertz_mindlin") return hertz_mindlin(n, path, c);
    if (which == "energy") return energy(n, path);
    return bloks3d(n, path);
  }

  static contact::Tension tension(const Node& n) {
    const Node* v = get(n, "tension");
    return v && v->text == "allowed" ? contact::Tension::allowed : contact::Tension::cut;
  }

  /// The share of critical damping, given or from the restitution; `mixed`: of the materials, 0: they have none.
  double damping_ratio(const Node& n, const std::string& path, double mixed) {
    const Node *e = n.find("restitution"), *ratio = n.find("damping_ratio");
    if (e && ratio) {
      report(*ratio, path + ".damping_ratio", "expected only one of restitution, damping_ratio");
    } else if (ratio) {
      return ratio->valid ? ratio->si : 0;
    } else if (e || mixed > 0) {
      return contact::damping_ratio_for(e ? (e->valid ? e->si : 1) : mixed, tension(n));
    } else if (whole_law(n)) {
      report(n, path + ".restitution", "missing; expected restitution or damping_ratio (restitution: 1 does not damp)");
    }
    return 0;
  }
  /// Whether `law` itself could be read.
  static bool whole_law(const Node& n) { return get(n, "law") != nullptr; }

  contact::Linear linear(const Node& n, const std::string& path) {
    contact::Linear law;
    if (const Node* v = get(n, "kn")) law.kn = v->si;
    law.kt = 2.0 / 7 * law.kn;
    if (const Node* v = get(n, "kt")) law.kt = v->si;
    if (const Node* v = get(n, "kt_over_kn")) {
      law.kt = v->si * law.kn;
      if (n.find("kt")) report(*v, path + ".kt_over_kn", "expected only one of kt, kt_over_kn");
    }
    law.friction_angle = friction_angle(n), law.tension = tension(n);
    law.damping_ratio = damping_ratio(n, path, 0);
    return law;
  }

  contact::HertzMindlin hertz_mindlin(const Node& n, const std::string& path, const Case::Contact& c) {
    contact::HertzMindlin law;
    law.friction_angle = friction_angle(n), law.tension = tension(n);
    const auto a = static_cast<std::size_t>(c.material_a), b = static_cast<std::size_t>(c.material_b);
    bool elastic = true;
    for (const std::size_t m : a == b ? std::vector{a} : std::vector{a, b}) {
      if (elastic_[m]) continue;
      report(*n.find("law"), path + ".law",
             fmt::format("hertz_mindlin needs young_modulus and poisson_ratio of both materials; add them to "
                         "materials.{}",
                         material_names_[m]));
      elastic = false;
    }
    const Case::Material &ma = case_->materials[a], &mb = case_->materials[b];
    if (!elastic || !(ma.young_modulus > 0) || !(mb.young_modulus > 0)) return law;
    const contact::ElasticPair pair =
        contact::elastic_pair(ma.young_modulus, ma.poisson_ratio, mb.young_modulus, mb.poisson_ratio);
    law.young = pair.young, law.shear = pair.shear;
    const bool given = ma.restitution > 0 && mb.restitution > 0;
    law.damping_ratio =
        damping_ratio(n, path,
                      given ? contact::mixed_restitution(ma.young_modulus, ma.poisson_ratio, ma.restitution,
                                                         mb.young_modulus, mb.poisson_ratio, mb.restitution)
                            : 0);
    return law;
  }

  contact::EnergyPolyhedral energy(const Node& n, const std::string& path) {
    contact::EnergyPolyhedral law;
    law.friction_angle = friction_angle(n);
    if (const Node* v = get(n, "pressure")) law.pressure = v->si;
    if (const Node* v = get(n, "damping_ratio")) law.damping_ratio = v->si;
    if (const Node* v = get(n, "exponent")) {
      law.exponent = v->si;
      if (law.exponent > 4)
        report(*v, path + ".exponent", fmt::format("expected a number from 1 to 4, got {}", v->text));
    }
    if (const Node* v = get(n, "kt")) {
      law.kt = v->si;
    } else if (!n.find("kt")) {
      report(n, path + ".kt", "missing; expected a stiffness from 0 up");
    }
    return law;
  }

  static contact::Beside beside(const Node& n) {
    contact::Beside b;
    if (const Node* r = map_at(n, "rolling")) {
      using Model = contact::Rolling::Model;
      if (const Node* v = get(*r, "model")) b.rolling.model = v->text == "constant" ? Model::constant : Model::spring;
      if (const Node* v = get(*r, "friction")) b.rolling.friction = v->si;
      if (const Node* v = get(*r, "twisting")) b.rolling.twisting = v->si;
      const Node* v = get(*r, "damping_ratio");
      b.rolling.damping_ratio = v ? v->si : 0.3;
    }
    return b;
  }

  /// The pull beside the law, or adhesion within it. False: that law has none.
  bool adhesion(const Node& n, const std::string& path, Case::Contact& c) {
    const Node* map = map_at(n, "cohesion");
    const Node *model = map ? get(*map, "model") : nullptr, *work = map ? get(*map, "work_of_adhesion") : nullptr;
    if (!model || !work) return true;
    if (model->text == "dmt") return c.beside.pull.work_of_adhesion = work->si, true;
    if (auto* hertz = std::get_if<contact::HertzMindlin>(&c.law)) return hertz->work_of_adhesion = work->si, true;
    report(*model, path + ".cohesion.model",
           "jkr follows from the elasticity of the spheres: it needs law: hertz_mindlin (dmt stands beside any law)");
    return false;
  }

  contact::Bloks3d bloks3d(const Node& n, const std::string& path) {
    contact::Bloks3d law;
    if (const Node* v = get(n, "kn")) law.kn = v->si;
    if (const Node* v = get(n, "ks")) law.ks = v->si;
    const Node* exponent = get(n, "exponent");
    if (exponent) law.exponent = exponent->si;
    if (const Node* v = get(n, "knn"); v && exponent) law.knn = power_stiffness(*v, law.exponent, path + ".knn");
    law.friction_angle = friction_angle(n);
    if (const Node* d = map_at(n, "damping")) {
      law.damping_sliding = 0.01, law.damping_sticking = 0.9;
      if (const Node* v = get(*d, "ratio")) law.damping_ratio = v->si;
      if (const Node* v = get(*d, "sliding")) law.damping_sliding = v->si;
      if (const Node* v = get(*d, "sticking")) law.damping_sticking = v->si;
    }
    return law;
  }

  double power_stiffness(const Node& n, double exponent, const std::string& path) {
    const Result<double> v = units_.power_stiffness_to_si(n.text, exponent);
    if (v && *v >= 0) return *v;
    report(n, path,
           fmt::format("expected a stiffness from 0 up in N/m^{:.6g} (exponent {:.6g}), got {}", exponent, exponent,
                       v ? short_text(n.text) : v.error().message));
    return 0;
  }

  // -- bonds and clusters
  // ----------------------------------------------------------------------------------------------
  void bonds(const Node& root) {
    const Node* n = map_at(root, "bonds");
    if (!n) return;
    for (std::size_t i = 0; i < n->items.size(); ++i) {
      bond_names_.push_back(n->keys[i].name);
      bonds_.push_back(n->items[i].kind == Node::Kind::map ? bond_law(n->items[i], "bonds." + n->keys[i].name)
                                                           : bond::ParallelBond{});
    }
  }

  bond::ParallelBond bond_law(const Node& n, const std::string& path) {
    using Given = bond::ParallelBond::Stiffness;
    bond::ParallelBond law;
    const auto take = [&](const char* key, double& into) {
      if (const Node* v = get(n, key)) into = v->si;
    };
    take("kn", law.kn), take("ks", law.ks), take("modulus", law.modulus), take("kn_over_ks", law.ratio);
    take("poisson", law.poisson), take("radius_factor", law.radius_factor), take("scatter", law.weibull_modulus);
    take("normal_strength", law.normal_strength), take("shear_strength", law.shear_strength);
    take("damping", law.damping);
    if (const Node* v = get(n, "contact")) law.keeps_contact = v->text == "kept";
    if (n.find("kn") && !n.find("ks")) report(n, path + ".ks", "missing; kn needs ks beside it");
    if (n.find("modulus") && (n.find("kn_over_ks") != nullptr) == (n.find("poisson") != nullptr))
      report(n, path, "modulus needs exactly one of kn_over_ks, poisson beside it");
    if (n.find("modulus")) law.given = n.find("poisson") ? Given::beam : Given::modulus;
    if (n.find("scatter") && !n.find("normal_strength") && !n.find("shear_strength"))
      report(*n.find("scatter"), path + ".scatter", "has no use without a strength");
    return law;
  }

  void clusters(const Node& root) {
    const Node* list = map_at(root, "clusters");
    if (!list) return;
    if (case_->dimensions == 2)
      report(*list, "clusters", "are made of spheres, which are for three dimensions; this case has two");
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const Node& n = list->items[i];
      Case::Cluster c;
      c.name = list->keys[i].name;
      cluster_names_.push_back(c.name);
      if (n.kind == Node::Kind::map) cluster(n, "clusters." + c.name, c);
      if (c.spheres.size() == 0) c.spheres = {{{}}, {1}};  // its mistake has been told
      case_->clusters.push_back(std::move(c));
    }
  }

  void cluster(const Node& n, const std::string& path, Case::Cluster& c) {
    if (const Node* v = get(n, "bonds"))
      if (const int row = resolve(*v, path + ".bonds", bond_names_, "bond"); row >= 0)
        c.law = bonds_[static_cast<std::size_t>(row)];
    Result<bond::Cluster> made = spheres(n, path);
    if (!made) {
      if (!made.error().message.empty()) report(n, path, made.error().message);
      return;
    }
    if (Status placed = bond::check_places(*made); !placed) return report(n, path, placed.error().message);
    const Node* distance = get(n, "distance");
    Result<bond::Pairs> pairs = bond::bonds_by_distance(*made, distance ? distance->si : 1.05);
    if (!pairs) return report(n, path, pairs.error().message);
    if (Status held = bond::check_holds(*made, *pairs); !held) return report(n, path, held.error().message);
    c.spheres = std::move(*made), c.bonds = std::move(*pairs);
  }

  /// An empty message: told already, or the schema has.
  Result<bond::Cluster> spheres(const Node& n, const std::string& path) {
    const auto value = [&](const Node& map, const char* key) {
      const Node* v = get(map, key);
      return v ? v->si : 0;
    };
    if (const Node* m = map_at(n, "cube")) {
      const Node* edge = get(*m, "edge");
      if (const double r = value(*m, "sphere_radius"); r > 0)
        return bond::cube(edge ? static_cast<std::uint32_t>(edge->integer) : 3, r);
    }
    if (const Node* m = map_at(n, "packed_sphere")) {
      const double radius = value(*m, "radius"), r = value(*m, "sphere_radius");
      if (radius > 0 && r > 0) return bond::packed_sphere(radius, r);
    }
    if (const Node* m = map_at(n, "tablet")) {
      const double radius = value(*m, "radius"), thickness = value(*m, "thickness"), r = value(*m, "sphere_radius");
      if (radius > 0 && thickness > 0 && r > 0) return bond::tablet(radius, thickness, r);
    }
    if (const Node* m = map_at(n, "filling")) {
      const double size = value(*m, "size"), r = value(*m, "sphere_radius");
      if (size > 0 && r > 0) return filling(*m, path + ".filling.shape", size, r);
    }
    if (const Node* m = map_at(n, "mesh")) {
      const Node* file = get(*m, "file");
      const double scale = value(*m, "scale"), r = value(*m, "sphere_radius");
      if (file && scale > 0 && r > 0) return filled_mesh(*file, path + ".mesh.file", scale, r);
    }
    if (const Node* m = map_at(n, "csv")) {
      const Node *file = get(*m, "file"), *scale = get(*m, "scale");
      if (file) return spheres_from(*file, path + ".csv.file", scale ? scale->si : 1);
    }
    return Error{};
  }

  Result<bond::Cluster> filling(const Node& map, const std::string& path, double size, double r) {
    const Node* name = get(map, "shape");
    if (!name || !check_shape(*name, path)) return Error{};
    const Result<std::shared_ptr<const Shape>> shape = load_shape(name->text);
    if (!shape) return shape.error();
    if ((*shape)->kind != ShapeKind::polyhedron) {
      report(*name, path, "expected a polyhedron, got " + short_text(name->text));
      return Error{};
    }
    return bond::filling((*shape)->body, size, r);
  }

  Result<bond::Cluster> filled_mesh(const Node& file, const std::string& path, double scale, double r) {
    const Result<WallMesh> mesh = read_wall_mesh(beside_case(file), scale, false);
    Result<bond::Cluster> filled = mesh ? bond::filling(*mesh->facets, r) : mesh.error();
    if (filled) return filled;
    report(file, path, filled.error().message);
    return Error{};
  }

  Result<bond::Cluster> spheres_from(const Node& file, const std::string& path, double scale) {
    const std::filesystem::path at = std::filesystem::path(case_->source_path).parent_path() / file.text;
    const Result<std::vector<std::byte>> bytes = read_file(at, kMaxClusterBytes);
    if (!bytes) {
      report(file, path, bytes.error().message);
      return Error{};
    }
    return bond::read_cluster({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, scale, at.string());
  }

  /// Every pair of materials that can meet needs a law. A pair of equal grains needs two of them; walls never meet
  /// walls.
  void contacts_complete(const Node& root) {
    std::map<int, std::uint64_t> grains;
    std::map<int, std::string> group_of, wall_of;
    auto take = [&](const std::vector<Case::Group>& list) {
      for (const auto& g : list) grains[g.material] += case_->particles_of(g), group_of.try_emplace(g.material, g.name);
    };
    auto take_walls = [&](const std::vector<Case::Wall>& list) {
      for (const auto& w : list) wall_of.try_emplace(w.material, w.name);
    };
    take(case_->particles), take_walls(case_->walls);
    for (const auto& s : case_->stages) take(s.insert), take_walls(s.add);
    auto need = [&](int a, int b, const std::string& who) {
      if (has_law(a, b)) return;
      const Node* list = root.find("contacts");
      const std::string &x = named(a), &y = named(b);
      report(list ? *list : root, "contacts",
             fmt::format("no law between {} and {} ({}); add an entry with between: [{}, {}]", x, y, who, x, y));
      laws_[ordered(a, b)] = 0;
    };
    for (const auto& [a, na] : grains) {
      has_law(a, a);  // so that one for any is taken for a single grain too
      for (const auto& [b, nb] : grains)
        if (a < b || (a == b && na > 1))
          need(a, b, a == b ? "grains of " + group_of[a] : "grains of " + group_of[a] + " and of " + group_of[b]);
      for (const auto& [b, wall] : wall_of) need(a, b, "grains of " + group_of[a] + " and the wall " + wall);
    }
  }

  // -- walls
  // -----------------------------------------------------------------------------------------------------------
  /// Names that are there now: planes, sides and boxes (with their sides).
  struct Standing {
    std::set<std::string> planes;
    std::map<std::string, std::set<std::string>> boxes;
    std::vector<std::string> names() const {
      std::vector<std::string> n;
      for (const auto& [b, sides] : boxes) n.push_back(b);
      n.insert(n.end(), planes.begin(), planes.end());
      return n;
    }
    bool has(const std::string& name) const { return planes.contains(name) || boxes.contains(name); }
    void remove(const std::string& name) {
      if (const auto b = boxes.find(name); b != boxes.end()) {
        for (const auto& s : b->second) planes.erase(s);
        boxes.erase(b);
        return;
      }
      planes.erase(name);
      for (auto& [box, sides] : boxes) sides.erase(name);
      std::erase_if(boxes, [](const auto& b) { return b.second.empty(); });
    }
  };

  void walls(const Node& n, const std::string& path, std::vector<Case::Wall>& into) {
    if (n.kind != Node::Kind::map) return;
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      const Node& w = n.items[i];
      const std::string& name = n.keys[i].name;
      const std::string at = path + "." + name;
      if (w.kind != Node::Kind::map) continue;
      if (standing_.has(name)) {
        report(w, at, "there is a wall of this name already");
        continue;
      }
      const int m = material(w, at);
      const std::size_t first = into.size();
      if (const Node* box = map_at(w, "box")) {
        add_box(*box, name, at + ".box", m, into);
      } else if (const Node* plane = map_at(w, "plane")) {
        add_plane(*plane, name, at + ".plane", m, into);
      } else if (const Node* cylinder = map_at(w, "cylinder")) {
        add_round(*cylinder, name, at + ".cylinder", m, into, "radius", "radius");
      } else if (const Node* cone = map_at(w, "cone")) {
        add_round(*cone, name, at + ".cone", m, into, "radius_from", "radius_to");
      } else if (const Node* mesh = map_at(w, "mesh")) {
        add_mesh(*mesh, name, at + ".mesh", m, into);
      } else {
        standing_.planes.insert(name);  // so that its mistake is told once, here
      }
      const boundary::Motion moves = motion(w, at);
      must_slide(std::span(into).subspan(first), w, moves, at);
      for (std::size_t k = first; k < into.size(); ++k) {
        into[k].motion = moves;
        made_[into[k].name] = into[k];
        if (!may_turn(into[k], w, moves, at) || !suits_period(into[k], w, moves, at) ||
            !may_be_driven(into[k], into.size() - first, w, moves, at))
          break;
      }
    }
  }

  // -- motion
  // ----------------------------------------------------------------------------------------------------------
  boundary::Motion motion(const Node& n, const std::string& path) {
    boundary::Motion m;
    if (const Node* v = get(n, "velocity")) m.velocity = placed(*v, path + ".velocity");
    if (const Node* v = get(n, "surface_velocity")) m.surface_velocity = placed(*v, path + ".surface_velocity");
    if (const Node* o = map_at(n, "oscillation")) {
      const Node *amplitude = get(*o, "amplitude"), *f = get(*o, "frequency"), *phase = get(*o, "phase");
      if (amplitude && f)
        m.oscillation = {placed(*amplitude, path + ".oscillation.amplitude"), f->si, phase ? phase->si : 0};
    }
    if (const Node* r = map_at(n, "rotation")) {
      const Node *axis = get(*r, "axis"), *through = get(*r, "through");
      const Node *rate = get(*r, "rate"), *swing = get(*r, "swing"), *f = get(*r, "swing_frequency");
      const std::optional<Vec3> along = axis ? direction(*axis, path + ".rotation.axis") : std::nullopt;
      if (along && through)
        m.rotation = {*along, placed(*through, path + ".rotation.through"), rate ? rate->si : 0, swing ? swing->si : 0,
                      f ? f->si : 0};
    }
    m.drive = drive(n, path);
    if (const Node* p = map_at(n, "path"))
      if (const Node* file = get(*p, "file")) m.table = table(*file, path + ".path.file", m.rotation.has_value());
    return m;
  }

  std::optional<boundary::Motion::Drive> drive(const Node& n, const std::string& path) {
    using Drive = boundary::Motion::Drive;
    const Node *free = map_at(n, "free"), *servo = map_at(n, "servo");
    if (!free && !servo) return std::nullopt;
    if (free && servo) report(*servo, path + ".servo", "expected only one of free and servo");
    const Node& at = free ? *free : *servo;
    const std::string here = path + (free ? ".free" : ".servo");
    Drive d;
    d.kind = free ? Drive::Kind::free : Drive::Kind::servo;
    if (const Node* v = get(at, "along")) {
      const std::optional<Vec3> along = direction(*v, here + ".along");
      if (along && case_->dimensions == 2 && along->z != 0)
        report(*v, here + ".along", "leaves the plane z = 0 of two dimensions");
      d.along = along.value_or(Vec3{});
    }
    const auto take = [&](const char* key, double& into) {
      if (const Node* v = get(at, key)) into = v->si;
    };
    take("force", d.force), take("stress", d.stress), take("area", d.area), take("mass", d.mass);
    take("damping", d.damping), take("max_velocity", d.max_velocity);
    if (servo && !get(at, "force") && !get(at, "stress")) report(at, here, "needs a force or a stress");
    return d;
  }

  /// A surface moves along itself alone: of a velocity along the normal of all of it nothing is left.
  void must_slide(std::span<const Case::Wall> walls, const Node& n, const boundary::Motion& m,
                  const std::string& path) {
    const double speed = norm(m.surface_velocity);
    if (!(speed > 0) || walls.empty()) return;
    double most = 0;
    const auto look = [&](Vec3 normal) {
      most = std::max(most, norm(m.surface_velocity - dot(m.surface_velocity, normal) * normal));
    };
    for (const Case::Wall& w : walls) {
      if (!w.mesh) look(w.normal);
      if (!w.mesh) continue;
      const Surface& s = w.mesh->surface();
      for (const auto& t : s.triangles) {
        const Vec3 a = s.vertices[t[0]];
        look(rotate(w.orientation, normalized(cross(s.vertices[t[1]] - a, s.vertices[t[2]] - a))));
      }
    }
    const Node& at = *n.find("surface_velocity");
    if (most <= 1e-9 * speed) {
      report(at, path + ".surface_velocity",
             "is along the normal, but a surface moves along itself: nothing of it is left (velocity moves the wall)");
    } else if (walls.size() == 1 && !walls[0].mesh && most < (1 - 1e-4) * speed) {
      warn(at, path + ".surface_velocity",
           fmt::format("its part along the normal has no effect; the surface moves at {:.4g} m/s", most));
    }
  }

  /// `planes`: that the motion is given to. Where it says no direction, each goes along its own normal.
  bool may_be_driven(const Case::Wall& w, std::size_t planes, const Node& n, const boundary::Motion& m,
                     const std::string& path) {
    if (!m.drive) return true;
    const char* key = m.drive->kind == boundary::Motion::Drive::Kind::free ? "free" : "servo";
    const auto refuse = [&](const std::string& why) {
      report(*n.find(key), path + "." + key, why);
      return false;
    };
    if (w.mesh && m.drive->along == Vec3{}) return refuse("needs along: a mesh has no normal");
    if (planes > 1 && m.drive->along != Vec3{})
      return refuse("the sides of a box move one by one, each along its own normal: leave out along, or name a side");
    if (m.rotation) return refuse("a wall that turns cannot be driven as well");
    if (m.drive->stress != 0 && m.drive->area == 0 && !is_between_sides(w.name))
      return refuse(
          fmt::format("the stress needs an area: {} is no side of a box whose sides beside it stand", w.name));
    return true;
  }
  /// A side of a box, with the walls beside it.
  bool is_between_sides(const std::string& name) const {
    const std::size_t at = name.rfind('.');
    if (at == std::string::npos) return false;
    const auto box = standing_.boxes.find(name.substr(0, at));
    if (box == standing_.boxes.end()) return false;
    for (const char* axis : {"x", "y", "z"}) {
      if (name[at + 1] == axis[0] || (case_->dimensions == 2 && axis[0] == 'z')) continue;
      if (case_->periodic.periodic[static_cast<std::size_t>(axis[0] - 'x')]) continue;
      for (const char* end : {"_min", "_max"})
        if (!box->second.contains(box->first + "." + axis + end)) return false;
    }
    return true;
  }

  /// A unit vector; nothing: it was [0, 0, 0], and said so.
  std::optional<Vec3> direction(const Node& n, const std::string& path) {
    const Vec3 d = vec3(n);
    const double largest =
        std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});  // scaled: the square could overflow
    if (largest > 0) return normalized(d / largest);
    report(n, path, "expected a direction, got [0, 0, 0]");
    return std::nullopt;
  }

  /// A plane that turns about anything but its normal sweeps through all of space.
  bool may_turn(const Case::Wall& w, const Node& n, const boundary::Motion& m, const std::string& path) {
    if (!m.rotation || w.mesh || std::abs(std::abs(dot(m.rotation->axis, w.normal)) - 1) < 1e-12) return true;
    report(*n.find("rotation"), path + ".rotation",
           fmt::format(
               "the plane {} has no edges and can turn about its normal alone; a plate or box that turns is a mesh",
               w.name));
    return false;
  }

  std::filesystem::path beside_case(const Node& file) const {
    return std::filesystem::path(case_->source_path).parent_path() / file.text;
  }

  std::vector<boundary::Motion::Row> table(const Node& file, const std::string& path, bool has_axis) {
    Result<std::vector<boundary::Motion::Row>> rows = read_path(beside_case(file));
    if (!rows) {
      report(file, path, rows.error().message);
      return {};
    }
    const bool turns =
        std::any_of(rows->begin(), rows->end(), [&](const auto& r) { return r.angle != rows->front().angle; });
    if (turns && !has_axis) report(file, path, "has angles; give the axis in a rotation beside the path");
    for (const auto& r : *rows) {
      if (case_->dimensions == 2 && r.shift.z != 0) {
        report(file, path, "leaves the plane z = 0 of two dimensions");
        break;
      }
    }
    return std::move(*rows);
  }

  // -- meshes
  // ----------------------------------------------------------------------------------------------------------
  void add_mesh(const Node& n, const std::string& name, const std::string& path, int m, std::vector<Case::Wall>& into) {
    standing_.planes.insert(name);
    if (case_->dimensions == 2) return report(n, path, "is for three dimensions; this case has two");
    const Node *file = get(n, "file"), *scale = get(n, "scale"), *position = get(n, "position");
    if (!file || !scale) return;
    Case::Wall w;
    w.name = name, w.material = m;
    if (position) w.point = vec3(*position);
    if (const Node* o = get(n, "orientation")) w.orientation = turned(*o, path + ".orientation");
    if (const Node* s = get(n, "sides")) w.front_only = s->text == "front";
    Result<WallMesh> mesh = read_wall_mesh(beside_case(*file), scale->si, w.front_only);
    if (!mesh) return report(*file, path + ".file", mesh.error().message);
    for (const std::string& remark : mesh->remarks) warn(*file, path + ".file", remark);
    w.mesh = std::move(mesh->facets);
    into.push_back(std::move(w));
  }

  /// Spheres touch the surface itself, polyhedra flat sides.
  void add_round(const Node& n, const std::string& name, const std::string& path, int m, std::vector<Case::Wall>& into,
                 const char* radius_from, const char* radius_to) {
    standing_.planes.insert(name);
    if (case_->dimensions == 2) return report(n, path, "is for three dimensions; this case has two");
    const Node *from = get(n, "from"), *to = get(n, "to"), *bottom = get(n, radius_from), *top = get(n, radius_to);
    if (!from || !to || !bottom || !top) return;
    const Vec3 axis = vec3(*to) - vec3(*from);
    const double widest = std::max(bottom->si, top->si), longest = std::max(norm(axis), widest);
    if (!(norm(axis) > 1e-9 * longest) || !(norm(axis) < 1e9)) {
      report(*to, path + ".to", "expected another place than `from`, within 1e9 m");
      return;
    }
    if (!(widest > 1e-9 * longest) || !(widest < 1e9)) {
      report(*top, fmt::format("{}.{}", path, radius_to),
             "expected a radius above 0 and below 1e9 m at one end at least");
      return;
    }
    Case::Wall w;
    w.name = name, w.material = m, w.point = vec3(*from);
    const Vec3 z = normalized(axis), x = any_perpendicular(z);
    w.orientation = quaternion_of(transpose(Mat3{{x, cross(z, x), z}}));
    w.round = Frustum{bottom->si, top->si, norm(axis)};
    w.mesh = std::make_shared<const FacetMesh>(w.round->flat_sides());
    into.push_back(std::move(w));
  }

  Quat turned(const Node& n, const std::string& path) {
    if (n.kind == Node::Kind::list) return unit_quaternion(n, path);
    const Node *axis = get(n, "axis"), *angle = get(n, "angle");
    const std::optional<Vec3> along = axis ? direction(*axis, path + ".axis") : std::nullopt;
    return along && angle ? axis_angle(*along, angle->si) : Quat{};
  }
  Quat unit_quaternion(const Node& n, const std::string& path) {
    const Quat q{n.items[0].si, n.items[1].si, n.items[2].si, n.items[3].si};
    const double length = std::sqrt(norm2(q));
    if (std::abs(length - 1) <= 1e-6) return normalized(q);
    report(n, path,
           fmt::format("expected a unit quaternion [w, x, y, z] (length 1 within 1e-6), got length {:.9g}", length));
    return {};
  }

  void add_plane(const Node& n, const std::string& name, const std::string& path, int m,
                 std::vector<Case::Wall>& into) {
    standing_.planes.insert(name);
    const Node *point = get(n, "point"), *normal = get(n, "normal");
    if (!point || !normal) return;
    const Vec3 d = placed(*normal, path + ".normal");
    const double largest =
        std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});  // scaled: the square could overflow
    if (largest == 0) {
      report(*normal, path + ".normal", "expected a direction, got [0, 0, 0]");
      return;
    }
    Case::Wall w;
    w.name = name, w.point = placed(*point, path + ".point"), w.normal = normalized(d / largest), w.material = m;
    into.push_back(std::move(w));
  }

  void add_box(const Node& n, const std::string& name, const std::string& path, int m, std::vector<Case::Wall>& into) {
    std::set<std::string> open;
    if (const Node* o = get(n, "open"))
      for (const Node& side : o->items) open.insert(side.text);
    auto& sides = standing_.boxes[name];
    const std::size_t axes = static_cast<std::size_t>(case_->dimensions);
    if (axes == 2) open.insert({"z_min", "z_max"});
    for (const char* side : kSides)
      if (!open.contains(side)) sides.insert(name + "." + side), standing_.planes.insert(name + "." + side);
    box_rows_[name] = static_cast<int>(case_->boxes.size());
    const Node *low = get(n, "min"), *high = get(n, "max");
    case_->boxes.push_back({name, low ? vec3(*low) : Vec3{}, high ? vec3(*high) : Vec3{1, 1, 1}});
    if (!low || !high) return;
    const Vec3 a = placed(*low, path + ".min"), b = placed(*high, path + ".max");
    if (!is_ordered(*low, *high, path)) return;
    for (int s = 0; s < 6; ++s)
      if (!open.contains(kSides[s])) into.push_back(box_side(name, a, b, s, m));
  }

  /// Is each coordinate of the upper corner above that of the lower one?
  bool is_ordered(const Node& low, const Node& high, const std::string& path) {
    for (std::size_t k = 0; k < (dimensions_known_ ? static_cast<std::size_t>(case_->dimensions) : 2); ++k)
      if (!(low.items[k].si < high.items[k].si)) {
        report(high.items[k], fmt::format("{}.max[{}]", path, k),
               fmt::format("expected more than min's {}, got {}", low.items[k].text, high.items[k].text));
        return false;
      }
    return true;
  }

  /// Side s of the box, in the order of kSides; the outline's corners run round the face.
  static Case::Wall box_side(const std::string& name, Vec3 a, Vec3 b, int s, int m) {
    const auto k = static_cast<std::size_t>(s / 2), u = (k + 1) % 3, v = (k + 2) % 3;
    const bool upper = s % 2 == 1;
    Case::Wall p;
    p.name = name + "." + kSides[s];
    p.point = upper ? b : a;
    p.normal[k] = upper ? -1 : 1;
    p.material = m;
    std::array<Vec3, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) {
      corners[i][k] = p.point[k];
      corners[i][u] = i == 1 || i == 2 ? b[u] : a[u];
      corners[i][v] = i >= 2 ? b[v] : a[v];
    }
    p.outline = corners;
    return p;
  }

  // -- grains
  // ----------------------------------------------------------------------------------------------------------
  void groups(const Node& list, const std::string& path, std::vector<Case::Group>& into) {
    if (list.kind != Node::Kind::list) return;
    for (std::size_t i = 0; i < list.items.size(); ++i)
      if (list.items[i].kind == Node::Kind::map) into.push_back(group(list.items[i], fmt::format("{}[{}]", path, i)));
  }

  Case::Group group(const Node& n, const std::string& path) {
    Case::Group g;
    g.line = n.line, g.column = n.column;
    const Node* name = get(n, "name");
    g.name = name ? name->text : fmt::format("group_{}", group_names_.size() + 1);
    if (!group_names_.insert(g.name).second)
      report(name ? *name : n, path + ".name", fmt::format("there is a group {} already", short_text(g.name)));
    g.material = material(n, path);
    shapes(n, path, g);
    cluster_of(n, path, g);
    if (const Node* s = get(n, "size")) g.size = read_size(*s, path + ".size", reading());
    if (const Node* v = get(n, "overlap")) g.may_overlap = v->text == "allow";
    if (const Node* o = get(n, "orientation")) orientation(*o, path, g.orientation);
    if (const Node* v = get(n, "velocity")) g.velocity = placed(*v, path + ".velocity");
    if (const Node* v = get(n, "angular_velocity")) g.angular_velocity = spin(*v, path + ".angular_velocity");
    place(n, path, g);
    count_particles(n, path, g);
    return g;
  }

  void cluster_of(const Node& n, const std::string& path, Case::Group& g) {
    const Node *size = n.find("size"), *place = map_at(n, "place");
    const bool has_file = place && place->find("file");
    if (n.find("cluster") && n.find("shapes")) {
      report(*n.find("cluster"), path, "expected only one of shapes, cluster, got shapes and cluster");
    } else if (!n.find("cluster") && !n.find("shapes") && !has_file) {
      report(n, path, "missing; expected one of shapes, cluster");
    }
    if (!n.find("cluster")) {
      if (n.find("shapes") && !size && !has_file) report(n, path + ".size", "missing; shapes need a size beside them");
      return;
    }
    if (size) report(*size, path + ".size", "has no use with a cluster, whose spheres have their radii");
    const Node* v = get(n, "cluster");
    if (!v) return;
    g.cluster = resolve(*v, path + ".cluster", cluster_names_, "cluster");
    g.shapes = {"sphere"};
  }

  Vec3 spin(const Node& n, const std::string& path) {
    const Vec3 w = vec3(n);
    for (std::size_t k = 0; k < 2; ++k)
      if (case_->dimensions == 2 && w[k] != 0)
        report(
            n.items[k], fmt::format("{}[{}]", path, k),
            fmt::format("expected 0, for in two dimensions grains turn about z; got {}", short_text(n.items[k].text)));
    return w;
  }

  /// Adds to the total; more than the engine's limit or than this machine's memory can hold is a mistake.
  void count_particles(const Node& n, const std::string& path, Case::Group& g) {
    const Node* where = n.find("count") ? n.find("count") : &n;
    const std::uint64_t particles = case_->particles_of(g);
    total_ += particles;
    const double needed = static_cast<double>(total_) * kLeastBytesPerParticle, there = memory_bytes();
    std::string wrong;
    if (total_ > kMaxParticles) {
      wrong = fmt::format("more than {} grains in all", kMaxParticles);
    } else if (there > 0 && needed > there) {
      wrong = fmt::format("{} grains in all need {:.0f} GB of memory at least; this machine has {:.0f} GB", total_,
                          std::ceil(needed / 1e9), there / 1e9);
    }
    if (wrong.empty()) return;
    report(*where, path + ".count", wrong);
    total_ -= particles;
    g.count = 0;
  }

  void shapes(const Node& n, const std::string& path, Case::Group& g) {
    const Node* s = get(n, "shapes");
    if (!s) return;
    if (s->kind == Node::Kind::scalar) {
      g.shapes = {s->text};
      check_shape(*s, path + ".shapes");
      return;
    }
    for (std::size_t i = 0; i < s->items.size(); ++i) {
      g.shapes.push_back(s->items[i].text);
      check_shape(s->items[i], fmt::format("{}.shapes[{}]", path, i));
    }
  }

  bool check_shape(const Node& n, const std::string& path) { return check_shape(n, path, n.text); }

  bool check_shape(const Node& n, const std::string& path, const std::string& name) {
    if (!shapes_listed_) {
      library_ = list_shapes();
      for (const LibraryEntry& e : library_) shape_names_.push_back(e.name);
      shapes_listed_ = true;
    }
    const int row = resolve(n, path, name, shape_names_, "shape");
    if (row < 0) return false;
    const LibraryEntry& e = library_[static_cast<std::size_t>(row)];
    if (!e.problem.empty()) {
      report(n, path, fmt::format("the shape {} cannot be used: {}", e.name, e.problem));
    } else if (dimensions_known_ && is_planar(e.kind) != (case_->dimensions == 2)) {
      report(n, path,
             is_planar(e.kind)
                 ? fmt::format("the shape {} is for two dimensions; add dimensions: 2 or take another shape", e.name)
                 : fmt::format("the shape {} is for three dimensions; in two there are disc and polygons such as "
                               "square (`scree shape list`)",
                               e.name));
    } else {
      return true;
    }
    return false;
  }

  /// For the readers of parts in other files.
  Reading reading() {
    return {units_, std::filesystem::path(case_->source_path).parent_path(), case_->dimensions, out_,
            [this](const Node& n, const std::string& path, std::string m) { report(n, path, std::move(m)); }};
  }

  void orientation(const Node& n, const std::string& path, Case::Orientation& o) {
    o.random = n.kind == Node::Kind::scalar && n.text == "random";
    if (n.kind != Node::Kind::list) return;
    o.fixed = {n.items[0].si, n.items[1].si, n.items[2].si, n.items[3].si};
    const double length = std::sqrt(norm2(o.fixed));
    if (!(std::abs(length - 1) <= 1e-6)) {
      report(n, path + ".orientation",
             fmt::format("expected a unit quaternion [w, x, y, z] (length 1 within 1e-6), got length {:.9g}", length));
      return;
    }
    o.fixed = normalized(o.fixed);
    if (case_->dimensions == 2 && (o.fixed.x != 0 || o.fixed.y != 0))
      report(n, path + ".orientation", "expected a rotation about z, [w, 0, 0, z], in two dimensions");
  }

  void place(const Node& n, const std::string& path, Case::Group& g) {
    const Node *count = get(n, "count"), *p = map_at(n, "place");
    if (count) g.count = count->integer;
    if (!p) return;
    if (const Node* at = get(*p, "at")) {
      Case::AtPoints points;
      for (std::size_t i = 0; i < at->items.size(); ++i)
        points.points.push_back(placed(at->items[i], fmt::format("{}.place.at[{}]", path, i)));
      if (count && count->integer != points.points.size())
        report(*count, path + ".count",
               fmt::format("expected {}, the number of points of place.at, got {}", points.points.size(), count->text));
      g.count = points.points.size();
      g.place = std::move(points);
    } else if (const Node* f = get(*p, "file")) {
      Case::AtPoints points = read_points_file(n, *f, path + ".place.file", g, reading());
      if (!n.find("shapes") && g.cluster < 0)
        for (const std::string& name : g.shapes)
          if (!check_shape(*f, path + ".place.file", name)) break;
      if (count && whole_ && count->integer != points.points.size())
        report(*count, path + ".count",
               fmt::format("expected {}, the number of rows of place.file, got {}", points.points.size(), count->text));
      g.count = points.points.size();
      g.place = std::move(points);
    } else if (const Node* r = map_at(*p, "random")) {
      count_needed(n, path);
      Case::AtRandom random;
      if (const Node* inside = map_at(*r, "inside"))
        random.region = read_region(*inside, path + ".place.random.inside", reading());
      if (const Node* v = get(*r, "gap")) random.gap = v->si;
      g.place = random;
    } else if (const Node* pour = map_at(*p, "pour")) {
      count_needed(n, path);
      if (g.cluster >= 0)
        report(*pour, path + ".place.pour", "clusters cannot be poured; insert them stage by stage, or pour grains");
      g.place = read_pour(*pour, path + ".place.pour", reading());
      gates_.push_back(g.name);
    } else if (const Node* l = map_at(*p, "lattice")) {
      count_needed(n, path);
      g.place = lattice(*l, path + ".place.lattice");
    }
  }

  void count_needed(const Node& group, const std::string& path) {
    if (!group.find("count")) report(group, path + ".count", "missing; expected an integer from 1 to 100000000");
  }

  Case::Lattice lattice(const Node& n, const std::string& path) {
    Case::Lattice l;
    if (const Node* above = get(n, "above")) {
      std::vector<std::string> boxes;
      for (const auto& [name, row] : box_rows_) boxes.push_back(name);
      if (resolve(*above, path + ".above", boxes, "box") >= 0) l.box = box_rows_[above->text];
    }
    if (const Node* inside = map_at(n, "inside")) {
      const Node *low = get(*inside, "min"), *high = get(*inside, "max");
      if (low && high && is_ordered(*low, *high, path + ".inside"))
        l.region = {placed(*low, path + ".inside.min"), placed(*high, path + ".inside.max")};
    }
    if (const Node* v = get(n, "from")) l.from = v->si;
    if (const Node* v = get(n, "spacing")) l.spacing = v->si;
    return l;
  }

  // -- stages
  // ----------------------------------------------------------------------------------------------------------
  void stages(const Node& root) {
    const Node* list = root.find("stages");
    if (!list || list->kind != Node::Kind::list) return;
    std::set<std::string> names;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const Node& n = list->items[i];
      if (n.kind != Node::Kind::map) continue;
      const std::string path = fmt::format("stages[{}]", i);
      Case::Stage s;
      const Node* name = get(n, "name");
      s.name = name ? name->text : fmt::format("stage_{}", i + 1);
      if (!names.insert(s.name).second)
        report(name ? *name : n, path + ".name", fmt::format("there is a stage {} already", short_text(s.name)));
      stage(n, path, s);
      case_->stages.push_back(std::move(s));
    }
  }

  void stage(const Node& n, const std::string& path, Case::Stage& s) {
    if (const Node* v = get(n, "duration")) s.duration = v->si;
    if (const Node* u = map_at(n, "until"))
      if (const Node* v = get(*u, "kinetic_energy_below")) s.kinetic_energy_below = v->si;
    if (!n.find("duration") && !n.find("until"))
      report(n, path + ".duration", "missing; a stage needs duration, until or both");
    if (const Node* r = get(n, "remove")) remove(*r, path + ".remove", s);
    if (const Node* a = n.find("add")) walls(*a, path + ".add", s.add);
    if (const Node* v = get(n, "gravity")) s.gravity = placed(*v, path + ".gravity");
    friction(n, path, s);
    move(n, path, s);
    if (const Node* v = get(n, "cut_above")) s.cut_above = Case::CutAbove{v->si};
    if (const Node* g = n.find("insert")) groups(*g, path + ".insert", s.insert);
    gates(n, "open", path, s.open);
    gates(n, "close", path, s.close);
    if (const Node* o = map_at(n, "output"))
      if (const Node* v = get(*o, "every")) s.output_every = v->si;
  }

  /// What the stages measure: names of columns, which the whole case makes.
  void stage_measures(const Node& root) {
    const std::vector<std::string> columns = series_columns(*case_);
    std::vector<std::string> names;
    for (const std::string& c : columns) names.emplace_back(without_unit(c));
    for (std::size_t i = 0; i < case_->stages.size(); ++i) {
      const Node* n = root.find("stages")->items[i].find("measure");
      if (!n) continue;
      const std::string path = fmt::format("stages[{}].measure", i);
      const auto one = [&](const Node& name, const std::string& at) {
        if (columns_meant(name.text, columns).empty())
          report(name, at,
                 fmt::format("series.csv has no column {}{}", short_text(name.text), hint(name.text, names, "column")));
        case_->stages[i].measure.push_back(name.text);
      };
      if (n->kind == Node::Kind::scalar) one(*n, path);
      for (std::size_t k = 0; k < n->items.size(); ++k) one(n->items[k], fmt::format("{}[{}]", path, k));
    }
  }

  /// Grains have the ids 0, 1, ... in the order in which they come; none is given twice.
  void tracked_grains(const Node& root) {
    const Node* n = map_at(root, "measure");
    if (!n || total_ == 0 || has_errors(out_)) return;  // what is wrong elsewhere may be the reason
    for (std::size_t k = 0; k < n->items.size(); ++k) {
      const Node* ids = get(n->items[k], "track");
      for (std::size_t i = 0; ids && i < ids->items.size(); ++i) {
        const std::uint64_t id = ids->items[i].integer;
        if (id >= total_)
          report(ids->items[i], fmt::format("measure.{}.track[{}]", n->keys[k].name, i),
                 fmt::format("no grain will ever have the id {}: {} come{} in all, with the id{} 0{}", id, total_,
                             total_ == 1 ? "s" : "", total_ == 1 ? "" : "s",
                             total_ == 1 ? std::string() : fmt::format(" to {}", total_ - 1)));
      }
    }
  }

  /// Names of outlets and of groups that are poured, so far.
  void gates(const Node& stage, const char* key, const std::string& path, std::vector<std::string>& into) {
    const Node* n = get(stage, key);
    if (!n) return;
    std::vector<std::string> names = gates_;
    for (const Case::Outlet& o : case_->outlets) names.push_back(o.name);
    const auto one = [&](const Node& name, const std::string& at) {
      if (resolve(name, at, names, "outlet or poured group") >= 0) into.push_back(name.text);
    };
    const std::string at = path + "." + key;
    if (n->kind == Node::Kind::scalar) return one(*n, at);
    for (std::size_t i = 0; i < n->items.size(); ++i) one(n->items[i], fmt::format("{}[{}]", at, i));
  }

  void remove(const Node& n, const std::string& path, Case::Stage& s) {
    auto one = [&](const Node& name, const std::string& at) {
      if (!standing_wall(name, name.text, at)) return;
      standing_.remove(name.text);
      s.remove.push_back(name.text);
    };
    if (n.kind == Node::Kind::scalar) return one(n, path);
    for (std::size_t i = 0; i < n.items.size(); ++i) one(n.items[i], fmt::format("{}[{}]", path, i));
  }

  bool standing_wall(const Node& where, const std::string& name, const std::string& path) {
    if (standing_.has(name)) return true;
    report(where, path,
           fmt::format("no wall {} stands at this point{}", short_text(name), hint(name, standing_.names(), "wall")));
    return false;
  }

  void friction(const Node& n, const std::string& path, Case::Stage& s) {
    const Node* list = n.find("friction");
    if (!list || list->kind != Node::Kind::list) return;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const Node& f = list->items[i];
      if (f.kind != Node::Kind::map) continue;
      const std::string at = fmt::format("{}.friction[{}]", path, i);
      Case::FrictionChange c;
      if (!between(f, at, c.material_a, c.material_b)) continue;
      c.friction_angle = friction_angle(f);
      const bool all = c.material_a == kAny || c.material_b == kAny;
      if (!all && !has_law(c.material_a, c.material_b))
        report(*f.find("between"), at + ".between", "this pair has no law in contacts");
      s.friction.push_back(c);
    }
  }

  /// Changes of friction for any material become those of all pairs that have a law and none of their own in the stage.
  void friction_of_any() {
    const auto fits = [](const Case::FrictionChange& f, int a, int b) {
      const auto one = [](int wanted, int m) { return wanted == kAny || wanted == m; };
      return (one(f.material_a, a) && one(f.material_b, b)) || (one(f.material_a, b) && one(f.material_b, a));
    };
    const auto anys = [](const Case::FrictionChange& f) { return (f.material_a == kAny) + (f.material_b == kAny); };
    for (std::size_t k = 0; k < case_->stages.size(); ++k) {
      Case::Stage& s = case_->stages[k];
      if (std::none_of(s.friction.begin(), s.friction.end(), [&](const auto& f) { return anys(f) > 0; })) continue;
      for (std::size_t i = 0; i < s.friction.size(); ++i) {
        const bool fits_one = std::any_of(case_->contacts.begin(), case_->contacts.end(), [&](const Case::Contact& c) {
          return fits(s.friction[i], c.material_a, c.material_b);
        });
        const Node& n = root_->find("stages")->items[k].find("friction")->items[i];
        const auto same = [&](const Case::FrictionChange& f) {
          return std::minmax(f.material_a, f.material_b) ==
                 std::minmax(s.friction[i].material_a, s.friction[i].material_b);
        };
        if (anys(s.friction[i]) > 0 &&
            std::any_of(s.friction.begin(), s.friction.begin() + static_cast<std::ptrdiff_t>(i), same))
          report(*n.find("between"), fmt::format("stages[{}].friction[{}].between", k, i),
                 "these have a friction in this stage already");
        if (!fits_one)
          report(*n.find("between"), fmt::format("stages[{}].friction[{}].between", k, i),
                 "no pair that meets has these");
      }
      std::vector<Case::FrictionChange> all;
      for (const Case::Contact& c : case_->contacts) {
        const Case::FrictionChange* closest = nullptr;  // of several for the pair itself the last, as without any
        for (const Case::FrictionChange& f : s.friction) {
          if (!fits(f, c.material_a, c.material_b) || (closest && anys(f) > anys(*closest))) continue;
          if (closest && anys(f) == 1 && anys(*closest) == 1)
            report(*root_->find("stages")->items[k].find("friction"), fmt::format("stages[{}].friction", k),
                   fmt::format("two entries with any fit {} and {}; add one with between: [{}, {}]",
                               named(c.material_a), named(c.material_b), named(c.material_a), named(c.material_b)));
          closest = &f;
        }
        if (closest) all.push_back({c.material_a, c.material_b, closest->friction_angle});
      }
      s.friction = all;
    }
  }

  void move(const Node& n, const std::string& path, Case::Stage& s) {
    const Node* m = map_at(n, "move");
    if (!m) return;
    for (std::size_t i = 0; i < m->items.size(); ++i) {
      Node at = m->items[i];
      if (m->keys[i].line > 0) at.line = m->keys[i].line, at.column = m->keys[i].column, at.source = m->source;
      if (!standing_wall(at, m->keys[i].name, path + ".move")) continue;
      if (at.kind != Node::Kind::map) continue;
      const std::string& name = m->keys[i].name;
      const std::string here = path + ".move." + name;
      const boundary::Motion moves = motion(at, here);
      s.move.push_back({name, moves});
      std::vector<Case::Wall> moved;
      for (const auto& [wall, made] : made_)
        if ((wall == name || wall.starts_with(name + ".")) && standing_.has(wall)) moved.push_back(made);
      must_slide(moved, at, moves, here);
      for (const auto& [wall, made] : made_) {
        if ((wall != name && !wall.starts_with(name + ".")) || !standing_.has(wall)) continue;
        if (!may_turn(made, at, moves, here) || (made.mesh && !suits_period(made, at, moves, here)) ||
            !may_be_driven(made, wall == name ? 1 : 2, at, moves, here))
          break;
      }
    }
  }

  // -- the rest
  // --------------------------------------------------------------------------------------------------------
  void planes(const Node& detection, narrow::PlaneSettings& p) {
    using Method = narrow::PlaneMethod;
    static const std::map<std::string, Method> methods{{"auto", Method::automatic},
                                                       {"fast", Method::fast},
                                                       {"separating_axis", Method::separating_axis},
                                                       {"gjk", Method::gjk},
                                                       {"shortest_link", Method::shortest_link},
                                                       {"common_plane", Method::common_plane}};
    if (const Node* v = get(detection, "common_plane")) p.method = methods.at(v->text);
    if (const Node* c = map_at(detection, "cundall")) {
      if (const Node* v = get(*c, "largest_step")) p.cundall.largest = std::tan(v->si);
      if (const Node* v = get(*c, "smallest_step")) p.cundall.smallest = std::tan(v->si);
      if (const Node* v = get(*c, "shrink")) p.cundall.shrink = v->si;
      if (const Node* v = get(*c, "axes")) p.cundall.random_axes = v->text == "random";
      if (const Node* v = get(*c, "tolerance")) p.cundall.tolerance = v->si;
      if (p.cundall.smallest > p.cundall.largest)
        report(*c, "detection.cundall.smallest_step", "must not be above largest_step");
    }
    if (const Node* f = map_at(detection, "fast")) {
      if (const Node* v = get(*f, "mode")) p.fast.paper = v->text == "paper";
      if (const Node* v = get(*f, "approximation")) p.fast.approximation = v->text == "on";
      if (const Node* v = get(*f, "tolerance")) p.fast.tolerance = v->si;
      if (const Node* v = get(*f, "pad")) p.fast.pad = v->si;
    }
    if (const Node* l = map_at(detection, "shortest_link")) {
      if (const Node* v = get(*l, "mode")) p.shortest_link.literal = v->text == "literal";
      if (const Node* v = get(*l, "tolerance")) p.shortest_link.tolerance = v->si;
    }
  }

  static std::string told(const Node& n) {
    return n.kind == Node::Kind::map ? "a map" : n.kind == Node::Kind::list ? "a list" : short_text(n.text);
  }

  /// What there is in two dimensions: fewer searches, and one way to measure overlaps.
  void only_planar(const Node& n) {
    const auto only = [&](const char* key, const std::vector<std::string_view>& words, const char* those) {
      const Node* v = n.find(key);
      if (!v || std::find(words.begin(), words.end(), v->text) != words.end()) return;
      const std::string path = std::string("detection.") + key;
      // What the schema has said of it names words of three dimensions.
      std::erase_if(out_, [&](const Diagnostic& d) { return d.key == path; });
      report(*v, path,
             fmt::format("expected {}, {} in two dimensions, got {}", fmt::join(words, ", "), those, told(*v)));
    };
    only("common_plane", {"auto", "separating_axis", "fast", "common_plane"}, "the searches there are");
    only("contact_geometry", {"overlap"}, "the one there is");
    for (const char* key : {"fast", "shortest_link"})
      if (const Node* v = n.find(key)) report(*v, std::string("detection.") + key, "has no use in two dimensions");
    if (const Node* c = map_at(n, "cundall")) {
      if (const Node* v = c->find("axes")) report(*v, "detection.cundall.axes", "has no use in two dimensions");
    }
  }

  void detection(const Node& root) {
    const Node* n = map_at(root, "detection");
    if (!n) return;
    Case::Detection& d = case_->detection;
    if (const Node* v = get(*n, "neighbours")) d.neighbours = search_named(v->text);
    if (const Node* v = get(*n, "memory_order"))
      d.memory_order = v->text == "id" ? Case::MemoryOrder::id : Case::MemoryOrder::spatial;
    if (const Node* v = get(*n, "contact_geometry"))
      d.contact_geometry =
          v->text == "contact_zone" ? Case::ContactGeometry::contact_zone : Case::ContactGeometry::overlap;
    if (const Node* v = get(*n, "points")) {
      d.points = v->text == "paper" ? Case::ZonePoints::paper : Case::ZonePoints::shared;
      if (d.contact_geometry != Case::ContactGeometry::contact_zone)
        report(*v, "detection.points", "has no use without contact_geometry: contact_zone");
    }
    planes(*n, d.common_plane);
    if (case_->dimensions == 2) only_planar(*n);
    if (const Node* v = get(*n, "skin"); v && v->form->kind == Form::Kind::quantity) d.skin = v->si;
    if (const Node* v = get(*n, "deepest_overlap")) d.deepest_overlap = v->si;
  }

  void time_step(const Node& root) {
    const Node* n = get(root, "time_step");
    if (!n) return;
    if (n->form->kind == Form::Kind::quantity) case_->time_step.fixed = n->si;
    if (const Node* f = n->kind == Node::Kind::map ? get(*n, "fraction") : nullptr) case_->time_step.fraction = f->si;
  }

  void output(const Node& root) {
    const Node* n = map_at(root, "output");
    if (!n) return;
    if (const Node* v = get(*n, "every")) case_->output.every = v->si;
    if (const Node* v = get(*n, "checkpoint")) case_->output.checkpoint = v->si;
    if (const Node* v = get(*n, "contacts")) case_->output.contacts = v->text == "true";
  }

  const Units& units_;
  const std::vector<std::string>& files_;
  std::vector<Diagnostic>& out_;
  const Node* root_ = nullptr;
  Case* case_ = nullptr;
  bool whole_ = true;             // no mistake so far
  bool dimensions_known_ = true;  // false: they have a mistake of their own
  bool materials_known_ = false, shapes_listed_ = false;
  std::vector<bool> elastic_;  // by material: young_modulus and poisson_ratio are given
  std::vector<std::string> material_names_, shape_names_;
  std::vector<std::string> bond_names_, cluster_names_;
  std::vector<bond::ParallelBond> bonds_;
  std::vector<LibraryEntry> library_;
  std::map<std::pair<int, int>, std::size_t> laws_;  // the entries by their materials, kAny among them
  std::set<std::size_t> spoiled_;                    // entries for any material that have a mistake, told once
  Standing standing_;
  std::map<std::string, Case::Wall> made_;  ///< the last of each name
  std::map<std::string, int> box_rows_;
  std::set<std::string> group_names_;
  std::vector<std::string> gates_;  // groups that are poured
  std::uint64_t total_ = 0;
};

/// The file's bytes; its troubles in words.
Result<std::string> slurp(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code e;
  const fs::file_status status = fs::status(path, e);
  if (status.type() == fs::file_type::not_found) {
    const fs::path folder = fs::absolute(path, e).parent_path();
    if (!fs::is_directory(folder, e))
      return Error{fmt::format("no such file; the folder {} is not there either", folder.string())};
    std::vector<std::string> near;
    for (auto i = fs::directory_iterator(folder, e); !e && i != fs::directory_iterator() && near.size() < 10000;
         i.increment(e))
      near.push_back(i->path().filename().string());
    return Error{fmt::format("no such file; searched in {}{}", folder.string(),
                             did_you_mean(fs::path(path).filename().string(), near))};
  }
  if (e) return Error{fmt::format("cannot be read: {}", e.message())};
  if (status.type() == fs::file_type::directory) return Error{"is a folder; a case file was expected"};
  if (status.type() != fs::file_type::regular && status.type() != fs::file_type::fifo &&
      status.type() != fs::file_type::character)
    return Error{"is no file that can be read"};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{"cannot be opened; is reading it permitted?"};
  std::string text(kMaxFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return Error{"cannot be read to its end"};
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxFileBytes)
    return Error{fmt::format("larger than {} MiB; a case file is a few kB", kMaxFileBytes >> 20)};
  return text;
}

/// The case with its overrides put in; true: the tree can be checked.
bool load_tree(Result<std::string> text, const std::string& path, const std::vector<std::string>& overrides,
               const std::vector<std::string>& files, Node& root, std::string& source, std::vector<Diagnostic>& out) {
  auto whole_file = [&](std::string message) {
    out.push_back({Diagnostic::Severity::error, path, 0, 0, {}, std::move(message)});
  };
  if (!text) return whole_file(text.error().message), false;
  if (text->empty()) return whole_file("the file is empty"), false;
  if (!normalise_text(*text, path, out) || !parse_yaml(*text, path, root, out)) return false;
  if (root.kind == Node::Kind::nothing) return whole_file("the file is empty"), false;
  source = *text;
  if (overrides.empty()) return true;
  std::string header = "# as read, after:\n";
  for (std::size_t k = 0; k < overrides.size(); ++k) {
    const std::string wrong = apply_override(root, overrides[k], static_cast<int>(k) + 1, files[k + 1], out);
    if (!wrong.empty()) out.push_back({Diagnostic::Severity::error, files[k + 1], 0, 0, {}, wrong});
    std::string line = overrides[k];
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    header += "#   --set " + line + "\n";
  }
  source = header + to_yaml(root);
  return true;
}

/// Place of the key, at the top or in a map below it: "time_step", "periodic.x", "stages[0].cut_above". False: it has
/// none.
bool place_of(const Node& root, const std::string& key, const std::vector<std::string>& files, Diagnostic& d) {
  const Node* map = &root;
  std::string name = key;
  if (const std::size_t dot = key.find('.'); dot != std::string::npos) {
    std::size_t row = 0;
    const std::string first = key.substr(0, std::min(dot, key.find('[')));
    if (key[first.size()] == '[') row = std::strtoull(key.c_str() + first.size() + 1, nullptr, 10);
    map = root.find(first);
    if (map && map->kind == Node::Kind::list) map = row < map->items.size() ? &map->items[row] : nullptr;
    name = key.substr(dot + 1);
  }
  if (!map || map->kind != Node::Kind::map) return false;
  for (std::size_t k = 0; k < map->items.size(); ++k) {
    if (map->keys[k].name != name) continue;
    const Node& n = map->items[k];
    const bool by_key = map->keys[k].line > 0 && n.source == map->source;
    d.file = files[static_cast<std::size_t>(n.source)];
    d.line = by_key ? map->keys[k].line : n.line, d.column = by_key ? map->keys[k].column : n.column;
    return true;
  }
  return false;
}

ReadCase read(Result<std::string> text, const std::string& path, const std::vector<std::string>& overrides) {
  ReadCase r;
  std::vector<std::string> files{path};
  for (const std::string& o : overrides) files.push_back("--set " + o);
  Node root;
  r.value.source_path = path;
  if (load_tree(std::move(text), path, overrides, files, root, r.value.source_text, r.diagnostics)) {
    const Result<Units> units = Units::load();
    if (units) {
      check(root, *units, files, r.diagnostics);
      Reader(*units, files, r.diagnostics).read(root, r.value);
    } else {
      r.diagnostics.push_back({Diagnostic::Severity::error, path, 0, 0, {}, units.error().message});
    }
  }
  for (Diagnostic& d : r.diagnostics)  // YAML's escapes can put control characters into texts
    for (std::string* s : {&d.key, &d.message})
      std::replace_if(
          s->begin(), s->end(), [](char ch) { return (ch >= 0 && ch < 0x20) || ch == 0x7F; }, '?');
  std::stable_sort(r.diagnostics.begin(), r.diagnostics.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    const bool fa = a.file == path, fb = b.file == path;  // the overrides' mistakes follow the file's
    if (fa != fb) return fa;
    return fa ? std::pair(a.line, a.column) < std::pair(b.line, b.column) : false;
  });
  if (r.diagnostics.size() >= kMaxDiagnostics)
    r.diagnostics.push_back({Diagnostic::Severity::error, path, 0, 0, {}, "and more; the first ones are shown"});
  return r;
}

}  // namespace

Diagnostic set_up_mistake(const Case& c, const std::vector<std::string>& overrides, const std::string& message) {
  Diagnostic d{Diagnostic::Severity::error, c.source_path, 0, 0, {}, message};
  std::size_t longest = 0;  // a name may be the beginning of another
  const auto take = [&](const std::vector<Case::Group>& groups) {
    for (const Case::Group& g : groups)
      if (const std::string start = about(g); start.size() > longest && message.starts_with(start))
        longest = start.size(), d.line = g.line, d.column = g.column;
  };
  take(c.particles);
  for (const Case::Stage& stage : c.stages) take(stage.insert);
  const std::size_t end = message.find(": ");
  std::error_code e;
  if (d.line > 0 || end == std::string::npos || !std::filesystem::is_regular_file(c.source_path, e)) return d;
  std::vector<std::string> files{c.source_path};
  for (const std::string& o : overrides) files.push_back("--set " + o);
  Node root;
  std::string source;
  std::vector<Diagnostic> ignored;
  if (load_tree(slurp(c.source_path), c.source_path, overrides, files, root, source, ignored))
    place_of(root, message.substr(0, end), files, d);
  return d;
}

ReadCase read_case(const std::string& path, const std::vector<std::string>& overrides) {
  return read(slurp(path), path, overrides);
}

ReadCase read_case_text(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  return read(text, name, overrides);
}

}  // namespace scree::io
