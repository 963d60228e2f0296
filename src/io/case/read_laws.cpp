// Contact laws: one function for all of them, by their own lists (contact/law.h).
#include "io/case/read_laws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/case/given.h"
#include "io/case/law_words.h"
#include "io/case/schema.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

/// Whether `law` itself could be read.
bool has_law(const Node& n) { return get(n, "law") != nullptr; }

/// A key of a law, also one that stands in a map.
const Node* find_key(const Node& n, std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return n.find(key);
  const Node* map = map_at(n, key.substr(0, dot));
  return map ? map->find(key.substr(dot + 1)) : nullptr;
}

/// In N/m^b, b from the sibling `exponent`.
Result<double> power_stiffness(const Node& n, const Node& v, const Units& units) {
  const Node* exponent = get(n, "exponent");
  return exponent ? units.power_stiffness_to_si(v.text, exponent->si) : 0.0;
}

/// In the order of the law's list.
template <class L>
void take_parameters(const Node& n, const Units& units, L& law) {
  using contact::Unit;
  for (const contact::Parameter<L>& p : L::parameters()) {
    const Node* v = find_key(n, p.key);
    if (p.unit == Unit::map && v && v->kind == Node::Kind::map) p.apply(law, 0);
    if (!v || !v->valid || p.unit == Unit::map) continue;
    if (p.unit == Unit::word) {
      const auto word = std::find(p.words.begin(), p.words.end(), v->text);
      p.apply(law, static_cast<double>(word - p.words.begin()));
    } else if (p.unit == Unit::power_stiffness) {
      if (const Result<double> k = power_stiffness(n, *v, units)) p.apply(law, *k);
    } else {
      p.apply(law, v->si);
    }
  }
}

void check_power_stiffness(const Node& n, const Node& v, const std::string& path, Reading& in) {
  const Node* exponent = get(n, "exponent");
  if (!exponent) return;
  const Result<double> k = power_stiffness(n, v, in.units);
  const std::string wild = k && exponent->valid
                               ? untamed(*k * std::pow(1e-3, exponent->si - 1), v.text, " at an overlap of 1 mm")
                               : std::string();
  if (k && *k >= 0 && wild.empty()) return;
  in.report(
      v, path,
      fmt::format("expected a stiffness from 0 up in N/m^{:.6g} (exponent {:.6g}), got {}", exponent->si, exponent->si,
                  !k             ? k.error().message
                  : wild.empty() ? short_text(v.text)
                                 : wild));
}

/// What the table, which knows all laws together, does not see.
template <class L>
void check_parameters(const Node& n, const std::string& path, bool has_restitution, Reading& in) {
  using contact::Unit;
  for (const contact::Parameter<L>& p : L::parameters()) {
    const Node* v = find_key(n, p.key);
    const std::string key = path + "." + std::string(p.key);
    if (v && v->valid && p.unit == Unit::power_stiffness) {
      check_power_stiffness(n, *v, key, in);
    } else if (v && v->valid && p.unit == Unit::one && !p.bounds.holds(v->si)) {
      in.report(*v, key,
                fmt::format("expected a number from {:.6g} to {:.6g}, got {}", p.bounds.low, p.bounds.high, v->text));
    } else if (v && v->valid && p.unit == Unit::stiffness && !p.bounds.holds(v->si)) {
      in.report(*v, key, fmt::format("law: {} expects a stiffness above 0, got {}", L::kName, short_text(v->text)));
    }
    if (const Node* other = p.needs.empty() || v ? nullptr : n.find(p.needs))
      in.report(*other, path + "." + std::string(p.needs), fmt::format("has no use without {}", p.key));
    if (p.instead_of.empty() || p.fallback == contact::kOneOf) continue;
    const Node* other = n.find(p.instead_of);
    if (v && other) in.report(*v, key, fmt::format("expected only one of {}, {}", p.instead_of, p.key));
    if (!v && !other && p.instead_of == "restitution" && !has_restitution && has_law(n))
      in.report(n, path + ".restitution",
                "missing; expected restitution or damping_ratio (restitution: 1 does not damp)");
  }
}

bool check_elastic(const Node& n, const std::string& path, std::size_t a, std::size_t b, Reading& in) {
  bool elastic = true;
  for (const std::size_t m : a == b ? std::vector{a} : std::vector{a, b}) {
    if (in.elastic[m]) continue;
    const Node& law = *n.find("law");
    in.report(law, path + ".law",
              fmt::format("{} needs young_modulus and poisson_ratio of both materials; add them to materials.{}",
                          law.text, in.material_names[m]));
    elastic = false;
  }
  return elastic && in.c.materials[a].young_modulus > 0 && in.c.materials[b].young_modulus > 0;
}

