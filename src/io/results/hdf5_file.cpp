#include "io/results/hdf5_file.h"

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/hash.h"
#include "io/text/files.h"

namespace scree::io::hdf5 {

namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>, "hdf5_file.h keeps handles as 64-bit integers");

constexpr std::size_t kSealBytes = 24;
constexpr char kSeal[] = "SCREE-OK";
constexpr std::size_t kImageStep = std::size_t{1} << 20;  ///< bytes by which an image in memory grows
constexpr std::size_t kPackFrom = 2048;                   ///< bytes; smaller data sets are kept as they are
constexpr std::size_t kChunkBytes = std::size_t{1} << 18;
constexpr unsigned kDeflateLevel = 1;        ///< level 4 gains 3 % on frames and costs twice the time
constexpr std::size_t kDeflateBound = 1040;  ///< deflate packs at most 1032 : 1
constexpr std::size_t kMaxStringBytes = 4096;

/// Closes an HDF5 handle of any kind.
struct Handle {
  hid_t id;
  herr_t (*close)(hid_t);
  Handle(hid_t i, herr_t (*c)(hid_t)) : id(i), close(c) {}
  ~Handle() {
    if (id >= 0) close(id);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  explicit operator bool() const { return id >= 0; }
};

/// HDF5, as Debian builds it, is not made for threads.
std::recursive_mutex& hdf5() {
  static std::recursive_mutex m;
  return m;
}

/// HDF5 refuses to open an image in memory under the name of a file that exists, or of one that is open: no file can
/// have such a name, and no two images have the same.
std::string nowhere() {
  static std::uint64_t images = 0;  // under the lock
  return "/dev/null/scree" + std::to_string(++images);
}

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

hid_t type_of(Scalar s) {
  switch (s) {
    case Scalar::f64:
      return H5T_NATIVE_DOUBLE;
    case Scalar::f32:
      return H5T_NATIVE_FLOAT;
    case Scalar::i64:
      return H5T_NATIVE_INT64;
    case Scalar::i32:
      return H5T_NATIVE_INT32;
    case Scalar::u64:
      return H5T_NATIVE_UINT64;
    case Scalar::u32:
      return H5T_NATIVE_UINT32;
    case Scalar::u16:
      return H5T_NATIVE_UINT16;
    case Scalar::u8:
      return H5T_NATIVE_UINT8;
  }
  return H5T_NATIVE_UINT8;
}

std::string unquoted(std::string_view path) { return "'" + std::string(path) + "'"; }

/// Creation properties of a data set: chunked, shuffled and deflated when large enough; no time stamps, so that equal
/// contents are equal files.
hid_t creation_properties(std::size_t n, std::size_t row_bytes, const hsize_t* dims, int rank) {
  const hid_t p = H5Pcreate(H5P_DATASET_CREATE);
  if (p < 0) return p;
  H5Pset_obj_track_times(p, false);
  if (n * row_bytes >= kPackFrom) {
    hsize_t chunk[2] = {std::clamp<hsize_t>(kChunkBytes / row_bytes, 1, n), rank > 1 ? dims[1] : 1};
    H5Pset_chunk(p, rank, chunk);
    H5Pset_shuffle(p);
    H5Pset_deflate(p, kDeflateLevel);
  }
  return p;
}

std::vector<std::byte> sealed(std::vector<std::byte> image) {
  Hash64 h;
  h.bytes(image.data(), image.size());
  const std::uint64_t words[2] = {image.size(), h.digest()};
  const std::size_t n = image.size();
  image.resize(n + kSealBytes);
  std::memcpy(image.data() + n, kSeal, 8);
  std::memcpy(image.data() + n + 8, words, sizeof words);
  return image;
}

/// Takes the seal off; false: it is not there or does not fit.
bool unseal(std::vector<std::byte>& bytes) {
  if (bytes.size() < kSealBytes) return false;
  const std::size_t n = bytes.size() - kSealBytes;
  std::uint64_t words[2];
  std::memcpy(words, bytes.data() + n + 8, sizeof words);
  if (std::memcmp(bytes.data() + n, kSeal, 8) != 0 || words[0] != n) return false;
  Hash64 h;
  h.bytes(bytes.data(), n);
  if (h.digest() != words[1]) return false;
  bytes.resize(n);
  return true;
}

}  // namespace

