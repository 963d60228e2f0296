#include "ranks/ranks.h"

#include <cstring>

namespace scree::ranks {

void Ranks::sum(std::span<ExactSum* const> sums, At at) {
  words_.resize(sums.size() * ExactSum::kPacked);
  const auto of = [this](std::size_t k) {
    return std::span<std::int64_t, ExactSum::kPacked>(words_.data() + k * ExactSum::kPacked, ExactSum::kPacked);
  };
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k]->pack(of(k));
  sum(words_, at);
  for (std::size_t k = 0; k < sums.size(); ++k) *sums[k] = ExactSum::unpack(of(k));
}

namespace {

std::vector<std::size_t> running_sum(const std::vector<std::int64_t>& sizes) {
  std::vector<std::size_t> starts(sizes.size() + 1);
  for (std::size_t r = 0; r < sizes.size(); ++r) starts[r + 1] = starts[r] + static_cast<std::size_t>(sizes[r]);
  return starts;
}

}  // namespace

void Ranks::share(std::span<std::byte> all, std::span<const std::size_t> starts, At at) {
  const auto me = static_cast<std::size_t>(rank());
  traffic_.messages += static_cast<std::uint64_t>(size() - 1);
  traffic_.bytes += (starts[me + 1] - starts[me]) * static_cast<std::uint64_t>(size() - 1);
  call([&] { do_share(all, starts, at); });
}

void Ranks::swap(std::span<const std::byte> out, std::span<const std::size_t> out_starts, std::span<std::byte> in,
                 std::span<const std::size_t> in_starts, At at) {
  const auto me = static_cast<std::size_t>(rank());
  for (std::size_t r = 0; r + 1 < out_starts.size(); ++r)
    if (r != me && out_starts[r + 1] > out_starts[r])
      ++traffic_.messages, traffic_.bytes += out_starts[r + 1] - out_starts[r];
  call([&] { do_swap(out, out_starts, in, in_starts, at); });
}

Parcels Ranks::gather(std::span<const std::byte> mine, At at) {
  const auto n = static_cast<std::size_t>(size()), me = static_cast<std::size_t>(rank());
  std::vector<std::int64_t> sizes(n);
  sizes[me] = static_cast<std::int64_t>(mine.size());
  sum(sizes, at);
  const std::vector<std::size_t> starts = running_sum(sizes);
  Parcel all(starts[n]);
  if (!mine.empty()) std::memcpy(all.data() + starts[me], mine.data(), mine.size());
  share(all, starts, at);
  return {std::move(all), starts};
}

Parcels Ranks::swap_sizes_and(std::span<const std::byte> out, const std::vector<std::int64_t>& sizes, At at) {
  std::vector<std::int64_t> in_sizes(sizes.size());
  call([&] { do_swap_one(sizes, in_sizes, at); });
  const std::vector<std::size_t> starts = running_sum(in_sizes);
  Parcel in(starts.back());
  swap(out, running_sum(sizes), in, starts, at);
  return {std::move(in), starts};
}

Parcels Ranks::gather_at_first(std::span<const std::byte> mine, At at) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(size()));
  sizes[0] = static_cast<std::int64_t>(mine.size());
  Parcels in = swap_sizes_and(mine, sizes, at);
  return is_first() ? std::move(in) : Parcels();
}

void Ranks::do_swap_one(std::span<const std::int64_t> out, std::span<std::int64_t> in, At at) {
  std::vector<std::size_t> starts(out.size() + 1);
  for (std::size_t r = 0; r < starts.size(); ++r) starts[r] = r * sizeof(std::int64_t);
  do_swap(std::as_bytes(out), starts, std::as_writable_bytes(in), starts, at);
}

Parcels Ranks::exchange(std::vector<Parcel> out, At at) {
  std::vector<std::int64_t> sizes;
  for (const Parcel& parcel : out) sizes.push_back(static_cast<std::int64_t>(parcel.size()));
  Parcel all;
  all.reserve(running_sum(sizes).back());
  for (Parcel& parcel : out) {
    all.insert(all.end(), parcel.begin(), parcel.end());
    Parcel().swap(parcel);
  }
  return swap_sizes_and(all, sizes, at);
}

std::vector<int> Ranks::unlike_first(std::uint64_t value, At at) {
  std::vector<std::uint64_t> values;
  for (const auto parcel : gather(std::as_bytes(std::span(&value, 1)), at))
    std::memcpy(&values.emplace_back(), parcel.data(), sizeof value);
  std::vector<int> unlike;
  for (std::size_t r = 0; r < values.size(); ++r)
    if (values[r] != values[0]) unlike.push_back(static_cast<int>(r));
  return unlike;
}

Parcel Ranks::tell(int from, std::span<const std::byte> mine, At at) {
  if (rank() != from) mine = {};
  const Parcels all = gather(mine, at);
  const auto told = all[static_cast<std::size_t>(from)];
  return {told.begin(), told.end()};
}

std::string Ranks::tell(int from, const std::string& text, At at) {
  const Parcel told = tell(from, std::as_bytes(std::span(text)), at);
  return {reinterpret_cast<const char*>(told.data()), told.size()};
}

std::string name_of(const Ranks& all, int rank) {
  const std::string name = "rank " + std::to_string(rank);
  return all.machines().empty() ? name : name + " on " + all.machines()[static_cast<std::size_t>(rank)];
}

std::string names_of(const Ranks& all, const std::vector<int>& some) {
  constexpr std::size_t kFew = 4;
  std::string names;
  for (std::size_t k = 0; k < std::min(kFew, some.size()); ++k) names += (k > 0 ? ", " : "") + name_of(all, some[k]);
  return some.size() > kFew ? names + " and " + std::to_string(some.size() - kFew) + " more" : names;
}

}  // namespace scree::ranks
