#include "boundary/motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree::boundary {

namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

struct Reading {
  Vec3 shift, velocity;
  double angle, rate;
};

Reading read(const std::vector<Motion::Row>& table, double t) {
  const auto after =
      std::upper_bound(table.begin(), table.end(), t, [](double v, const Motion::Row& r) { return v < r.time; });
  if (after == table.begin()) return {table.front().shift, {}, table.front().angle, 0};
  const Motion::Row& a = *(after - 1);
  if (after == table.end()) return {a.shift, {}, a.angle, 0};
  const double whole = after->time - a.time, share = (t - a.time) / whole;
  const Vec3 way = after->shift - a.shift;
  const double turn = after->angle - a.angle;
  return {a.shift + share * way, way / whole, a.angle + share * turn, turn / whole};
}

}  // namespace

bool Motion::is_plain() const {
  return !drive && !oscillation && !rotation && table.empty() && surface_velocity == Vec3{};
}

Vec3 Motion::shift(double t, double dt) const {
  Vec3 d = dt * velocity;
  if (oscillation) {
    const double w = kTwoPi * oscillation->frequency;
    d += (std::sin(w * (t + dt) + oscillation->phase) - std::sin(w * t + oscillation->phase)) * oscillation->amplitude;
  }
  if (!table.empty()) d += read(table, t + dt).shift - read(table, t).shift;
  return d;
}

double Motion::turn(double t, double dt) const {
  if (!rotation) return 0;
  double a = dt * rotation->rate;
  if (rotation->swing != 0) {
    const double w = kTwoPi * rotation->swing_frequency;
    a += rotation->swing * (std::sin(w * (t + dt)) - std::sin(w * t));
  }
  if (!table.empty()) a += read(table, t + dt).angle - read(table, t).angle;
  return a;
}

Vec3 Motion::velocity_at(double t) const {
  Vec3 v = velocity;
  if (oscillation) {
    const double w = kTwoPi * oscillation->frequency;
    v += (w * std::cos(w * t + oscillation->phase)) * oscillation->amplitude;
  }
  if (!table.empty()) v += read(table, t).velocity;
  return v;
}

double Motion::rate_at(double t) const {
  if (!rotation) return 0;
  double r = rotation->rate;
  if (rotation->swing != 0) {
    const double w = kTwoPi * rotation->swing_frequency;
    r += rotation->swing * w * std::cos(w * t);
  }
  if (!table.empty()) r += read(table, t).rate;
  return r;
}

}  // namespace scree::boundary
