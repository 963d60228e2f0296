#pragma once
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "ranks/ranks.h"

/// Values put behind each other in a parcel, and taken out in the same order.
namespace scree::ranks {

class Writer {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  }
  void add_text(const std::string& text) {
    add(text.size());
    for (const char c : text) add(c);
  }
  Parcel bytes;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> parcel) : at(parcel.data()), end_(at + parcel.size()) {}
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, at, sizeof value), at += sizeof value;
    return value;
  }
  std::string take_text() {
    std::string text(take<std::size_t>(), ' ');
    for (char& c : text) c = take<char>();
    return text;
  }
  bool is_done() const { return at == end_; }
  const std::byte* at;  ///< what comes next

 private:
  const std::byte* end_;
};

}  // namespace scree::ranks
