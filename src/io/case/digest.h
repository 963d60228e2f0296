#pragma once
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/vec.h"

namespace scree::io {

/// Feeds values to a hash, lengths and presence included, so that no two descriptions run together.
struct Digest {
  Hash64 h;

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void add(T v) { h.value(v); }
  void add(const Vec3& v) { add(v.x), add(v.y), add(v.z); }
  void add(const Quat& q) { add(q.w), add(q.x), add(q.y), add(q.z); }
  void add(const std::string& s) { add(s.size()), h.bytes(s.data(), s.size()); }
  void add(const std::pair<std::uint32_t, std::uint32_t>& p) { add(p.first), add(p.second); }
  template <class T>
  void add(const std::optional<T>& v) {
    add(v.has_value());
    if (v) add(*v);
  }
  template <class T, std::size_t N>
  void add(const std::array<T, N>& list) {
    for (const T& v : list) add(v);
  }
  template <class T>
  void add(const std::vector<T>& list) {
    add(list.size());
    for (const T& v : list) add(v);
  }
};

}  // namespace scree::io
