#include "sim/row_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exec/order.h"

namespace scree {

namespace {

// Rows this near share a second-level cache with what lies between them (about half a kilobyte a particle).
constexpr std::uint32_t kNear = 256;

/// Pairs in the order of their first particle; what one particle has keeps its order.
std::vector<std::uint32_t> follow(const PairTable& pairs, const std::vector<std::uint32_t>& particle) {
  std::vector<std::uint32_t> start(particle.size() + 1, 0), order;
  for (const std::uint32_t a : pairs.a) ++start[a + 1u];
  exec::running_sum(start);
  order.reserve(pairs.size());
  for (const std::uint32_t i : particle) {
    for (std::uint32_t k = start[i]; k < start[i + 1]; ++k) order.push_back(k);
  }
  return order;
}

std::vector<std::uint32_t> follow_contacts(const PairTable& pairs, const std::vector<std::uint32_t>& pair) {
  std::vector<std::uint32_t> order;
  for (const std::uint32_t k : pair) {
    for (std::uint32_t c = 0; c < pairs.count[k]; ++c) order.push_back(pairs.first[k] + c);
  }
  return order;
}

/// Every third bit of the result is one of the low 21 of v.
std::uint64_t spread(std::uint64_t v) {
  v = (v | v << 32) & 0x001f00000000ffffULL;
  v = (v | v << 16) & 0x001f0000ff0000ffULL;
  v = (v | v << 8) & 0x100f00f00f00f00fULL;
  v = (v | v << 4) & 0x10c30c30c30c30c3ULL;
  return (v | v << 2) & 0x1249249249249249ULL;
}

/// Cell along one axis. Cells 2^21 apart get one number: a particle that has flown off must not make all cells coarse.
std::uint64_t cell(double x, double low, double width) {
  constexpr double kCells = 1 << 21;
  return static_cast<std::uint64_t>(std::fmod(std::max(0.0, std::floor((x - low) / width)), kCells));
}

/// Places of rows: the inverse of an order.
std::vector<std::uint32_t> places(const std::vector<std::uint32_t>& order, std::size_t rows) {
  std::vector<std::uint32_t> at(rows, 0);
  exec::parallel_for(order.size(), 4096, [&](std::size_t i) { at[order[i]] = static_cast<std::uint32_t>(i); });
  return at;
}

/// First rows of pairs whose contacts follow each other without gaps.
std::vector<std::uint32_t> first_rows(const PairTable& pairs, const std::vector<std::uint32_t>& pair) {
  std::vector<std::uint32_t> first(pair.size());
  std::uint32_t next = 0;
  for (std::size_t k = 0; k < pair.size(); ++k) first[k] = next, next += pairs.count[pair[k]];
  return first;
}

}  // namespace

namespace {

std::vector<std::uint32_t> rows_by_id(const std::vector<std::uint32_t>& id) {
  std::vector<std::uint32_t> rows(id.size());
  std::iota(rows.begin(), rows.end(), 0u);
  if (std::is_sorted(id.begin(), id.end())) return rows;
  std::vector<std::uint64_t> keys(id.begin(), id.end());
  exec::sort_by_key(keys, rows);
  return rows;
}

}  // namespace

RowOrder rows_in(const Simulation& s, std::vector<std::uint32_t> particle) {
  RowOrder o;
  o.is_present = false;
  o.particle = std::move(particle);
  o.pair = follow(s.pairs, o.particle), o.wall_pair = follow(s.wall_pairs, o.particle);
  o.contact = follow_contacts(s.pairs, o.pair), o.wall_contact = follow_contacts(s.wall_pairs, o.wall_pair);
  return o;
}

HeldRows rows_held_by(std::string_view column) {
  const std::size_t slash = column.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view table = column.substr(0, slash), field = column.substr(slash + 1);
  const bool walls = table.starts_with("wall_");
  if (table.ends_with("pairs")) return {PairTable::refers_to(field), walls};
  if (table.ends_with("contacts")) return {ContactTable::refers_to(field), walls};
  return {};
}

RowOrder id_order(const Simulation& s) {
  const std::vector<std::uint32_t>& id = s.particles.id;
  if (std::is_sorted(id.begin(), id.end())) return {};
  return rows_in(s, rows_by_id(id));
}

RowOrder spatial_order(const Simulation& s) {
  const Particles& p = s.particles;
  const std::size_t n = p.size_rows();
  if (n == 0) return {};
  const double width = std::accumulate(p.radius.begin(), p.radius.end(), 0.0) / static_cast<double>(n);
  Vec3 low = p.position[0];
  for (const Vec3& x : p.position) low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
  std::vector<std::uint32_t> rows = rows_by_id(p.id);  // and so of those in one cell
  std::vector<std::uint64_t> keys(n);
  exec::parallel_for(n, 4096, [&](std::size_t i) {
    const Vec3 x = p.position[rows[i]];
    keys[i] =
        spread(cell(x.x, low.x, width)) | spread(cell(x.y, low.y, width)) << 1 | spread(cell(x.z, low.z, width)) << 2;
  });
  exec::sort_by_key(keys, rows);
  std::stable_partition(rows.begin(), rows.end(), [&p](std::uint32_t i) { return i < p.own_rows(); });
  return rows_in(s, std::move(rows));
}

std::size_t far_pairs(const PairTable& pairs) {
  return exec::parallel_reduce(
      pairs.size(), 8192, std::size_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::size_t far = 0;
        for (std::size_t k = begin; k < end; ++k) {
          const std::uint32_t a = pairs.a[k], b = pairs.b[k];
          far += (a < b ? b - a : a - b) > kNear ? 1 : 0;
        }
        return far;
      },
      [](std::size_t x, std::size_t y) { return x + y; });
}

