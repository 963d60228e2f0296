#pragma once
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "io/text/files.h"

/// Files of HDF5 that scree wrote, changed by hand and with their seal put right.
namespace scree::oracle {

/// Puts the seal behind bytes that scree did not write.
inline std::vector<std::byte> sealed(std::vector<std::byte> bytes) {
  Hash64 h;
  h.bytes(bytes.data(), bytes.size());
  const std::uint64_t words[2] = {bytes.size(), h.digest()};
  const std::size_t n = bytes.size();
  bytes.resize(n + 24);
  std::memcpy(bytes.data() + n, "SCREE-OK", 8);
  std::memcpy(bytes.data() + n + 8, words, 16);
  return bytes;
}

inline void edit(const std::filesystem::path& file, const std::function<void(hid_t)>& change) {
  std::vector<std::byte> bytes = *io::read_file(file);
  bytes.resize(bytes.size() - 24);
  ASSERT_TRUE(io::write_file(file, bytes));
  const hid_t f = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(f, 0);
  change(f);
  H5Fclose(f);
  ASSERT_TRUE(io::write_file(file, sealed(*io::read_file(file))));
}

/// Takes the data set `path` out and puts it back with `more` rows more (fewer where negative) and its bytes changed:
/// change(bytes, rows).
inline void edit_rows(hid_t file, const std::string& path, long more,
                      const std::function<void(std::vector<char>&, std::size_t)>& change) {
  const hid_t old = H5Dopen2(file, path.c_str(), H5P_DEFAULT);
  ASSERT_GE(old, 0) << path;
  const hid_t type = H5Dget_type(old), space = H5Dget_space(old);
  hsize_t dims[2] = {0, 1};
  const int rank = H5Sget_simple_extent_dims(space, dims, nullptr);
  const std::size_t row = H5Tget_size(type) * dims[1];
  std::vector<char> data(dims[0] * row);
  ASSERT_GE(H5Dread(old, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), 0);
  dims[0] = static_cast<hsize_t>(std::max(0l, static_cast<long>(dims[0]) + more)), data.resize(dims[0] * row);
  if (change) change(data, dims[0]);
  H5Dclose(old), H5Sclose(space), H5Ldelete(file, path.c_str(), H5P_DEFAULT);
  const hid_t room = H5Screate_simple(rank, dims, nullptr);
  const hid_t fresh = H5Dcreate2(file, path.c_str(), type, room, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(H5Dwrite(fresh, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), 0);
  H5Dclose(fresh), H5Sclose(room), H5Tclose(type);
}

}  // namespace scree::oracle
