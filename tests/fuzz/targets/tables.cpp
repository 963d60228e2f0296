// LIBS: scree_io
// Text tables: grains, clusters, motions, single numbers. The first byte says which.
#include <charconv>
#include <cmath>

#include "fuzz/fuzz.h"
#include "io/grains/cluster_file.h"
#include "io/grains/grain_file.h"
#include "io/mesh/wall_mesh.h"
#include "io/text/table.h"

namespace scree::fuzz {
namespace {

bool take_grains(std::string_view text, const io::GrainFileAs& as) {
  static const io::Units units = *io::Units::load();
  const io::ReadGrains read = io::parse_grains(text, "grains.txt", as, units);
  for (const Diagnostic& d : read.diagnostics) keeps_legible(format(d));
  if (!read.diagnostics.empty()) return false;
  const io::GrainTable& t = read.value;
  const auto as_long = [&](const auto& column) { SCREE_KEEPS(column.empty() || column.size() == t.rows); };
  as_long(t.position), as_long(t.velocity), as_long(t.angular_velocity), as_long(t.orientation), as_long(t.size);
  as_long(t.shape);
  SCREE_KEEPS(t.rows > 0 && t.rows <= as.most);
  for (const Vec3& x : t.position) SCREE_KEEPS(is_finite(x));
  for (const Vec3& v : t.velocity) SCREE_KEEPS(is_finite(v));
  for (const double s : t.size) SCREE_KEEPS(s > 0 && std::isfinite(s));
  for (const Quat& q : t.orientation) SCREE_KEEPS(std::abs(norm2(q) - 1) < 1e-9);
  return true;
}

bool take_cluster(std::string_view text) {
  const Result<bond::Cluster> c = io::read_cluster(text, 1e-3, "cluster.csv");
  if (!c) return keeps_legible(c.error().message), false;
  return true;
}

bool take_motion(std::string_view text) {
  const auto rows = io::motion_rows(text, "motion.csv");
  if (!rows) return keeps_legible(rows.error().message), false;
  SCREE_KEEPS(rows->size() >= 2);
  for (std::size_t k = 1; k < rows->size(); ++k) SCREE_KEEPS((*rows)[k].time > (*rows)[k - 1].time);
  return true;
}

/// Against the standard library.
bool take_number(std::string_view word) {
  const io::TableNumber n = io::table_number(word);
  std::string_view digits = word;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_whole = !digits.empty() && end == digits.data() + digits.size();
  if (n) {
    SCREE_KEEPS(is_whole && error == std::errc() && value == n.value);
  } else {
    SCREE_KEEPS(!is_whole || error != std::errc() || !std::isfinite(value) || word.starts_with("+-") ||
                word.starts_with("++"));
  }
  if (const auto i = io::table_integer(word)) SCREE_KEEPS(n && static_cast<double>(*i) == n.value);
  return static_cast<bool>(n);
}

}  // namespace

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  return {"\0x, y, z, r\n0, 0, 0, 3\n6, 0, 0, 3 # a comment\n"s,
          "\0posx posy posz qw qx qy qz \"r [mm]\"\n1 2 3 1 0 0 0 4\n"s,
          "\0x;y;z;d;vx;vy;vz;wx;wy;wz;shape\n0;0;0;1;2;3;4;5;6;7;cube\n"s,
          "\1"
          "1 2 2 3 9\n2 5 2 3 9\nrow 4\n",
          "\2x, y, z, r\n0, 0, 0, 3\n6, 0, 0, 3\n0, 6, 0, 3\n",
          "\3time, x, y, z, angle\n0, 0, 0, 0, 0\n0.004, 0.0002, 0.0001, 0, .1\n",
          "\4"
          "1.5e-3",
          "\4+12"};
}

bool take(std::string_view input) {
  Front in(input);
  io::GrainFileAs as;
  switch (in.take<std::uint8_t>() % 5) {
    case 0:
      return take_grains(in.rest(), as);
    case 1:
      as.columns = {"-", "x", "y", "z", "d"}, as.skips_other_rows = true, as.unit = "mm", as.most = 50;
      return take_grains(in.rest(), as);
    case 2:
      return take_cluster(in.rest());
    case 3:
      return take_motion(in.rest());
    default:
      return take_number(in.rest());
  }
}

}  // namespace scree::fuzz
