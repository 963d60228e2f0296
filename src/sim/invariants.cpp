#include "sim/invariants.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "sim/scratch.h"

namespace scree {

namespace {

constexpr double kUnit = 1e-9;   // of a squared length 1
constexpr double kSum = 1e-10;   // of the sum of the magnitudes
constexpr double kWild = 1e100;  // SI: beyond it squares and products overflow

const char* name_of(Phase phase) {
  switch (phase) {
    case Phase::drift:
      return "the drift";
    case Phase::walls:
      return "the walls' motion";
    case Phase::pairs:
      return "the search for pairs";
    case Phase::contacts:
      return "the search for contacts";
    case Phase::forces:
      return "the forces";
    case Phase::sums:
      return "the sums of the forces";
    case Phase::end:
      return "the end of the step";
  }
  return "";
}

bool is_tame(double x) { return std::abs(x) < kWild; }
bool is_tame(Vec3 v) { return is_tame(v.x) && is_tame(v.y) && is_tame(v.z); }
/// Whether a number, or one of several, is none.
template <class T>
bool is_nan(const T& value) {
  if constexpr (std::is_same_v<T, double>) return std::isnan(value);
  if constexpr (std::is_same_v<T, Vec3>) return std::isnan(value.x) || std::isnan(value.y) || std::isnan(value.z);
  if constexpr (std::is_same_v<T, Quat>) return std::isnan(norm2(value));
  return false;
}
bool is_unit(double squared) { return std::abs(squared - 1) <= kUnit; }

/// One kind of pair with its contacts.
struct Tables {
  const char* pair;
  const char* contact;
  const PairTable& pairs;
  const ContactTable& contacts;
  bool walls;
};

class Look {
 public:
  Look(const Simulation& s, Phase phase) : s_(s), p_(s.particles), phase_(phase) {}

  std::string operator()() {
    const Tables bodies{"pair", "contact", s_.pairs, s_.contacts, false};
    const Tables walls{"wall pair", "wall contact", s_.wall_pairs, s_.wall_contacts, true};
    const bool tame = columns() && runs_tame();
    if (!found_.empty()) return found_;
    if (phase_ == Phase::walls || phase_ == Phase::end) wall_frames();
    if (phase_ >= Phase::pairs) {
      for (const Tables& t : {bodies, walls}) {
        if (pairs(t)) rows(t);
      }
      bond_order();
      bond_rows();
    }
    if (tame && phase_ == Phase::drift) orientations();
    if (tame && phase_ >= Phase::contacts) normals(walls);
    const bool points_to_come =
        phase_ == Phase::contacts && s_.scratch.get() != nullptr && s_.scratch.get()->points_with_forces;
    if (tame && phase_ >= Phase::contacts && !points_to_come) normals(bodies);
    if (tame && phase_ >= Phase::forces) numbers(bodies), numbers(walls);
    if (tame && phase_ == Phase::sums) sums();
    if (tame && phase_ == Phase::end) numbers_of_particles(), orientations();
    return found_;
  }

 private:
  bool say(const std::string& what) {
    if (found_.empty())
      found_ = "after " + std::string(name_of(phase_)) + " of step " + std::to_string(s_.step) + ": " + what;
    return false;
  }
  std::string particle(std::size_t i) const {
    return "particle row " + std::to_string(i) + " (id " + std::to_string(p_.id[i]) + ")";
  }
  std::string pair(const Tables& t, std::size_t k) const {
    return std::string(t.pair) + " row " + std::to_string(k) + " (" + std::to_string(t.pairs.a[k]) + ", " +
           std::to_string(t.pairs.b[k]) + ")";
  }
  std::string contact(const Tables& t, std::size_t r) const {
    return std::string(t.contact) + " row " + std::to_string(r) + " of " + pair(t, t.contacts.pair[r]);
  }

