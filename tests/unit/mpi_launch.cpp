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
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PMIX_RANK", "SLURM_NTASKS"})
      ::unsetenv(name);
  }
};

TEST_F(WithoutMpi, OneProcessIsTheOnlyRank) {
  EXPECT_EQ(launched(), 0);
  ::setenv("SLURM_NTASKS", "8", 1);  // in a job, and not by its launcher
  EXPECT_EQ(launched(), 0);
  auto joined = join();
  ASSERT_TRUE(joined);
  EXPECT_EQ((*joined)->size(), 1);
  EXPECT_TRUE((*joined)->is_first());
  ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  EXPECT_TRUE(join());
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