Writer::Writer() {
  const std::lock_guard lock(hdf5());
  silence();
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (access && H5Pset_fapl_core(access.id, kImageStep, false) >= 0) {
    file_ = H5Fcreate(nowhere().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id);
  }
  if (file_ < 0) fail("the file in memory");
}

Writer::~Writer() {
  const std::lock_guard lock(hdf5());
  if (file_ >= 0) H5Fclose(file_);
}

void Writer::fail(const std::string& what) {
  if (!failure_) failure_ = Error{"HDF5 could not make " + what + " (out of memory?)"};
}

void Writer::group(const std::string& path) {
  const std::lock_guard lock(hdf5());
  if (failure_) return;
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id, 1);
  Handle g(H5Gcreate2(file_, path.c_str(), links.id, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!g) fail("group " + unquoted(path));
}

void Writer::write_rows(const std::string& path, Layout layout, const void* data, std::size_t n) {
  const std::lock_guard lock(hdf5());
  if (failure_) return;
  const hsize_t dims[2] = {n, layout.columns};
  const int rank = layout.columns > 1 ? 2 : 1;
  Handle space(H5Screate_simple(rank, dims, nullptr), H5Sclose);
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id, 1);
  Handle properties(creation_properties(n, layout.bytes, dims, rank), H5Pclose);
  Handle set(H5Dcreate2(file_, path.c_str(), type_of(layout.scalar), space.id, links.id, properties.id, H5P_DEFAULT),
             H5Dclose);
  if (!set) return fail("data set " + unquoted(path));
  if (n > 0 && H5Dwrite(set.id, type_of(layout.scalar), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
    fail("data set " + unquoted(path));
  }
}

void Writer::write_strings(const std::string& path, const std::vector<std::string>& rows) {
  const std::lock_guard lock(hdf5());
  if (failure_) return;
  std::size_t width = 1;
  for (const std::string& s : rows) width = std::max(width, std::min(s.size(), kMaxStringBytes));
  std::vector<char> flat(width * rows.size(), '\0');
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(flat.data() + i * width, rows[i].data(), std::min(rows[i].size(), width));
  const hsize_t n = rows.size();
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id, width);
  H5Tset_strpad(type.id, H5T_STR_NULLPAD);
  H5Tset_cset(type.id, H5T_CSET_UTF8);
  Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id, 1);
  Handle properties(creation_properties(0, width, &n, 1), H5Pclose);
  Handle set(H5Dcreate2(file_, path.c_str(), type.id, space.id, links.id, properties.id, H5P_DEFAULT), H5Dclose);
  if (!set || (n > 0 && H5Dwrite(set.id, type.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data()) < 0)) {
    fail("data set " + unquoted(path));
  }
}

void Writer::attribute(const std::string& object, const std::string& name, std::string_view text) {
  const std::lock_guard lock(hdf5());
  if (failure_) return;
  // Fixed length and ASCII: what VTK's reader asks of the attribute Type.
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id, std::max<std::size_t>(text.size(), 1));
  H5Tset_strpad(type.id, H5T_STR_NULLPAD);
  const std::string value = text.empty() ? std::string(1, '\0') : std::string(text);
  Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle a(
      H5Acreate_by_name(file_, object.c_str(), name.c_str(), type.id, space.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!a || H5Awrite(a.id, type.id, value.data()) < 0) fail("attribute " + unquoted(object + ":" + name));
}

