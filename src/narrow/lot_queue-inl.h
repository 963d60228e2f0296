// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_NARROW_LOT_QUEUE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_LOT_QUEUE_INL_H
#undef SCREE_NARROW_LOT_QUEUE_INL_H
#else
#define SCREE_NARROW_LOT_QUEUE_INL_H
#endif

#include <cstdint>
#include <vector>

#include "narrow/common_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Touching pairs of a call whose overlaps have the form that `Lot` knows: they wait until there are as many as a
/// vector holds.
template <class Lot>
class Queue {
 public:
  Lot& lot() { return lot_; }
  /// The touching pair `row` has been added to the lot.
  HWY_INLINE void Push(std::uint32_t row, Overlap* found, std::vector<std::uint32_t>* rest) {
    rows_.push_back(row);
    if (lot_.full()) Flush(found, rest);
  }
  /// Writes what is found to its row; rows that are not of this form go to `rest`.
  HWY_INLINE void Flush(Overlap* found, std::vector<std::uint32_t>* rest) {
    if (rows_.empty()) return;
    lot_.Find();
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (!lot_.Result(k, found + rows_[k])) rest->push_back(rows_[k]);
    }
    lot_.clear(), rows_.clear();
  }

 private:
  Lot lot_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
