#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/exact_sum.h"
#include "base/timer.h"
#include "base/two_largest.h"

/// Who makes a run together: processes of one or many machines, or threads that stand for them.
namespace scree::ranks {

using Parcel = std::vector<std::byte>;

/// What ranks have sent, by rank.
class Parcels {
 public:
  Parcels() = default;
  /// Bytes starts[r] ... starts[r + 1] are those of rank r.
  Parcels(Parcel all, const std::vector<std::size_t>& starts) : all_(std::move(all)) {
    for (std::size_t r = 0; r + 1 < starts.size(); ++r)
      of_.push_back(std::span<const std::byte>(all_).subspan(starts[r], starts[r + 1] - starts[r]));
  }
  Parcels(const Parcels&) = delete;
  Parcels(Parcels&&) noexcept = default;
  Parcels& operator=(const Parcels&) = delete;
  Parcels& operator=(Parcels&&) noexcept = default;
  ~Parcels() = default;

  std::size_t size() const { return of_.size(); }
  std::span<const std::byte> operator[](std::size_t rank) const { return of_[rank]; }
  auto begin() const { return of_.begin(); }
  auto end() const { return of_.end(); }

 private:
  Parcel all_;
  std::vector<std::span<const std::byte>> of_;
};

/// Where in the source a collective call stands.
struct At {
  const char* file = "";
  unsigned line = 0;
  static constexpr At current(const char* of = __builtin_FILE(), unsigned in = __builtin_LINE()) { return {of, in}; }
};

/// The two largest of some values and the least of others, which travel together.
struct Extremes {
  TwoLargest largest;
  std::uint64_t least = ~std::uint64_t{0};
  void take(const Extremes& o) { largest.take(o.largest), least = std::min(least, o.least); }
};

/// What collective calls have come to, since the start.
struct Traffic {
  std::uint64_t calls = 0, messages = 0, bytes = 0;  ///< messages and bytes: sent, but for what reductions take
  double seconds = 0;                                ///< within them, waiting for the others included
};

/// One of those who take part. What is not const is collective: called by all of them, in one order, from one place in
/// the source. There is no sum of doubles, whose bits would hang on who holds which term: ExactSum is there for that.
/// Where one of them is gone the others do not come back from a call: it throws, or the process ends.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_first() const { return rank() == 0; }
  /// How many of them this machine has.
  virtual int on_this_machine() const { return size(); }
  /// Names of their machines, by rank; none where all have one machine.
  const std::vector<std::string>& machines() const { return machines_; }
  /// Ends all processes of the run at once: for one that cannot go on, while the others wait for it.
  virtual void end_all(int /*code*/) {}

  const Traffic& traffic() const { return traffic_; }
  /// One more at the beginning and at the end of each collective call, so odd within one. Any thread may ask.
  std::uint64_t calls_met() const { return met_; }

  /// Each value becomes its sum, its largest, its least over all ranks.
  void sum(std::span<std::int64_t> values, At at = At::current()) {
    call([&] { do_sum(values, at); });
  }
  void max(std::span<double> values, At at = At::current()) {
    call([&] { do_max(values, at); });
  }
  void min(std::span<std::uint64_t> values, At at = At::current()) {
    call([&] { do_min(values, at); });
  }
  void sum(std::span<ExactSum* const> sums, At at = At::current());
  std::int64_t sum_of(std::int64_t value, At at = At::current()) { return sum({&value, 1}, at), value; }
  /// Those of all ranks.
  void extremes(Extremes& of, At at = At::current()) {
    call([&] { do_extremes(of, at); });
  }
  double max_of(double value, At at = At::current()) { return max({&value, 1}, at), value; }
  std::uint64_t min_of(std::uint64_t value, At at = At::current()) { return min({&value, 1}, at), value; }

  /// Bytes starts[r] ... starts[r + 1] of `all` are rank r's to give: all get them.
  void share(std::span<std::byte> all, std::span<const std::size_t> starts, At at = At::current());
  /// What each has given, by rank.
  Parcels gather(std::span<const std::byte> mine, At at = At::current());
  /// The same at the first rank; nothing at the others.
  Parcels gather_at_first(std::span<const std::byte> mine, At at = At::current());
  /// Bytes out_starts[r] ... out_starts[r + 1] of `out` go to rank r; what comes from it fills bytes in_starts[r] ...
  /// in_starts[r + 1] of `in`: each knows how much that is.
  void swap(std::span<const std::byte> out, std::span<const std::size_t> out_starts, std::span<std::byte> in,
            std::span<const std::size_t> in_starts, At at = At::current());
  /// A parcel to each rank, most of them empty as a rule; returns what each has sent here.
  Parcels exchange(std::vector<Parcel> out, At at = At::current());
  /// Those whose value is another than the first one's.
  std::vector<int> unlike_first(std::uint64_t value, At at = At::current());
  /// What `from` has given.
  Parcel tell(int from, std::span<const std::byte> mine, At at = At::current());
  std::string tell(int from, const std::string& text, At at = At::current());

 protected:
  virtual void do_sum(std::span<std::int64_t> values, At at) = 0;
  virtual void do_max(std::span<double> values, At at) = 0;
  virtual void do_min(std::span<std::uint64_t> values, At at) = 0;
  virtual void do_extremes(Extremes& of, At at) = 0;
  virtual void do_share(std::span<std::byte> all, std::span<const std::size_t> starts, At at) = 0;
  virtual void do_swap(std::span<const std::byte> out, std::span<const std::size_t> out_starts, std::span<std::byte> in,
                       std::span<const std::size_t> in_starts, At at) = 0;
  /// What goes to each rank lies behind each other, so many bytes each.
  Parcels swap_sizes_and(std::span<const std::byte> out, const std::vector<std::int64_t>& sizes, At at);
  /// out[r] goes to rank r, in[r] comes from it.
  virtual void do_swap_one(std::span<const std::int64_t> out, std::span<std::int64_t> in, At at);
  std::vector<std::string> machines_;

 private:
  template <class F>
  void call(F&& f) {
    const Timer timer(traffic_.seconds);
    const Met met(met_);
    ++traffic_.calls;
    f();
  }
  struct Met {
    explicit Met(std::atomic<std::uint64_t>& of) : of_(of) { ++of_; }
    ~Met() { ++of_; }
    Met(const Met&) = delete;
    Met& operator=(const Met&) = delete;
    std::atomic<std::uint64_t>& of_;
  };

  Traffic traffic_;
  std::atomic<std::uint64_t> met_ = 0;
  std::vector<std::int64_t> words_;  // buffer
};

/// The only one: nothing has to be said to anybody.
class OneRank : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }

 private:
  void do_sum(std::span<std::int64_t>, At) override {}
  void do_max(std::span<double>, At) override {}
  void do_min(std::span<std::uint64_t>, At) override {}
  void do_extremes(Extremes&, At) override {}
  void do_share(std::span<std::byte>, std::span<const std::size_t>, At) override {}
  void do_swap(std::span<const std::byte> out, std::span<const std::size_t>, std::span<std::byte> in,
               std::span<const std::size_t>, At) override {
    std::ranges::copy(out, in.begin());
  }
};

/// "rank 3 on node2", "rank 3" where all have one machine.
std::string name_of(const Ranks& all, int rank);
/// The first few of them: "rank 3, rank 5".
std::string names_of(const Ranks& all, const std::vector<int>& some);

}  // namespace scree::ranks
