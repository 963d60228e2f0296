// Ranks by MPI; in a build without it there is no_mpi.cpp.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
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
    find_machines();
    MPI_Type_contiguous(sizeof(ranks::Extremes), MPI_BYTE, &extremes_);
    MPI_Type_commit(&extremes_);
    MPI_Op_create(
        [](void* in, void* inout, int* n, MPI_Datatype*) {
          for (int k = 0; k < *n; ++k)
            static_cast<ranks::Extremes*>(inout)[k].take(static_cast<const ranks::Extremes*>(in)[k]);
        },
        1, &take_extremes_);
  }
  ~MpiRanks() override { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int on_this_machine() const override { return here_; }
  void end_all(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  void find_machines() {
    using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
    std::vector<Name> names(static_cast<std::size_t>(size_));
    int length = 0;
    MPI_Get_processor_name(names[static_cast<std::size_t>(rank_)].data(), &length);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, names.data(), sizeof(Name), MPI_BYTE, MPI_COMM_WORLD);
    if (std::ranges::all_of(names, [&](const Name& name) { return name == names[0]; })) return;
    for (const Name& name : names) machines_.emplace_back(name.data());
  }
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
  void do_extremes(ranks::Extremes& of, ranks::At) override {
    MPI_Allreduce(MPI_IN_PLACE, &of, 1, extremes_, take_extremes_, MPI_COMM_WORLD);
  }
  /// With those alone to whom there is something to say.
  void do_swap(std::span<const std::byte> out, std::span<const std::size_t> out_starts, std::span<std::byte> in,
               std::span<const std::size_t> in_starts, ranks::At) override {
    requests_.clear();
    const auto each_piece = [this](std::span<const std::size_t> starts, auto&& f) {
      for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        const std::size_t end = starts[static_cast<std::size_t>(r) + 1];
        for (std::size_t at = starts[static_cast<std::size_t>(r)]; at < end; at += kMostAtOnce)
          f(r, at, static_cast<int>(std::min(kMostAtOnce, end - at)));
      }
    };
    each_piece(in_starts, [&](int r, std::size_t at, int bytes) {
      MPI_Irecv(in.data() + at, bytes, MPI_BYTE, r, 0, MPI_COMM_WORLD, &requests_.emplace_back());
    });
    each_piece(out_starts, [&](int r, std::size_t at, int bytes) {
      MPI_Isend(out.data() + at, bytes, MPI_BYTE, r, 0, MPI_COMM_WORLD, &requests_.emplace_back());
    });
    const auto me = static_cast<std::size_t>(rank_);
    std::ranges::copy(out.subspan(out_starts[me], out_starts[me + 1] - out_starts[me]),
                      in.begin() + static_cast<std::ptrdiff_t>(in_starts[me]));
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  void do_swap_one(std::span<const std::int64_t> out, std::span<std::int64_t> in, ranks::At) override {
    MPI_Alltoall(out.data(), 1, MPI_INT64_T, in.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  }

  int rank_ = 0, size_ = 1, here_ = 1;
  MPI_Datatype extremes_ = MPI_DATATYPE_NULL;
  MPI_Op take_extremes_ = MPI_OP_NULL;
  std::vector<int> counts_, places_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

Result<std::unique_ptr<ranks::Ranks>> join() {
  const auto [n, tells_of_all] = launch();
  std::unique_ptr<ranks::Ranks> ranks;
  if (n == 0 || !tells_of_all)
    ranks = std::make_unique<ranks::OneRank>();  // MPI_Init would end the process
  else
    ranks = std::make_unique<MpiRanks>();
  if (ranks->size() >= n) return ranks;
  return Error{"started as one of " + std::to_string(n) + " processes, of which MPI finds " +
               std::to_string(ranks->size()) +
               ": each would make the whole run by itself; start them with Open MPI's mpirun or with srun --mpi=pmix"};
}

}  // namespace scree::mpi