void put_rows(Simulation& s, const RowOrder& order) {
  if (order.is_present) return;
  const detail::NewRows rows(order, s);
  visit_state(s, [&](const std::string& name, auto& value) {
    if constexpr (requires { value.data(); }) {
      if (rows.rows_of(name) != nullptr) value = rows.column(name, value);
    }
  });
  s.particles.for_each_column([&](auto, auto, FieldRole role, auto& column) {
    if (role == FieldRole::derived) column = gathered(column, order.particle);
  });
  // The derived columns of contacts are made anew before they are read.
  s.contacts.resize(s.contacts.size()), s.wall_contacts.resize(s.wall_contacts.size());
}

namespace detail {

NewRows::NewRows(const RowOrder& order, const Simulation& s)
    : order_(order),
      particle_(places(order.particle, s.particles.size_rows())),
      pair_(places(order.pair, s.pairs.size())),
      wall_pair_(places(order.wall_pair, s.wall_pairs.size())),
      first_(first_rows(s.pairs, order.pair)),
      wall_first_(first_rows(s.wall_pairs, order.wall_pair)) {}

const std::vector<std::uint32_t>* NewRows::rows_of(const std::string& name) const {
  const std::size_t slash = name.find('/');
  const std::string table = slash == std::string::npos ? std::string() : name.substr(0, slash);
  if (table == "particles") return &order_.particle;
  if (table == "pairs") return &order_.pair;
  if (table == "wall_pairs") return &order_.wall_pair;
  if (table == "contacts") return &order_.contact;
  if (table == "wall_contacts") return &order_.wall_contact;
  return nullptr;
}

void NewRows::renumber(const std::string& name, std::vector<std::uint32_t>& column) const {
  const auto to = [&column](const std::vector<std::uint32_t>& place) {
    exec::parallel_for(column.size(), 4096, [&](std::size_t i) { column[i] = place[column[i]]; });
  };
  const auto [rows, walls] = rows_held_by(name);
  if (rows == RefersTo::particles || (rows == RefersTo::partners && !walls)) to(particle_);
  if (rows == RefersTo::pairs) to(walls ? wall_pair_ : pair_);
  if (rows == RefersTo::contacts) column = walls ? wall_first_ : first_;
}

}  // namespace detail

}  // namespace scree
