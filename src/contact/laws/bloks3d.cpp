#include "contact/laws/bloks3d.h"

#include "contact/laws/bloks3d-inl.h"

namespace scree::contact {

double Bloks3d::elastic_normal_force(const Geometry& g) const {
  return HWY_NAMESPACE::ElasticNormalForce(*this, g.depth);
}

double Bloks3d::normal_energy(const Geometry& g) const { return HWY_NAMESPACE::NormalEnergy(*this, g.energy_depth); }

Wrench Bloks3d::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  return HWY_NAMESPACE::ApplyBloks3d<Wrench>(*this, g, m, memory);
}

}  // namespace scree::contact
