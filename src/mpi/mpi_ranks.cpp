// Ranks by MPI; in a build without it there is no_mpi.cpp.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "mpi/launch.h"
#include "mpi/launcher.h"

namespace scree::mpi {

namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // MPI counts with int

class MpiRanks final : public ranks::Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_), MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &here_);
    MPI_Comm_free(&machine);
  }
  ~MpiRanks() override { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int on_this_machine() const override { return here_; }
  void end_all(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  template <class T>
  static void reduce(std::span<T> values, MPI_Datatype type, MPI_Op op) {
    for (std::size_t at = 0; at < values.size(); at += kMostAtOnce)
      MPI_Allreduce(MPI_IN_PLACE, values.data() + at, static_cast<int>(std::min(kMostAtOnce, values.size() - at)), type,
                    op, MPI_COMM_WORLD);
  }
  void do_sum(std::span<std::int64_t> values, ranks::At) override { reduce(values, MPI_INT64_T, MPI_SUM); }
  void do_max(std::span<double> values, ranks::At) override { reduce(values, MPI_DOUBLE, MPI_MAX); }
  void do_min(std::span<std::uint64_t> values, ranks::At) override { reduce(values, MPI_UINT64_T, MPI_MIN); }
  void do_share(std::span<std::byte> all, std::span<const std::size_t> starts, ranks::At) override {
    const auto n = static_cast<std::size_t>(size_);
    if (all.size() <= kMostAtOnce) {
      counts_.resize(n), places_.resize(n);
      for (std::size_t r = 0; r < n; ++r)
        places_[r] = static_cast<int>(starts[r]), counts_[r] = static_cast<int>(starts[r + 1] - starts[r]);
      MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), counts_.data(), places_.data(), MPI_BYTE,
                     MPI_COMM_WORLD);
      return;
    }
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t at = starts[r]; at < starts[r + 1]; at += kMostAtOnce)
        MPI_Bcast(all.data() + at, static_cast<int>(std::min(kMostAtOnce, starts[r + 1] - at)), MPI_BYTE,
                  static_cast<int>(r), MPI_COMM_WORLD);
  }

  int rank_ = 0, size_ = 1, here_ = 1;
  std::vector<int> counts_, places_;
};

}  // namespace

Result<std::unique_ptr<ranks::Ranks>> join() {
  if (launched() == 0) return std::unique_ptr<ranks::Ranks>(std::make_unique<ranks::OneRank>());
  return std::unique_ptr<ranks::Ranks>(std::make_unique<MpiRanks>());
}

}  // namespace scree::mpi
