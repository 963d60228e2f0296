#include "ranks/thread_ranks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "exec/parallel.h"

namespace scree::ranks {

namespace {

/// What the others throw when one of them has gone.
struct Gone : std::runtime_error {
  Gone() : std::runtime_error("another rank has ended") {}
};

std::string text_of(At at) { return std::string(at.file) + ":" + std::to_string(at.line); }

/// Where they meet and show each other what they have: two tables in turns, so that what one call has shown stays until
/// all have come to the next.
class Hall {
 public:
  explicit Hall(std::size_t n) : tables_{std::vector<Shown>(n), std::vector<Shown>(n)}, asleep_(n, 0) {}

  std::size_t size() const { return tables_[0].size(); }
  void leave() {
    is_broken_ = true;
    next_round();
  }
  /// Comes back when all have shown theirs; `whole`: bytes, the same of all. f(rank, bytes) of what each has shown.
  template <class F>
  void show(std::size_t rank, std::uint64_t call, std::span<const std::byte> mine, std::size_t whole, At at, F&& f) {
    std::vector<Shown>& table = tables_[call % 2];
    table[rank].bytes.assign(mine.begin(), mine.end()), table[rank].whole = whole, table[rank].at = at;
    meet(rank);
    const Shown& first = table[0];
    for (const Shown& other : table) {
      if (other.at.line != first.at.line || std::strcmp(other.at.file, first.at.file) != 0)
        throw std::logic_error("ranks have met at " + text_of(first.at) + " and at " + text_of(other.at));
      if (other.whole != first.whole)
        throw std::logic_error("ranks have brought " + std::to_string(first.whole) + " and " +
                               std::to_string(other.whole) + " bytes to " + text_of(at));
    }
    for (std::size_t r = 0; r < size(); ++r) f(r, std::span<const std::byte>(table[r].bytes));
  }

 private:
  struct Shown {
    Parcel bytes;
    std::size_t whole = 0;
    At at = {};
  };

  /// Comes back when all have called it. They come one soon after the other as a rule, and a sleep costs more than the
  /// wait; but where other programs want the cores, each yield may take as long as they are let run: who has met with
  /// that sleeps at once for a while.
  void meet(std::size_t rank) {
    using Clock = std::chrono::steady_clock;
    constexpr int kPatience = 20, kMeetingsAsleep = 1000;
    constexpr auto kDear = std::chrono::microseconds(500);
    const std::uint64_t round = round_;
    if (is_broken_) throw Gone();
    if (++here_ == size()) {
      here_ = 0;
      next_round();
    } else {
      if (asleep_[rank] > 0) {
        --asleep_[rank];
      } else {
        const Clock::time_point began = Clock::now();
        for (int k = 0; k < kPatience && round_ == round; ++k) std::this_thread::yield();
        if (Clock::now() - began > kDear) asleep_[rank] = kMeetingsAsleep;
      }
      if (round_ == round) {
        std::unique_lock lock(mutex_);
        all_here_.wait(lock, [&] { return round_ != round; });
      }
    }
    if (is_broken_) throw Gone();
  }
  void next_round() {
    {
      const std::lock_guard lock(mutex_);
      ++round_;
    }
    all_here_.notify_all();
  }

  std::array<std::vector<Shown>, 2> tables_;
  std::atomic<std::size_t> here_ = 0;
  std::atomic<std::uint64_t> round_ = 0;
  std::atomic<bool> is_broken_ = false;
  std::vector<int> asleep_;  ///< per rank: meetings to come in which it does not yield
  std::mutex mutex_;
  std::condition_variable all_here_;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(Hall& hall, std::size_t rank) : hall_(hall), rank_(rank) {}
  int rank() const override { return static_cast<int>(rank_); }
  int size() const override { return static_cast<int>(hall_.size()); }

 private:
  template <class T, class F>
  void reduce(std::span<T> values, At at, F&& combine) {
    hall_.show(rank_, calls_++, std::as_bytes(values), values.size_bytes(), at,
               [&](std::size_t r, std::span<const std::byte> bytes) {
                 for (std::size_t k = 0; k < values.size(); ++k) {
                   T value;
                   std::memcpy(&value, bytes.data() + k * sizeof(T), sizeof(T));
                   values[k] = r == 0 ? value : combine(values[k], value);
                 }
               });
  }
  void do_sum(std::span<std::int64_t> values, At at) override {
    reduce(values, at, [](std::int64_t a, std::int64_t b) { return a + b; });
  }
  void do_max(std::span<double> values, At at) override {
    reduce(values, at, [](double a, double b) { return std::max(a, b); });
  }
  void do_min(std::span<std::uint64_t> values, At at) override {
    reduce(values, at, [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
  }
  void do_share(std::span<std::byte> all, std::span<const std::size_t> starts, At at) override {
    hall_.show(rank_, calls_++, all.subspan(starts[rank_], starts[rank_ + 1] - starts[rank_]), all.size(), at,
               [&](std::size_t r, std::span<const std::byte> bytes) {
                 std::ranges::copy(bytes, all.begin() + static_cast<std::ptrdiff_t>(starts[r]));
               });
  }
  void do_extremes(Extremes& of, At at) override {
    const Extremes mine = std::exchange(of, {});
    hall_.show(rank_, calls_++, std::as_bytes(std::span(&mine, 1)), sizeof mine, at,
               [&](std::size_t, std::span<const std::byte> bytes) {
                 Extremes other;
                 std::memcpy(&other, bytes.data(), sizeof other);
                 of.take(other);
               });
  }
  /// Shown: where each rank's part begins, then the parts.
  void do_swap(std::span<const std::byte> out, std::span<const std::size_t> out_starts, std::span<std::byte> in,
               std::span<const std::size_t> in_starts, At at) override {
    const auto starts = std::as_bytes(out_starts);
    Parcel shown(starts.begin(), starts.end());
    shown.insert(shown.end(), out.begin(), out.end());
    hall_.show(rank_, calls_++, shown, 0, at, [&](std::size_t r, std::span<const std::byte> bytes) {
      std::size_t ends[2];
      std::memcpy(ends, bytes.data() + rank_ * sizeof(std::size_t), sizeof ends);
      if (ends[1] - ends[0] != in_starts[r + 1] - in_starts[r])
        throw std::logic_error("rank " + std::to_string(r) + " sends " + std::to_string(ends[1] - ends[0]) +
                               " bytes to rank " + std::to_string(rank_) + ", which waits for " +
                               std::to_string(in_starts[r + 1] - in_starts[r]) + ", at " + text_of(at));
      std::ranges::copy(bytes.subspan(starts.size() + ends[0], ends[1] - ends[0]),
                        in.begin() + static_cast<std::ptrdiff_t>(in_starts[r]));
    });
  }

  Hall& hall_;
  std::size_t rank_;
  std::uint64_t calls_ = 0;
};

}  // namespace

void run_as_threads(int ranks, int threads, const std::function<void(Ranks&)>& work) {
  const auto n = static_cast<std::size_t>(ranks);
  Hall hall(n);
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> running;
  for (std::size_t r = 0; r < n; ++r) {
    running.emplace_back([&, r] {
      const exec::Context context(threads);
      const exec::Use use(context);
      ThreadRank me(hall, r);
      try {
        work(me);
      } catch (const Gone&) {
        hall.leave();
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
        hall.leave();
      }
    });
  }
  for (std::thread& t : running) t.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace scree::ranks
