#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "base/vec.h"

/// HDF5 files that are built and read in memory, so that every fault of a disk is a plain one of write() or read() and
/// a damaged file is refused by its checksum before the HDF5 library sees it. Several threads may each have a file of
/// their own; HDF5 itself works on one at a time.
namespace scree::io::hdf5 {

enum class Scalar : std::uint8_t { f64, f32, i64, i32, u64, u32, u16, u8 };

/// How a C++ type is laid out as one row of a data set.
struct Layout {
  Scalar scalar;
  std::size_t columns;  ///< 1: a one-dimensional data set
  std::size_t bytes;    ///< of a row
};

template <class T>
constexpr Layout layout_of() {
  if constexpr (std::is_same_v<T, Vec3>) {
    return {Scalar::f64, 3, sizeof(T)};
  } else if constexpr (std::is_same_v<T, Quat>) {
    return {Scalar::f64, 4, sizeof(T)};
  } else if constexpr (std::is_same_v<T, double>) {
    return {Scalar::f64, 1, sizeof(T)};
  } else if constexpr (std::is_same_v<T, float>) {
    return {Scalar::f32, 1, sizeof(T)};
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return {Scalar::i64, 1, sizeof(T)};
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return {Scalar::i32, 1, sizeof(T)};
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return {Scalar::u64, 1, sizeof(T)};
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return {Scalar::u32, 1, sizeof(T)};
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return {Scalar::u16, 1, sizeof(T)};
  } else if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, char>) {
    return {Scalar::u8, 1, sizeof(T)};
  } else {
    using Element = typename T::value_type;
    return {layout_of<Element>().scalar, layout_of<Element>().columns * std::tuple_size_v<T>, sizeof(T)};
  }
}

/// Builds a file. Errors are kept: the first one comes out of finish().
class Writer {
 public:
  Writer();
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void group(const std::string& path);
  /// Data set `path` (missing groups are made), one row per element; deflated when that pays.
  template <class T>
  void write(const std::string& path, std::span<const T> rows) {
    write_rows(path, layout_of<T>(), rows.data(), rows.size());
  }
  template <class T>
  void write(const std::string& path, const std::vector<T>& rows) {
    write(path, std::span<const T>(rows));
  }
  void write_strings(const std::string& path, const std::vector<std::string>& rows);
  void attribute(const std::string& object, const std::string& name, std::string_view text);
  template <class T>
  requires std::is_arithmetic_v<T>
  void attribute(const std::string& object, const std::string& name, T value) {
    write_attribute(object, name, layout_of<T>(), &value, 1);
  }
  template <class T, std::size_t N>
  void attribute(const std::string& object, const std::string& name, const std::array<T, N>& values) {
    write_attribute(object, name, layout_of<T>(), values.data(), N);
  }
  /// A second name for a data set: no copy.
  void hard_link(const std::string& existing, const std::string& name);

  /// The file's bytes with a seal (length and Hash64) behind them, which other readers of HDF5 ignore.
  Result<std::vector<std::byte>> finish();

 private:
  void write_rows(const std::string& path, Layout layout, const void* data, std::size_t n);
  void write_attribute(const std::string& object, const std::string& name, Layout layout, const void* data,
                       std::size_t n);
  void fail(const std::string& what);
  std::int64_t file_ = -1;
  std::optional<Error> failure_;
};

/// Reads a file. Errors are kept, and what was asked for is left empty or as it was; look at failure() before use.
class Reader {
 public:
  /// Verifies the seal. Errors: damaged, cut short, or not written by Writer.
  static Result<Reader> open(const std::filesystem::path& file);
  static Result<Reader> open(std::vector<std::byte> sealed, std::string name);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) = delete;

  template <class T>
  void read(const std::string& path, std::vector<T>& rows) {
    rows.clear();
    const std::optional<std::size_t> n = rows_of(path, layout_of<T>());
    if (!n) return;
    rows.resize(*n);
    if (!read_rows(path, layout_of<T>(), rows.data())) rows.clear();
  }
  void read_strings(const std::string& path, std::vector<std::string>& rows);
  template <class T>
  requires std::is_arithmetic_v<T>
  void attribute(const std::string& object, const std::string& name, T& value) {
    read_attribute(object, name, layout_of<T>(), &value, 1);
  }
  template <class T, std::size_t N>
  void attribute(const std::string& object, const std::string& name, std::array<T, N>& values) {
    read_attribute(object, name, layout_of<T>(), values.data(), N);
  }
  void attribute(const std::string& object, const std::string& name, std::string& text);

  /// Whether there is an object at `path` whose groups above it exist.
  bool has(const std::string& path) const;
  bool has_attribute(const std::string& object, const std::string& name) const;

  void fail(const std::string& what);
  const std::optional<Error>& failure() const { return failure_; }

 private:
  explicit Reader(std::string name) : name_(std::move(name)) {}
  std::optional<std::size_t> rows_of(const std::string& path, Layout layout);
  bool read_rows(const std::string& path, Layout layout, void* data);
  void read_attribute(const std::string& object, const std::string& name, Layout layout, void* data, std::size_t n);
  std::string name_;
  std::int64_t file_ = -1;
  std::size_t most_bytes_ = 0;  ///< a data set that claims more than deflate could have packed into the file lies
  std::optional<Error> failure_;
};

}  // namespace scree::io::hdf5
