#include "contact/jkr.h"

#include "contact/jkr-inl.h"

namespace scree::contact {

namespace {
HWY_NAMESPACE::JkrOf<double> text_of(const Jkr& j) { return {j.young, j.work, j.radius}; }
}  // namespace

double Jkr::least_radius() const { return text_of(*this).least_radius; }
double Jkr::parting_depth() const { return -3 * (least_radius() * least_radius() / radius); }
double Jkr::pull_off() const { return text_of(*this).PullOff(); }
double Jkr::contact_radius(double depth) const {
  return text_of(*this).ContactRadius(text_of(*this).Coordinate(depth));
}
double Jkr::force(double depth) const { return text_of(*this).Force(text_of(*this).Coordinate(depth)); }
double Jkr::energy(double depth) const { return text_of(*this).Energy(text_of(*this).Coordinate(depth)); }

}  // namespace scree::contact
