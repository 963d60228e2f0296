#include "boundary/drive.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace scree::boundary {

namespace {

struct Place {
  std::string_view box;
  std::uint8_t side;
};

/// "bed.x_max": of bed, 1.
std::optional<Place> place_of(const Wall& w) {
  constexpr std::string_view kSides[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
  const std::string_view name = w.name;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || w.mesh) return {};
  for (std::uint8_t side = 0; side < 6; ++side)
    if (name.substr(dot + 1) == kSides[side]) return Place{name.substr(0, dot), side};
  return {};
}

const Wall* side_of_box(const std::vector<Wall>& walls, std::uint32_t box, std::size_t side) {
  for (const Wall& w : walls)
    if (w.box == box && w.side == side) return &w;
  return nullptr;
}

/// Speed (m/s) after dt (s).
double speed_after(const Wall& w, double net, double dt) {
  // A servo takes away these shares of what is missing a step, in the contacts alone: the grains behind them are
  // softer. Dashpots answer to its speed at once, whatever the step: left out of account, they throw it to and fro.
  constexpr double kOfSprings = 0.1, kOfDashpots = 0.25;
  const Motion::Drive& d = *w.motion.drive;
  if (d.kind == Motion::Drive::Kind::free) {
    if (d.damping == 0) return w.driven + dt / d.mass * net;
    return w.driven + (w.driven - net / d.damping) * std::expm1(-d.damping / d.mass * dt);
  }
  const double resistance = w.stiffness * dt / kOfSprings + w.dashpot / kOfDashpots;
  const double wanted = resistance > 0 ? net / resistance : std::copysign(d.max_velocity, net);
  return net == 0 ? 0 : std::clamp(wanted, -d.max_velocity, d.max_velocity);
}

}  // namespace

void number_sides(std::vector<Wall>& walls) {
  for (Wall& w : walls) {
    w.box = 0, w.side = 0;
    const std::optional<Place> place = place_of(w);
    if (!place) continue;
    const auto is_beside = [&](const Wall& o) {
      const std::optional<Place> other = place_of(o);
      return other && other->box == place->box;
    };
    w.box = 1 + std::find_if(walls.begin(), walls.end(), is_beside)->id, w.side = place->side;
  }
}

double area_of_side(const std::vector<Wall>& walls, const Wall& w, const Space& space) {
  if (w.box == 0) return 0;
  double area = 1;
  for (std::size_t k = 0; k < (space.dimensions == 2 ? 2 : 3); ++k) {
    if (w.side / 2 == k) continue;
    if (space.domain.periodic[k]) {
      area *= space.domain.period(k);
      continue;
    }
    const Wall *low = side_of_box(walls, w.box, 2 * k), *high = side_of_box(walls, w.box, 2 * k + 1);
    if (low == nullptr || high == nullptr) return 0;
    area *= std::max(0.0, high->point[k] - low->point[k]);
  }
  return space.dimensions == 2 ? area * space.thickness : area;
}

double force_asked(const std::vector<Wall>& walls, const Wall& w, const Space& space) {
  const Motion::Drive& d = *w.motion.drive;
  return d.force + (d.stress == 0 ? 0 : d.stress * (d.area > 0 ? d.area : area_of_side(walls, w, space)));
}

void kick(Wall& w, double net, double dt) {
  const bool is_free = w.motion.drive->kind == Motion::Drive::Kind::free;
  const double before = w.driven;
  w.driven = speed_after(w, net, dt);
  w.acceleration = is_free ? ((w.driven - before) / dt) * w.drive_direction() : Vec3{};
}

void note_missed(Wall& w, double net, double steps) {
  const double share = 1 / std::min(steps + 1, kServoMemory);
  w.missed += share * (net - w.missed);
  w.missed_squared += share * (net * net - w.missed_squared);
}

double swing(const Wall& w) { return std::sqrt(std::max(0.0, w.missed_squared - w.missed * w.missed)); }

}  // namespace scree::boundary