contact::ElasticMaterial elastic_material(const Case::Material& m) {
  return {m.young_modulus, m.poisson_ratio, m.restitution};
}

/// Where every parameter that is given can be read: what is wrong with them together.
template <class L>
void check_together(const Node& n, const std::string& path, const L& law, Reading& in) {
  for (const contact::Parameter<L>& p : L::parameters()) {
    const Node* v = find_key(n, p.key);
    const bool must = p.fallback == contact::kRequired && p.key.find('.') == std::string_view::npos;
    if (v ? !v->valid : must) return;
    if (v && p.unit == contact::Unit::power_stiffness && !(get(n, "exponent") && power_stiffness(n, *v, in.units)))
      return;
  }
  if (const std::string_view fault = law.fault(); !fault.empty()) in.report(n, path, std::string(fault));
}

template <class L>
L law_of(const Node& n, const std::string& path, Reading& in, const Case::Contact& c) {
  L law;
  take_parameters(n, in.units, law);
  bool has_restitution = false;
  if constexpr (contact::ElasticLaw<L>) {
    const auto a = static_cast<std::size_t>(c.material_a), b = static_cast<std::size_t>(c.material_b);
    if (!check_elastic(n, path, a, b, in)) return law;
    const contact::ElasticMaterial ma = elastic_material(in.c.materials[a]), mb = elastic_material(in.c.materials[b]);
    has_restitution = ma.restitution > 0 && mb.restitution > 0;
    law.set_materials(ma, mb);
    take_parameters(n, in.units, law);  // what is given goes before what the materials say
  }
  check_parameters<L>(n, path, has_restitution, in);
  if constexpr (contact::CheckedLaw<L>) check_together(n, path, law, in);
  return law;
}

contact::Rolling rolling(const Node& map, const std::string& path, Reading& in) {
  given::Rolling r;
  in.take(map, path, r);
  if (const Node* v = map.find("twisting"); v && in.c.dimensions == 2)
    in.report(*v, path + ".twisting", "has no use in two dimensions, where nothing turns about a normal");
  return {r.model, r.friction, r.twisting, r.damping_ratio};
}

/// The pull beside the law, or adhesion within it. False: that law has none.
bool adhesion(const Node& n, const std::string& path, Reading& in, Case::Contact& c) {
  const Node* map = map_at(n, "cohesion");
  const auto given = map ? in.taken<given::Cohesion>(*map, path + ".cohesion") : std::nullopt;
  if (!given) return true;
  if (!given->is_jkr) return c.beside.pull.work_of_adhesion = given->work_of_adhesion, true;
  const std::string_view word = map->find("model")->text;
  const bool taken = std::visit(
      [&]<class L>(L& law) {
        if constexpr (contact::AdhesiveLaw<L>) {
          if (L::kTraits.adhesion == word) return law.work_of_adhesion = given->work_of_adhesion, true;
        }
        return false;
      },
      c.law);
  if (taken) return true;
  std::vector<std::string_view> takers;
  Laws::for_each([&]<class L>() {
    if (L::kTraits.adhesion == word) takers.push_back(L::kName);
  });
  in.report(*map->find("model"), path + ".cohesion.model",
            fmt::format("{} follows from the elasticity of the spheres: it needs law: {} (dmt stands beside any law)",
                        word, fmt::join(takers, ", ")));
  return false;
}

}  // namespace

double read_friction_angle(const Node& map, const std::string& path, Reading& in) {
  given::Friction f;
  in.take(map, path, f);
  return f.angle ? *f.angle : f.coefficient ? std::atan(*f.coefficient) : 0;
}

bool read_law(const Node& n, const std::string& path, Reading& in, Case::Contact& c) {
  const Node* word = get(n, "law");
  bool is_first = true;  // what a law that is missing or wrong is read as
  Laws::for_each([&]<class L>() {
    if (word ? word->text == L::kName : is_first) c.law = law_of<L>(n, path, in, c);
    is_first = false;
  });
  if (const Node* r = map_at(n, "rolling")) c.beside.rolling = rolling(*r, path + ".rolling", in);
  return adhesion(n, path, in, c);
}

}  // namespace scree::io
