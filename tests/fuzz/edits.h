#pragma once
#include <cmath>
#include <limits>
#include <span>

#include "fuzz/fuzz.h"
#include "oracle/hdf5_edits.h"

/// Inputs that say what is to be changed in a file or a state that is whole: of files with checksums bytes of chance
/// would be refused by these alone.
namespace scree::fuzz {

/// One change of a value of a column.
struct Edit {
  std::uint8_t column = 0;  ///< which, modulo their number
  std::uint8_t how = 0;     ///< width (two bits), then from where the value comes
  std::uint16_t row = 0;    ///< in units of the width, modulo the length
  std::uint64_t value = 0;

  static Edit from(Front& in) {
    Edit e;
    e.column = in.take<std::uint8_t>(), e.how = in.take<std::uint8_t>(), e.row = in.take<std::uint16_t>();
    e.value = in.take<std::uint64_t>();
    return e;
  }
  /// For seeds.
  std::string bytes() const {
    std::string b;
    const auto put = [&](const auto& v) { b.append(reinterpret_cast<const char*>(&v), sizeof v); };
    put(column), put(how), put(row), put(value);
    return b;
  }

  void apply(std::span<char> bytes) const {
    const std::size_t width = std::size_t{1} << (how & 3);
    if (bytes.size() < width) return;
    char* at = bytes.data() + width * (row % (bytes.size() / width));
    std::uint64_t now = 0;
    std::memcpy(&now, at, width);
    constexpr double kSpecial[] = {0.0,
                                   -0.0,
                                   1e308,
                                   -1e308,
                                   1e-310,
                                   1e150,
                                   std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
    switch (how >> 2 & 3) {
      case 0:
        now = value;
        break;
      case 1:
        now ^= value;
        break;
      case 2:
        now += static_cast<std::uint64_t>(static_cast<std::int8_t>(value));
        break;
      default:
        std::memcpy(&now, &kSpecial[value % std::size(kSpecial)], sizeof now);
    }
    std::memcpy(at, &now, width);
  }
  long more_rows() const { return (how >> 4 & 3) == 3 ? static_cast<std::int8_t>(value >> 56) % 3 : 0; }
};

/// Paths of all data sets of a file, sorted.
inline std::vector<std::string> data_sets_of(hid_t file) {
  std::vector<std::string> paths;
  H5Ovisit2(
      file, H5_INDEX_NAME, H5_ITER_INC,
      [](hid_t, const char* name, const H5O_info_t* info, void* to) -> herr_t {
        if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(to)->push_back(name);
        return 0;
      },
      &paths, H5O_INFO_BASIC);
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Changes the data sets of a file that scree wrote, as the input says.
inline void edit_file(const std::filesystem::path& file, Front in) {
  oracle::edit(file, [&](hid_t f) {
    const std::vector<std::string> paths = data_sets_of(f);
    for (int n = 0; n < 6 && !in.is_over(); ++n) {
      const Edit e = Edit::from(in);
      const std::string& path = paths[e.column % paths.size()];
      const hid_t set = H5Dopen2(f, path.c_str(), H5P_DEFAULT), type = H5Dget_type(set);
      const bool is_plain = H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;
      H5Tclose(type), H5Dclose(set);
      if (is_plain) oracle::edit_rows(f, path, e.more_rows(), [&](std::vector<char>& b, std::size_t) { e.apply(b); });
    }
  });
}

}  // namespace scree::fuzz
