#include "ranks/ranks.h"

#include <cstring>

namespace scree::ranks {

void Ranks::sum(std::span<ExactSum* const> sums, At at) {
  std::vector<std::int64_t> words(sums.size() * ExactSum::kPacked);
  const auto of = [&words](std::size_t k) {
    return std::span<std::int64_t, ExactSum::kPacked>(words.data() + k * ExactSum::kPacked, ExactSum::kPacked);
  };
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k]->pack(of(k));
  do_sum(words, at);
  for (std::size_t k = 0; k < sums.size(); ++k) *sums[k] = ExactSum::unpack(of(k));
}

std::vector<Parcel> Ranks::gather(std::span<const std::byte> mine, At at) {
  const auto n = static_cast<std::size_t>(size()), me = static_cast<std::size_t>(rank());
  std::vector<std::int64_t> sizes(n);
  sizes[me] = static_cast<std::int64_t>(mine.size());
  do_sum(sizes, at);
  std::vector<std::size_t> starts(n + 1);
  for (std::size_t r = 0; r < n; ++r) starts[r + 1] = starts[r] + static_cast<std::size_t>(sizes[r]);
  Parcel all(starts[n]);
  if (!mine.empty()) std::memcpy(all.data() + starts[me], mine.data(), mine.size());
  do_share(all, starts, at);
  std::vector<Parcel> parcels;
  for (std::size_t r = 0; r < n; ++r)
    parcels.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(starts[r]),
                         all.begin() + static_cast<std::ptrdiff_t>(starts[r + 1]));
  return parcels;
}

std::string Ranks::tell(int from, const std::string& text, At at) {
  const std::string mine = rank() == from ? text : std::string();
  const Parcel told = gather(std::as_bytes(std::span(mine)), at)[static_cast<std::size_t>(from)];
  return {reinterpret_cast<const char*>(told.data()), told.size()};
}

}  // namespace scree::ranks
