// LIBS: scree_io GTest::gtest
// Frames whose checksum fits, and all that is made of them: pictures, other programs' files, grains of a new case. The
// first byte says whether the frame is changed before it is written or the file is.
#include <cmath>

#include "fuzz/edits.h"
#include "fuzz/fuzz.h"
#include "geometry/clump.h"
#include "io/case/read_case.h"
#include "io/grains/saved_grains.h"
#include "io/library/library.h"
#include "io/results/export.h"
#include "io/results/frame.h"
#include "io/results/picture.h"
#include "sim/simulation.h"

namespace scree::fuzz {
namespace {

/// Grains of every kind in a box, with contacts and bonds.
const io::Frame& frame() {
  static const io::Frame made = [] {
    const io::ReadCase read = io::read_case_text(R"(
gravity: [0, 0, -9.81]
materials: {stone: {density: 2650}}
contacts: [{between: [stone, stone], law: linear, kn: 1e5, kt: 5e4, friction: .5, restitution: .5}]
bonds: {glue: {modulus: 100 MPa, poisson: .25, normal_strength: 10 MPa, shear_strength: 10 MPa}}
clusters: {lump: {cube: {edge: 2, sphere_radius: 2 mm}, bonds: glue, distance: 1.05}}
walls: {box: {box: {min: [0, 0, 0], max: [6 cm, 6 cm, 6 cm]}, material: stone}}
particles:
  - {name: few, material: stone, shapes: [cube, sphere, tetrapod, angle], size: 9 mm, count: 8,
     place: {random: {inside: {box: {min: [1 cm, 1 cm, 0], max: [5 cm, 5 cm, 4 cm]}}}}}
  - {name: lumps, material: stone, cluster: lump, place: {at: [[8 mm, 8 mm, 5 cm], [5.2 cm, 8 mm, 5 cm]]}}
stages: [{name: fall, duration: 1 s}]
)",
                                                 "frame.yaml");
    for (const Diagnostic& d : read.diagnostics) std::cerr << format(d) << '\n';
    SCREE_KEEPS(!has_errors(read.diagnostics));
    Result<Simulation> s = set_up(read.value, io::load_shape);
    if (!s) std::cerr << s.error().message << '\n';
    SCREE_KEEPS(s);
    for (int k = 0; k < 20000 && s->contacts.size() + s->wall_contacts.size() < 4 && !s->fault; ++k) step(*s);
    SCREE_KEEPS(!s->fault);
    return io::make_frame(*s, true);
  }();
  return made;
}

template <class T>
void change(std::vector<T>& rows, const Edit& e) {
  e.apply({reinterpret_cast<char*>(rows.data()), rows.size() * sizeof(T)});
}

void edit_frame(io::Frame& f, Front in) {
  for (int n = 0; n < 6 && !in.is_over(); ++n) {
    const Edit e = Edit::from(in);
    switch (e.column % 18) {
      case 0:
        change(f.id, e);
        break;
      case 1:
        change(f.shape, e);
        break;
      case 2:
        change(f.material, e);
        break;
      case 3:
        change(f.size, e);
        break;
      case 4:
        change(f.mass, e);
        break;
      case 5:
        change(f.position, e);
        break;
      case 6:
        change(f.velocity, e);
        break;
      case 7:
        change(f.angular_velocity, e);
        break;
      case 8:
        change(f.orientation, e);
        break;
      case 9:
        change(f.fragment, e);
        break;
      case 10:
        change(f.bond_rows, e);
        break;
      case 11:
        change(f.bond_damage, e);
        break;
      case 12:
        change(f.contact_point, e);
        break;
      case 13:
        change(f.contact_force, e);
        break;
      case 14:
        change(f.contact_normal, e);
        break;
      case 15:
        change(f.contact_depth, e);
        break;
      case 16:
        change(f.contact_ids, e);
        break;
      default:
        e.apply({reinterpret_cast<char*>(&f.time), sizeof f.time});
    }
  }
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all{std::string(1, '\0'), "\1"};
  for (std::uint8_t k = 0; k < 60; ++k)
    all.push_back(std::string(1, static_cast<char>(k % 2)) +
                  Edit{k, static_cast<std::uint8_t>(2 + k % 2 + 4 * (k / 5 % 4)), k, k}.bytes());
  return all;
}

bool take(std::string_view input) {
  GTEST_FLAG_SET(throw_on_failure, true);
  Front in(input);
  const bool before = in.take<std::uint8_t>() % 2 != 0;
  const std::filesystem::path file = scratch() / "frame_000000.vtkhdf";
  io::Frame f = frame();
  if (before) edit_frame(f, in);
  if (const Status s = io::write_frame(file, f); !s) return keeps_legible(s.error().message), false;
  if (!before) edit_file(file, in);
  const Result<io::Frame> read = io::read_frame(file);
  const Result<io::GrainTable> grains = io::saved_grains(*io::read_file(file), {});
  if (!grains) keeps_legible(grains.error().message);
  if (!read) return keeps_legible(read.error().message), false;
  SCREE_KEEPS(io::contradiction(*read) == nullptr);
  io::PictureSettings settings;
  settings.width = 48, settings.height = 36;
  settings.extent.add(*read);
  settings.top_speed = io::typical_speed(*read);
  const io::Picture p = io::draw(*read, settings);
  SCREE_KEEPS(p.rgb.size() == std::size_t{3} * 48 * 36);
  for (const auto text : {io::csv_text, io::xyz_text, io::lammps_text, io::vtu_text, io::vtu_contacts_text})
    SCREE_KEEPS(!text(*read).empty());
  return true;
}

}  // namespace scree::fuzz
