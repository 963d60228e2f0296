// What libFuzzer calls. SCREE_FUZZ_SEEDS=FOLDER has the seeds written there, and the corpus SCREE_FUZZ_CORPUS, and
// ends.
#include <iomanip>
#include <sstream>

#include "fuzz/fuzz.h"
#include "fuzz/lines.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* folder = std::getenv("SCREE_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  std::vector<std::string> all = scree::fuzz::seeds();
  if (const char* file = std::getenv("SCREE_FUZZ_CORPUS")) {
    const auto corpus = scree::fuzz::read_lines(file);
    if (!corpus) {
      std::cerr << file << ": no corpus\n";
      std::exit(1);
    }
    all.insert(all.end(), corpus->begin(), corpus->end());
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::ostringstream name;
    name << folder << "/seed_" << std::setw(6) << std::setfill('0') << k;
    std::ofstream(name.str(), std::ios::binary) << all[k];
  }
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scree::fuzz::take({reinterpret_cast<const char*>(data), size});
  return 0;
}
