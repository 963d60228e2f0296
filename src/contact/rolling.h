#pragma once
#include <cstdint>

#include "contact/contact.h"

namespace scree::contact {

/// Resistance to rolling and twisting, beside any law; docs/laws/rolling.md. Spring, Coulomb-like limit and dashpot for
/// the moment, the springs' part being Memory::rolling: its part along the normal is the twist. Text: rolling-inl.h.
struct Rolling {
  enum class Model : std::uint64_t {
    none,
    constant,  ///< the limit itself while the pair rolls; k_r = k_n R*^2, stiff enough to stand for the sign function
    spring,    ///< elastic-plastic spring-dashpot (Ai et al. 2011, model C): k_r = 2.25 k_n (mu_r R*)^2
  };
  Model model = Model::none;
  double friction = 0;  ///< mu_r: limit of the rolling moment over R* times the pressing force
  double twisting = 0;  ///< mu_t: the same about the normal; spring k_t R*^2, of a law without a shear spring k_n R*^2
  double damping_ratio = 0;  ///< of critical, below the limit; none at it

  bool acts() const { return model != Model::none; }
  /// k_r: N m.
  double stiffness(double kn, double radius) const {
    return model == Model::constant ? kn * radius * radius : 2.25 * kn * friction * friction * radius * radius;
  }
  /// `kn`, `kt`: stiffness of the law at this contact; `last_normal`: that the memory belongs to.
  void operator()(const Geometry& g, const Motion& m, double kn, double kt, Vec3 last_normal, Memory& memory,
                  Wrench& w) const;
};

/// Constant attraction while two bodies touch, beside any law: 2 pi w R* (after Derjaguin, Muller & Toporov 1975).
/// Friction still feels the law's pressing force. docs/laws/cohesion.md.
struct Pull {
  double work_of_adhesion = 0;  ///< J/m^2, w

  double force(double radius) const { return 2 * kPi * work_of_adhesion * radius; }
  void operator()(const Geometry& g, Wrench& w) const;
};

/// What acts beside the law of a pair of materials.
struct Beside {
  Rolling rolling;
  Pull pull;
  bool acts() const { return rolling.acts() || pull.work_of_adhesion > 0; }
};

}  // namespace scree::contact
