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

std::vector<Parcel> cut(const Parcel& all, const std::vector<std::size_t>& starts) {
  std::vector<Parcel> parcels;
  for (std::size_t r = 0; r + 1 < starts.size(); ++r)
    parcels.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(starts[r]),
                         all.begin() + static_cast<std::ptrdiff_t>(starts[r + 1]));
  return parcels;
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

std::vector<Parcel> Ranks::gather(std::span<const std::byte> mine, At at) {
  const auto n = static_cast<std::size_t>(size()), me = static_cast<std::size_t>(rank());
  std::vector<std::int64_t> sizes(n);
  sizes[me] = static_cast<std::int64_t>(mine.size());
  sum(sizes, at);
  const std::vector<std::size_t> starts = running_sum(sizes);
  Parcel all(starts[n]);
  if (!mine.empty()) std::memcpy(all.data() + starts[me], mine.data(), mine.size());
  share(all, starts, at);
  return cut(all, starts);
}

std::vector<Parcel> Ranks::gather_at_first(std::span<const std::byte> mine, At at) {
  std::vector<Parcel> out(static_cast<std::size_t>(size()));
  out[0].assign(mine.begin(), mine.end());
  std::vector<Parcel> in = exchange(out, at);
  if (!is_first()) in.clear();
  return in;
}

void Ranks::do_swap_one(std::span<const std::int64_t> out, std::span<std::int64_t> in, At at) {
  std::vector<std::size_t> starts(out.size() + 1);
  for (std::size_t r = 0; r < starts.size(); ++r) starts[r] = r * sizeof(std::int64_t);
  do_swap(std::as_bytes(out), starts, std::as_writable_bytes(in), starts, at);
}

std::vector<Parcel> Ranks::exchange(const std::vector<Parcel>& out, At at) {
  const auto n = static_cast<std::size_t>(size());
  std::vector<std::int64_t> out_sizes(n), in_sizes(n);
  Parcel all;
  for (std::size_t r = 0; r < n; ++r) {
    out_sizes[r] = static_cast<std::int64_t>(out[r].size());
    all.insert(all.end(), out[r].begin(), out[r].end());
  }
  call([&] { do_swap_one(out_sizes, in_sizes, at); });
  const std::vector<std::size_t> starts = running_sum(in_sizes);
  Parcel in(starts[n]);
  swap(all, running_sum(out_sizes), in, starts, at);
  return cut(in, starts);
}

std::vector<int> Ranks::unlike_first(std::uint64_t value, At at) {
  std::vector<std::uint64_t> values;
  for (const Parcel& parcel : gather(std::as_bytes(std::span(&value, 1)), at))
    std::memcpy(&values.emplace_back(), parcel.data(), sizeof value);
  std::vector<int> unlike;
  for (std::size_t r = 0; r < values.size(); ++r)
    if (values[r] != values[0]) unlike.push_back(static_cast<int>(r));
  return unlike;
}

std::string Ranks::tell(int from, const std::string& text, At at) {
  const std::string mine = rank() == from ? text : std::string();
  const Parcel told = gather(std::as_bytes(std::span(mine)), at)[static_cast<std::size_t>(from)];
  return {reinterpret_cast<const char*>(told.data()), told.size()};
}

}  // namespace scree::ranks
