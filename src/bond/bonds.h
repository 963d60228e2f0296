#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bond/parallel_bond.h"
#include "particles/particles.h"

namespace scree::bond {

/// All bonds, one column per row of bond/fields.def, in ascending order of (cluster, id_a, id_b): forces are gathered
/// in this order, whatever order the particles' rows have.
struct Bonds {
#define FIELD(type, name, unit, role, what) std::vector<type> name;
#include "bond/fields.def"
#undef FIELD

  std::size_t size() const { return id_a.size(); }
  void resize(std::size_t n) { columns::resize(*this, n); }
  void reserve(std::size_t n) { columns::reserve(*this, n); }
  /// Keeps the rows with keep[r] != 0, in order.
  void compact(const std::vector<char>& keep) { columns::compact(*this, keep); }
  std::size_t bytes() const { return columns::bytes(*this); }

  /// f(name, unit, role, column) for every column, in the order of bond/fields.def.
  template <class F>
  void for_each_column(F&& f) {
    with_columns(f, *this);
  }
  template <class F>
  void for_each_column(F&& f) const {
    with_columns(f, *this);
  }
  /// f(name, unit, role, column...) of each of the tables.
  template <class F, class... Tables>
  static void with_columns(F&& f, Tables&... t) {
#define FIELD(type, name, unit, role, what) \
  f(std::string_view(#name), std::string_view(unit), FieldRole::role, t.name...);
#include "bond/fields.def"
#undef FIELD
  }
};

/// Which bonds a particle has: entries [start[i], start[i + 1]) of particle row i, bonds in ascending order. Broken
/// bonds stay listed until the rows are cleaned up.
struct Adjacency {
  std::vector<std::uint32_t> start;  ///< rows + 1
  std::vector<std::uint32_t> entry;  ///< 2 bond + (the particle is b)

  /// From bonds.row_a and row_b.
  void build(const Bonds& bonds, std::size_t rows);
  std::size_t bytes() const { return (start.capacity() + entry.capacity()) * sizeof(std::uint32_t); }
};

/// Appends a bond between the spheres of rows `i` and `j` as they lie now, without force. `scatter_seed` gives the
/// Weibull factor together with the two ids.
void add_bond(Bonds& bonds, const Particles& p, std::size_t i, std::size_t j, const ParallelBond& law,
              std::uint32_t cluster, std::uint64_t scatter_seed);

/// row_a and row_b from the ids; bonds of particles that are no more are dropped. Needs no order of the rows.
void find_rows(Bonds& bonds, const Particles& p);

/// Force, torques, stresses and energy of every bond from the particles' poses and velocities. Each bond writes its own
/// row: the same bits for any number of threads. Dashpots get the velocities of dt/2 (s) from now, foreseen from the
/// forces and torques that the columns still hold.
void compute_forces(Bonds& bonds, const Particles& p, double dt = 0);

/// Adds the bonds' forces (N) and torques (N m) to those of the particles, per particle in the order of the bonds.
void add_forces(const Bonds& bonds, const Adjacency& adjacency, Particles& p);

/// Stiffness of all bonds of a sphere, against pushing (N/m) and turning (N m).
struct Weight {
  double push = 0, turn = 0;
};
/// Per row, in the order of the bonds.
std::vector<Weight> weights(const Bonds& bonds, const Adjacency& adjacency);

/// Largest step (s) at which the bonds alone are stable under the leapfrog: no more than 2/omega_max. The bound shares
/// a sphere's mass out among its bonds, by their weights, and takes the fastest bond (Irons & Treharne 1971: an
/// assembly is no faster than its fastest element). Infinite without bonds.
double critical_time_step(const Bonds& bonds, const std::vector<Weight>& weights, const Particles& p);

/// How a bond came to its end: the larger term of the criterion that was met.
enum class Mode : std::uint8_t { tension, bending, shear, torsion };
std::string_view name(Mode mode);

struct Event {
  double time = 0;  ///< s
  std::uint32_t id_a = 0, id_b = 0, cluster = 0;
  Mode mode = Mode::tension;
  double stress = 0, strength = 0;  ///< Pa, of the criterion that was met
  Vec3 place;                       ///< m, middle of the bond
};

/// Finds the bonds whose stress has reached their strength, in the order of the rows; updates `damage`. Marks nothing.
void find_broken(Bonds& bonds, std::vector<std::uint32_t>& rows);
/// The event of a bond that find_broken named.
Event event_of(const Bonds& bonds, const Particles& p, std::uint32_t row, double time);

}  // namespace scree::bond
