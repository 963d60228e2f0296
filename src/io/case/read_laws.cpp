// Contact laws: one function per law; which keys each takes, the table says
// (keys_contacts.cpp).
#include "io/case/read_laws.h"

#include <fmt/format.h>

#include <cmath>

#include "io/case/given.h"
#include "io/case/law_words.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

/// The share of critical damping, given or from the restitution; `mixed`: of
/// the materials, 0: they have none.
double damping_ratio(const Node& n, const std::string& path, double mixed, contact::Tension tension, Reading& in) {
  const Node *e = n.find("restitution"), *ratio = n.find("damping_ratio");
  given::Damping damping;
  in.take(n, path, damping);
  if (e && ratio) {
    in.report(*ratio, path + ".damping_ratio", "expected only one of restitution, damping_ratio");
  } else if (ratio) {
    return damping.ratio.value_or(0);
  } else if (e || mixed > 0) {
    return contact::damping_ratio_for(e ? damping.restitution.value_or(1) : mixed, tension);
  } else if (get(n, "law")) {
    in.report(n, path + ".restitution",
              "missing; expected restitution or damping_ratio (restitution: 1 "
              "does not damp)");
  }
  return 0;
}

void read(const Node& n, const std::string& path, Reading& in, const Case::Contact&, contact::Linear& law) {
  given::LinearShear shear;
  in.take(n, path, shear);
  law.kt = shear.kt_over_kn * law.kn;
  if (const Node* ratio = get(n, "kt_over_kn"); ratio && n.find("kt")) {
    in.report(*ratio, path + ".kt_over_kn", "expected only one of kt, kt_over_kn");
  } else if (shear.kt) {
    law.kt = *shear.kt;
  }
  law.damping_ratio = damping_ratio(n, path, 0, law.tension, in);
}

void read(const Node& n, const std::string& path, Reading& in, const Case::Contact& c, contact::HertzMindlin& law) {
  const auto a = static_cast<std::size_t>(c.material_a), b = static_cast<std::size_t>(c.material_b);
  bool elastic = true;
  for (const std::size_t m : a == b ? std::vector{a} : std::vector{a, b}) {
    if (in.elastic[m]) continue;
    in.report(*n.find("law"), path + ".law",
              fmt::format("hertz_mindlin needs young_modulus and poisson_ratio "
                          "of both materials; add them to "
                          "materials.{}",
                          in.material_names[m]));
    elastic = false;
  }
  const Case::Material &ma = in.c.materials[a], &mb = in.c.materials[b];
  if (!elastic || !(ma.young_modulus > 0) || !(mb.young_modulus > 0)) return;
  const contact::ElasticPair pair =
      contact::elastic_pair(ma.young_modulus, ma.poisson_ratio, mb.young_modulus, mb.poisson_ratio);
  law.young = pair.young, law.shear = pair.shear;
  const bool given = ma.restitution > 0 && mb.restitution > 0;
  const double mixed = given ? contact::mixed_restitution(ma.young_modulus, ma.poisson_ratio, ma.restitution,
                                                          mb.young_modulus, mb.poisson_ratio, mb.restitution)
                             : 0;
  law.damping_ratio = damping_ratio(n, path, mixed, law.tension, in);
}

void read(const Node& n, const std::string& path, Reading& in, const Case::Contact&, contact::EnergyPolyhedral& law) {
  if (law.exponent > 4)
    in.report(*n.find("exponent"), path + ".exponent",
              fmt::format("expected a number from 1 to 4, got {}", n.find("exponent")->text));
}

void read(const Node& n, const std::string& path, Reading& in, const Case::Contact&, contact::Bloks3d& law) {
  if (const Node* v = get(n, "knn"); v && get(n, "exponent")) {
    const Result<double> si = in.units.power_stiffness_to_si(v->text, law.exponent);
    if (si && *si >= 0) {
      law.knn = *si;
    } else {
      in.report(*v, path + ".knn",
                fmt::format("expected a stiffness from 0 up in N/m^{:.6g} "
                            "(exponent {:.6g}), got {}",
                            law.exponent, law.exponent, si ? short_text(v->text) : si.error().message));
    }
  }
  if (const Node* d = map_at(n, "damping")) {
    given::Bloks3dDamping damping;
    in.take(*d, path + ".damping", damping);
    law.damping_ratio = damping.ratio, law.damping_sliding = damping.sliding, law.damping_sticking = damping.sticking;
  }
}

/// The law whose word stands at `at`, with its own keys and then what hangs on
/// several of them.
template <std::size_t I = 0>
Law law_of(std::size_t at, const Node& n, const std::string& path, Reading& in, const Case::Contact& c) {
  if constexpr (I + 1 < std::variant_size_v<Law>)
    if (I != at) return law_of<I + 1>(at, n, path, in, c);
  std::variant_alternative_t<I, Law> law;
  in.take(n, path, law);
  law.friction_angle = read_friction_angle(n, path, in);
  read(n, path, in, c, law);
  return law;
}

contact::Rolling rolling(const Node& map, const std::string& path, Reading& in) {
  given::Rolling r;
  in.take(map, path, r);
  return {r.model, r.friction, r.twisting, r.damping_ratio};
}

/// The pull beside the law, or adhesion within it. False: that law has none.
bool adhesion(const Node& n, const std::string& path, Reading& in, Case::Contact& c) {
  const Node* map = map_at(n, "cohesion");
  const auto given = map ? in.taken<given::Cohesion>(*map, path + ".cohesion") : std::nullopt;
  if (!given) return true;
  if (!given->is_jkr) return c.beside.pull.work_of_adhesion = given->work_of_adhesion, true;
  if (auto* hertz = std::get_if<contact::HertzMindlin>(&c.law))
    return hertz->work_of_adhesion = given->work_of_adhesion, true;
  in.report(*map->find("model"), path + ".cohesion.model",
            "jkr follows from the elasticity of the spheres: it needs law: "
            "hertz_mindlin (dmt stands beside any law)");
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
  std::size_t at = 0;
  for (std::size_t k = 0; word && k < std::size(kLawWords); ++k)
    if (word->text == kLawWords[k]) at = k;
  c.law = law_of(at, n, path, in, c);
  if (const Node* r = map_at(n, "rolling")) c.beside.rolling = rolling(*r, path + ".rolling", in);
  return adhesion(n, path, in, c);
}

}  // namespace scree::io