  /// All columns of a table are equally long.
  template <class Table>
  bool is_even(const Table& t, std::size_t n, const char* what) {
    Table::with_columns(
        [&](std::string_view name, auto, auto, const auto& column) {
          if (column.size() != n) say(std::string(what) + ": the column " + std::string(name) + " has other rows");
        },
        t);
    return found_.empty();
  }
  bool columns() {
    return is_even(p_, p_.size_rows(), "particles") && is_even(s_.pairs, s_.pairs.size(), "pairs") &&
           is_even(s_.wall_pairs, s_.wall_pairs.size(), "wall pairs") &&
           is_even(s_.contacts, s_.contacts.size(), "contacts") &&
           is_even(s_.wall_contacts, s_.wall_contacts.size(), "wall contacts");
  }
  bool runs_tame() const {
    for (std::size_t i = 0; i < p_.size_rows(); ++i) {
      if (!is_tame(p_.position[i]) || !is_tame(p_.velocity[i]) || !is_tame(p_.angular_momentum[i]) ||
          !is_tame(p_.force[i]) || !is_tame(p_.torque[i]))
        return false;
    }
    return true;
  }

  void orientations() {
    for (std::size_t i = 0; i < p_.size_rows(); ++i)
      if (!is_unit(norm2(p_.orientation[i]))) say(particle(i) + ": the orientation is no unit quaternion");
  }
  void wall_frames() {
    for (std::size_t w = 0; w < s_.walls.size(); ++w) {
      const Wall& wall = s_.walls[w];
      const bool ok = wall.mesh ? is_unit(norm2(wall.orientation)) : is_unit(norm2(wall.normal));
      if (!ok) say("wall row " + std::to_string(w) + " ('" + wall.name + "'): its frame is not of unit length");
    }
  }

  /// A body's pairs, and a wall's: in range, sorted, each once.
  bool pairs(const Tables& t) {
    const std::size_t others = t.walls ? s_.walls.size() : p_.size_rows();
    const auto key = [&](std::uint32_t b) { return t.walls ? b : p_.id[b]; };
    for (std::size_t k = 0; k < t.pairs.size(); ++k) {
      const std::uint32_t a = t.pairs.a[k], b = t.pairs.b[k];
      if (a >= p_.size_rows() || b >= others) return say(pair(t, k) + ": there is no such row");
      if (!t.walls && p_.id[a] >= p_.id[b]) return say(pair(t, k) + ": A has not the lower id");
      if (k == 0) continue;
      const std::uint32_t before = t.pairs.a[k - 1];
      if (a < before || (a == before && key(b) < key(t.pairs.b[k - 1])))
        return say(pair(t, k) + ": not in the order of (row of A, id of B)");
      if (a == before && b == t.pairs.b[k - 1]) return say(pair(t, k) + ": there twice");
    }
    return true;
  }

  /// Each pair's contacts follow each other and know it; once they have been found, so do the pairs' rows.
  bool rows(const Tables& t) {
    std::size_t next = 0;
    for (std::size_t k = 0; k < t.pairs.size(); ++k) {
      const std::size_t first = t.pairs.first[k], count = t.pairs.count[k];
      if (count > 0 && first + count > t.contacts.size())
        return say(pair(t, k) + ": its contacts are beyond the table");
      for (std::size_t r = first; r < first + count; ++r)
        if (t.contacts.pair[r] != k) return say(pair(t, k) + ": contact row " + std::to_string(r) + " is not its own");
      if (phase_ == Phase::pairs) continue;
      if (count > 0 && first != next) return say(pair(t, k) + ": its contacts do not follow those before");
      next += count;
    }
    if (phase_ != Phase::pairs && next != t.contacts.size())
      return say(std::string(t.contact) + " row " + std::to_string(next) + ": of no pair");
    return true;
  }

