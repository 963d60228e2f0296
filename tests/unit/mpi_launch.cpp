// LIBS: scree_ranks
// A program without MPI that finds itself one of several refuses, whoever has started it. What stands in for MPI in
// such a build is compiled here, whether this one has MPI or not.
#include <gtest/gtest.h>

#include <cstdlib>

#include "mpi/no_mpi.cpp"  // NOLINT(bugprone-suspicious-include)

namespace scree::mpi {
namespace {

class WithoutMpi : public testing::Test {
 protected:
  void SetUp() override { TearDown(); }
  void TearDown() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PMIX_RANK", "SLURM_NTASKS",
                             "SLURM_STEP_NUM_TASKS", "SLURM_PTY_PORT"})
      ::unsetenv(name);
  }
};

TEST_F(WithoutMpi, OneProcessIsTheOnlyRank) {
  EXPECT_EQ(launch().processes, 0);
  ::setenv("SLURM_NTASKS", "8", 1);  // in a job, and not by its launcher
  EXPECT_EQ(launch().processes, 0);
  auto joined = join();
  ASSERT_TRUE(joined);
  EXPECT_EQ((*joined)->size(), 1);
  EXPECT_TRUE((*joined)->is_first());
  ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  EXPECT_TRUE(join());
}

TEST_F(WithoutMpi, SrunIsKnownByItsStep) {
  ::setenv("SLURM_NTASKS", "8", 1), ::setenv("SLURM_STEP_NUM_TASKS", "3", 1);
  EXPECT_EQ(launch().processes, 3);
  EXPECT_FALSE(launch().tells_of_all) << "without PMIx";
  EXPECT_FALSE(join());
  ::setenv("PMI_SIZE", "3", 1);
  EXPECT_FALSE(launch().tells_of_all) << "nor does PMI-2 tell Open MPI";
  ::unsetenv("PMI_SIZE");
  ::setenv("SLURM_PTY_PORT", "40000", 1);
  EXPECT_EQ(launch().processes, 0) << "a shell on a terminal";
  EXPECT_TRUE(join());
  ::setenv("PMIX_RANK", "1", 1);
  EXPECT_EQ(launch().processes, 3);
  EXPECT_TRUE(launch().tells_of_all);
  EXPECT_FALSE(join());
}

TEST_F(WithoutMpi, OneOfSeveralIsRefused) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
    ::setenv(name, "3", 1);
    const auto joined = join();
    ASSERT_FALSE(joined) << name;
    EXPECT_NE(joined.error().message.find("one of 3 processes"), std::string::npos) << joined.error().message;
    EXPECT_NE(joined.error().message.find("built without MPI"), std::string::npos) << joined.error().message;
    ::unsetenv(name);
  }
  ::setenv("PMIX_RANK", "2", 1), ::setenv("SLURM_NTASKS", "8", 1);
  EXPECT_FALSE(join());
}

}  // namespace
}  // namespace scree::mpi
