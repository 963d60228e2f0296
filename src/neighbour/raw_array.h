#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>

namespace scree::neighbour {

/// Memory for numbers, kept from call to call and never cleared: whoever reads an element has written it.
template <class T>
class RawArray {
 public:
  /// Room for n; what was held is lost where it has to grow.
  void reserve_anew(std::size_t n) {
    if (n <= size_) return;
    // A buffer that grew before will grow again.
    const std::size_t room = size_ == 0 ? n : n + n / 16;
    data_.reset();
    data_ = std::make_unique_for_overwrite<T[]>(room);
    size_ = room;
  }
  /// Room for n; the first `used` are kept.
  void grow(std::size_t n, std::size_t used) {
    const std::size_t room = std::max(n, size_ + size_ / 4);
    auto larger = std::make_unique_for_overwrite<T[]>(room);
    std::copy_n(data_.get(), used, larger.get());
    data_ = std::move(larger);
    size_ = room;
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace scree::neighbour