void Writer::write_attribute(const std::string& object, const std::string& name, Layout layout, const void* data,
                             std::size_t n) {
  const std::lock_guard lock(hdf5());
  if (failure_) return;
  const hsize_t dims = n;
  Handle space(n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dims, nullptr), H5Sclose);
  const hid_t type = type_of(layout.scalar);
  Handle a(
      H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!a || H5Awrite(a.id, type, data) < 0) fail("attribute " + unquoted(object + ":" + name));
}

void Writer::hard_link(const std::string& existing, const std::string& name) {
  const std::lock_guard lock(hdf5());
  if (failure_) return;
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id, 1);
  if (H5Lcreate_hard(file_, existing.c_str(), file_, name.c_str(), links.id, H5P_DEFAULT) < 0)
    fail("link " + unquoted(name));
}

Result<std::vector<std::byte>> Writer::finish() {
  const std::lock_guard lock(hdf5());
  if (failure_) return *failure_;
  std::vector<std::byte> image;
  ssize_t size = -1;
  if (H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0) size = H5Fget_file_image(file_, nullptr, 0);
  if (size > 0) {
    image.reserve(static_cast<std::size_t>(size) + kSealBytes);
    image.resize(static_cast<std::size_t>(size));
    size = H5Fget_file_image(file_, image.data(), image.size());
  }
  H5Fclose(file_);
  file_ = -1;
  if (size <= 0) fail("the file in memory");
  if (failure_) return *failure_;
  return sealed(std::move(image));
}

Result<Reader> Reader::open(const std::filesystem::path& file) {
  const std::lock_guard lock(hdf5());
  Result<std::vector<std::byte>> bytes = read_file(file);
  if (!bytes) return bytes.error();
  return open(std::move(*bytes), file.string());
}

Result<Reader> Reader::open(std::vector<std::byte> bytes, std::string name) {
  const std::lock_guard lock(hdf5());
  silence();
  if (!unseal(bytes))
    return Error{name + " is damaged, cut short, or no file that scree wrote (its checksum does not fit)"};
  Reader r(std::move(name));
  r.most_bytes_ = bytes.size() * kDeflateBound;
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (!access || H5Pset_fapl_core(access.id, kImageStep, false) < 0 ||
      H5Pset_file_image(access.id, bytes.data(), bytes.size()) < 0) {
    return Error{"cannot read " + r.name_ + ": out of memory"};
  }
  r.file_ = H5Fopen(nowhere().c_str(), H5F_ACC_RDONLY, access.id);
  if (r.file_ < 0) return Error{r.name_ + " is no HDF5 file"};
  return r;
}

Reader::Reader(Reader&& other) noexcept
    : name_(std::move(other.name_)),
      file_(other.file_),
      most_bytes_(other.most_bytes_),
      failure_(std::move(other.failure_)) {
  other.file_ = -1;
}

Reader::~Reader() {
  const std::lock_guard lock(hdf5());
  if (file_ >= 0) H5Fclose(file_);
}

void Reader::fail(const std::string& what) {
  if (!failure_) failure_ = Error{name_ + ": " + what};
}

