#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/vec.h"

namespace scree::boundary {

/// Prescribed rigid motion of a wall, as a function of the time since it began; the parts add up. All rotation is about
/// one axis, which moves along with the translation.
struct Motion {
  /// x(t) = amplitude (sin(2 pi f t + phase) - sin(phase)): it begins without a jump.
  struct Oscillation {
    Vec3 amplitude;        ///< m
    double frequency = 0;  ///< 1/s
    double phase = 0;      ///< rad
  };
  struct Rotation {
    Vec3 axis;                   ///< unit
    Vec3 through;                ///< m, a point of the axis when the motion begins
    double rate = 0;             ///< rad/s
    double swing = 0;            ///< rad, amplitude of an oscillation that is added
    double swing_frequency = 0;  ///< 1/s
  };
  /// Straight lines between rows; at rest before the first and after the last.
  struct Row {
    double time;   ///< s
    Vec3 shift;    ///< m, relative to the first row's
    double angle;  ///< rad, about the axis of the rotation
  };

  /// A translation along one direction that the grains have a say in.
  struct Drive {
    enum class Kind {
      free,   ///< a mass under a force, its weight and the grains
      servo,  ///< without inertia: as fast as it takes to keep the force up, within a limit
    };
    Kind kind = Kind::free;
    Vec3 along;               ///< unit; zero: the plane's normal, towards the grains
    double force = 0;         ///< N, along it
    double stress = 0;        ///< Pa, beside it
    double area = 0;          ///< m^2, that the stress acts on; 0: of the side of the box, as it stands
    double mass = 0;          ///< kg, free
    double damping = 0;       ///< kg/s, free
    double max_velocity = 0;  ///< m/s, servo
  };

  Vec3 velocity;  ///< m/s
  std::optional<Drive> drive;
  std::optional<Oscillation> oscillation;
  std::optional<Rotation> rotation;
  std::vector<Row> table;
  Vec3 surface_velocity;  ///< m/s, of a belt: of the surface, while the wall stands

  /// Nothing but a constant velocity.
  bool is_plain() const;
  /// Translation from t to t + dt (m).
  Vec3 shift(double t, double dt) const;
  /// Rotation from t to t + dt (rad).
  double turn(double t, double dt) const;
  Vec3 velocity_at(double t) const;  ///< m/s, of the axis or of any point where nothing turns
  double rate_at(double t) const;    ///< rad/s
};

}  // namespace scree::boundary
