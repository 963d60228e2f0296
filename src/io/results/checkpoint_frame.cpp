#include "io/results/checkpoint_frame.h"

#include <algorithm>

#include "integrate/rigid_body.h"

namespace scree::io {

Status is_checkpoint(hdf5::Reader& r, const std::string& name) {
  std::uint32_t version = 0;
  r.attribute("/", "scree_checkpoint", version);
  if (r.failure()) return Error{name + " is no checkpoint"};
  if (version != kCheckpointVersion)
    return Error{name + " is a checkpoint of version " + std::to_string(version) + ", which this program, of version " +
                 std::to_string(kCheckpointVersion) +
                 ", cannot read; go on with the program that wrote it, or start anew"};
  return ok();
}

Result<Frame> frame_of_checkpoint(hdf5::Reader& r, const std::string& name) {
  if (Status readable = is_checkpoint(r, name); !readable) return readable.error();
  if (!r.has("names/shapes"))
    return Error{name +
                 " is of an earlier version of scree, whose checkpoints do not name the shapes; take a frame of "
                 "that run"};
  Frame f;
  std::vector<std::uint64_t> step;
  std::vector<double> time;
  std::vector<std::int32_t> dimensions;
  std::vector<Vec3> momentum, inertia;
  r.read("state/time", time), r.read("state/step", step), r.read("names/dimensions", dimensions);
  const std::string at = "state/particles/";
  r.read(at + "id", f.id), r.read(at + "shape", f.shape), r.read(at + "material", f.material);
  r.read(at + "size", f.size), r.read(at + "mass", f.mass), r.read(at + "position", f.position);
  r.read(at + "velocity", f.velocity), r.read(at + "orientation", f.orientation);
  r.read(at + "angular_momentum", momentum), r.read(at + "inertia", inertia);
  read_shapes(r, "names/shapes", f.shapes), r.read_strings("names/materials", f.materials);
  read_domain(r, "names/domain", f.domain);
  std::vector<std::uint32_t> a, b;
  std::vector<std::uint8_t> alive;
  if (r.has("state/bonds/id_a"))
    r.read("state/bonds/id_a", a), r.read("state/bonds/id_b", b), r.read("state/bonds/alive", alive);
  if (r.failure()) return *r.failure();
  const std::size_t n = f.id.size();
  if (time.size() != 1 || step.size() != 1 || dimensions.size() != 1 || momentum.size() != n || inertia.size() != n ||
      f.orientation.size() != n || a.size() != b.size() || a.size() != alive.size() ||
      !std::is_sorted(f.id.begin(), f.id.end()))
    return Error{name + ": columns differ in length or order"};
  f.time = time[0], f.step = step[0], f.dimensions = dimensions[0];
  for (std::size_t i = 0; i < n; ++i)
    f.angular_velocity.push_back(integrate::angular_velocity(f.orientation[i], momentum[i], inertia[i]));
  const auto row = [&](std::uint32_t id) {
    return static_cast<std::uint32_t>(std::lower_bound(f.id.begin(), f.id.end(), id) - f.id.begin());
  };
  for (std::size_t k = 0; k < a.size(); ++k)
    if (alive[k] != 0) f.bond_rows.push_back({row(a[k]), row(b[k])}), f.bond_damage.push_back(0);
  if (const char* why = contradiction(f)) return Error{name + ": " + why};
  for (Vec3& x : f.position) x = wrapped(f.domain, x);
  return f;
}

}  // namespace scree::io
