// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_BASE_COMPRESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_BASE_COMPRESS_INL_H
#undef SCREE_BASE_COMPRESS_INL_H
#else
#define SCREE_BASE_COMPRESS_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace scree::HWY_NAMESPACE {

/// The lanes of v for which the mask holds, one behind the other at `out`, which has room for a whole vector; returns
/// their number. As Highway's own, whose tables for processors without AVX-512 are local arrays of up to 1 KiB that
/// GCC 12 copies to the stack at every call.
template <class D, class V, class M>
HWY_INLINE std::size_t StoreWhere(V v, M mask, D d, hwy::HWY_NAMESPACE::TFromD<D>* HWY_RESTRICT out) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
  HWY_ALIGN hn::TFromD<D> lane[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
  hn::Store(v, d, lane);
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  std::size_t n = 0;
#if HWY_MAX_BYTES > 8
#pragma GCC unroll 8
#endif
  for (std::size_t k = 0; k < hn::MaxLanes(d); ++k) out[n] = lane[k], n += (bits[0] >> k) & 1u;
  return n;
#else
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // By a register: what a store under a mask wrote is passed on to loads only from the cache.
  if constexpr (sizeof(hn::TFromD<D>) == 8 && hn::MaxLanes(D()) == 8) {
    const auto bits = hn::BitCast(hn::Repartition<double, D>(), v);
    const decltype(bits) packed{_mm512_maskz_compress_pd(mask.raw, bits.raw)};
    hn::StoreU(hn::BitCast(d, packed), d, out);
    return hn::CountTrue(d, mask);
  }
#endif
  return hn::CompressStore(v, mask, d, out);
#endif
}

}  // namespace scree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
