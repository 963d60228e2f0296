#include "io/results/fault_dump.h"

#include <algorithm>
#include <cmath>

#include "io/results/frame.h"
#include "io/text/files.h"
#include "sim/row_order.h"

namespace scree::io {

namespace {

constexpr double kReach = 4;  ///< bounding radii of the largest particle that the fault names

bool is_finite(Quat q) { return std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z); }

bool is_named(const Fault& f, std::uint32_t id) { return std::find(f.ids.begin(), f.ids.end(), id) != f.ids.end(); }

/// Puts particles without a finite pose back to where the last rebuild saw them; what is lost there too goes to the
/// fault's place.
void mend_poses(Frame& f, const Simulation& s, const RowOrder& ids) {
  for (std::size_t i = 0; i < f.position.size(); ++i) {
    if (!scree::is_finite(f.position[i]))
      f.position[i] = s.list_is_valid ? s.particles.listed_at[ids.row(ids.particle, i)] : s.fault->place;
    if (!scree::is_finite(f.position[i])) f.position[i] = {};
    if (!is_finite(f.orientation[i])) f.orientation[i] = {};
  }
}

}  // namespace

Result<std::filesystem::path> write_fault(const std::filesystem::path& folder, const Simulation& s) {
  if (!s.fault) return Error{"there is no fault to report"};
  if (Status made = make_folder(folder); !made) return made.error();
  Frame f = make_frame(s, true);
  const RowOrder ids = id_order(s);
  mend_poses(f, s, ids);
  const std::vector<double> radii = by_id(s.particles.radius, ids);
  double radius = 0;
  Vec3 place = s.fault->place;
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    if (!is_named(*s.fault, f.id[i])) continue;
    radius = std::max(radius, radii[i]);
    if (!scree::is_finite(place)) place = f.position[i];
  }
  std::vector<char> keep(f.id.size());
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    keep[i] = is_named(*s.fault, f.id[i]) || norm(f.position[i] - place) <= kReach * radius + radii[i];
  }
  const std::filesystem::path file = folder / "neighbourhood.vtkhdf";
  if (Status written = write_frame(file, part_of(f, keep)); !written) return written.error();
  return file;
}

}  // namespace scree::io
