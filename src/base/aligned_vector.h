#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace scree {

/// Allocator on cache-line boundaries: a full-width vector load then touches one line.
template <class T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheAligned() = default;
  template <class U>
  CacheAligned(const CacheAligned<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
  bool operator==(const CacheAligned&) const = default;
};
template <class T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace scree