  void bond_order() {
    const bond::Bonds& b = s_.bonds;
    const auto key = [&b](std::size_t r) { return std::tuple(b.cluster[r], b.id_a[r], b.id_b[r]); };
    for (std::size_t r = 1; r < b.size(); ++r)
      if (!(key(r - 1) < key(r)))
        say("bond row " + std::to_string(r) + ": not in the order of (cluster, id of A, id of B)");
  }
  void bond_rows() {
    if (phase_ == Phase::end) return;  // found again with the next pairs
    for (std::size_t r = 0; r < s_.bonds.size(); ++r) {
      if (!s_.bonds.alive[r]) continue;
      const std::uint32_t a = s_.bonds.row_a[r], b = s_.bonds.row_b[r];
      if (a >= p_.size_rows() || b >= p_.size_rows() || p_.id[a] != s_.bonds.id_a[r] || p_.id[b] != s_.bonds.id_b[r])
        say("bond row " + std::to_string(r) + ": its particles are not where it seeks them");
    }
  }

  void normals(const Tables& t) {
    if (!found_.empty()) return;
    for (std::size_t r = 0; r < t.contacts.size(); ++r)
      if (!is_unit(norm2(t.contacts.normal[r]))) say(contact(t, r) + ": the normal is not of unit length");
  }
  void numbers(const Tables& t) {
    if (!found_.empty()) return;
    ContactTable::with_columns(
        [&](std::string_view name, auto, auto, const auto& column) {
          for (std::size_t r = 0; r < column.size(); ++r)
            if (is_nan(column[r])) say(contact(t, r) + ": " + std::string(name) + " is not a number");
        },
        t.contacts);
  }
  void numbers_of_particles() {
    p_.for_each_column([&](std::string_view name, auto, auto, const auto& column) {
      for (std::size_t i = 0; i < column.size(); ++i)
        if (is_nan(column[i])) say(particle(i) + ": " + std::string(name) + " is not a number");
    });
  }

  /// A sum of vectors and of their lengths.
  struct Sum {
    Vec3 value;
    double size = 0;
    void add(Vec3 v) { value += v, size += norm(v); }
    bool is(Vec3 v) const { return !(norm(value - v) > kSum * size); }
  };
  /// Contact by contact what sum_forces gathers body by body: what A gets, B loses.
  void sums() {
    if (!found_.empty()) return;
    std::vector<Sum> of_body(p_.size_rows()), of_wall(s_.walls.size());
    for (std::size_t i = 0; i < of_body.size(); ++i) {
      of_body[i].add(p_.mass[i] * s_.gravity);
      if (p_.keeps_outer) of_body[i].add(p_.outer_force[i]);
    }
    for (std::size_t r = 0; r < s_.contacts.size(); ++r) {
      const std::uint32_t k = s_.contacts.pair[r];
      of_body[s_.pairs.a[k]].add(-s_.contacts.force[r]), of_body[s_.pairs.b[k]].add(s_.contacts.force[r]);
    }
    for (std::size_t r = 0; r < s_.wall_contacts.size(); ++r) {
      const std::uint32_t k = s_.wall_contacts.pair[r];
      of_body[s_.wall_pairs.a[k]].add(-s_.wall_contacts.force[r]);
      of_wall[s_.wall_pairs.b[k]].add(s_.wall_contacts.force[r]);
    }
    for (std::size_t r = 0; r < s_.bonds.size(); ++r) {
      if (!s_.bonds.alive[r]) continue;
      of_body[s_.bonds.row_a[r]].add(-s_.bonds.force[r]), of_body[s_.bonds.row_b[r]].add(s_.bonds.force[r]);
    }
    for (std::size_t i = 0; i < p_.own_rows(); ++i)
      if (!of_body[i].is(p_.force[i])) say(particle(i) + ": the force is not the sum of those on it");
    if (s_.spread.ranks != nullptr) return;  // what other ranks' grains do to the walls is not here
    for (std::size_t w = 0; w < of_wall.size(); ++w)
      if (!of_wall[w].is(s_.walls[w].force))
        say("wall row " + std::to_string(w) + " ('" + s_.walls[w].name + "'): the force is not the sum of those on it");
  }

  const Simulation& s_;
  const Particles& p_;
  Phase phase_;
  std::string found_;
};

}  // namespace

std::string breach(const Simulation& s, Phase phase) { return s.fault ? std::string() : Look(s, phase)(); }

}  // namespace scree