bool Reader::has(const std::string& path) const {
  const std::lock_guard lock(hdf5());
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (H5Lexists(file_, path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0;
}

bool Reader::has_attribute(const std::string& object, const std::string& name) const {
  const std::lock_guard lock(hdf5());
  return H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::optional<std::size_t> Reader::rows_of(const std::string& path, Layout layout) {
  const std::lock_guard lock(hdf5());
  if (failure_) return std::nullopt;
  Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set) return fail(unquoted(path) + " is missing"), std::nullopt;
  Handle type(H5Dget_type(set.id), H5Tclose);
  if (!type || H5Tequal(type.id, type_of(layout.scalar)) <= 0)
    return fail(unquoted(path) + " has the wrong type"), std::nullopt;
  Handle space(H5Dget_space(set.id), H5Sclose);
  hsize_t dims[2] = {0, 1};
  const int rank = space ? H5Sget_simple_extent_ndims(space.id) : -1;
  if (rank != (layout.columns > 1 ? 2 : 1) || H5Sget_simple_extent_dims(space.id, dims, nullptr) < 0 ||
      dims[1] != layout.columns) {
    return fail(unquoted(path) + " has the wrong dimensions"), std::nullopt;
  }
  if (dims[0] > most_bytes_ / layout.bytes)
    return fail(unquoted(path) + " claims more rows than the file can hold"), std::nullopt;
  return static_cast<std::size_t>(dims[0]);
}

bool Reader::read_rows(const std::string& path, Layout layout, void* data) {
  const std::lock_guard lock(hdf5());
  Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (set && H5Dread(set.id, type_of(layout.scalar), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0) return true;
  fail(unquoted(path) + " cannot be read");
  return false;
}

void Reader::read_strings(const std::string& path, std::vector<std::string>& rows) {
  const std::lock_guard lock(hdf5());
  rows.clear();
  if (failure_) return;
  Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set) return fail(unquoted(path) + " is missing");
  Handle type(H5Dget_type(set.id), H5Tclose);
  Handle space(H5Dget_space(set.id), H5Sclose);
  if (!type || H5Tget_class(type.id) != H5T_STRING || H5Tis_variable_str(type.id) > 0)
    return fail(unquoted(path) + " has the wrong type");
  const std::size_t width = H5Tget_size(type.id);
  hsize_t n = 0;
  if (!space || H5Sget_simple_extent_ndims(space.id) != 1 || H5Sget_simple_extent_dims(space.id, &n, nullptr) < 0 ||
      width == 0 || width > kMaxStringBytes || n > most_bytes_ / width) {
    return fail(unquoted(path) + " has the wrong dimensions");
  }
  std::vector<char> flat(width * n);
  if (n > 0 && H5Dread(set.id, type.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data()) < 0)
    return fail(unquoted(path) + " cannot be read");
  for (std::size_t i = 0; i < n; ++i)
    rows.emplace_back(flat.data() + i * width, strnlen(flat.data() + i * width, width));
}

void Reader::attribute(const std::string& object, const std::string& name, std::string& text) {
  const std::lock_guard lock(hdf5());
  text.clear();
  if (failure_) return;
  Handle a(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!a) return fail("attribute " + unquoted(object + ":" + name) + " is missing");
  Handle type(H5Aget_type(a.id), H5Tclose);
  Handle space(H5Aget_space(a.id), H5Sclose);
  const std::size_t size = type ? H5Tget_size(type.id) : 0;
  if (!type || H5Tget_class(type.id) != H5T_STRING || H5Tis_variable_str(type.id) > 0 || !space ||
      H5Sget_simple_extent_npoints(space.id) != 1 || size == 0 || size > most_bytes_) {
    return fail("attribute " + unquoted(object + ":" + name) + " has the wrong type");
  }
  std::vector<char> flat(size);
  if (H5Aread(a.id, type.id, flat.data()) < 0)
    return fail("attribute " + unquoted(object + ":" + name) + " cannot be read");
  text.assign(flat.data(), strnlen(flat.data(), size));
}

void Reader::read_attribute(const std::string& object, const std::string& name, Layout layout, void* data,
                            std::size_t n) {
  const std::lock_guard lock(hdf5());
  if (failure_) return;
  Handle a(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!a) return fail("attribute " + unquoted(object + ":" + name) + " is missing");
  Handle type(H5Aget_type(a.id), H5Tclose);
  Handle space(H5Aget_space(a.id), H5Sclose);
  if (!type || H5Tequal(type.id, type_of(layout.scalar)) <= 0 || !space ||
      H5Sget_simple_extent_npoints(space.id) != static_cast<hssize_t>(n)) {
    return fail("attribute " + unquoted(object + ":" + name) + " has the wrong type");
  }
  if (H5Aread(a.id, type_of(layout.scalar), data) < 0)
    fail("attribute " + unquoted(object + ":" + name) + " cannot be read");
}

}  // namespace scree::io::hdf5
