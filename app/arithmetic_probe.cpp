#include "app/arithmetic_probe.h"

#include <cmath>

#include "base/hash.h"
#include "exec/parallel.h"
#include "io/results/build_info.h"
#include "scenes/scenes.h"

namespace scree::app {

namespace {

void add_functions(Hash64& hash) {
  double x = 0.013;
  for (int k = 0; k < 35; ++k, x *= 1.17) {
    for (const double y : {std::sin(x), std::cos(x), std::tan(x), std::atan(x), std::atan2(x, 0.7), std::exp(-x),
                           std::log(x), std::pow(x, 1.5), std::cbrt(x), std::hypot(x, 0.3), std::sqrt(x)})
      hash.value(y);
  }
}

void add_bed(Hash64& hash, Case c, double gravity) {
  constexpr int kSteps = 60;
  c.gravity = {0, 0, -gravity};
  Simulation s = scenes::build(c);
  for (int k = 0; k < kSteps && !s.fault; ++k) step(s);
  hash.value(state_hash(s));
}

}  // namespace

std::uint64_t arithmetic_probe() {
  const exec::Context one(1);
  const exec::Use use(one);
  Hash64 hash;
  const std::string program = std::string(io::kBuildInfo.version) + " " + std::string(io::kBuildInfo.commit);
  hash.bytes(program.data(), program.size());
  add_functions(hash);
  add_bed(hash, scenes::box_fill(20), 30000), add_bed(hash, scenes::sphere_bed(30), 3000);
  return hash.digest();
}

}  // namespace scree::app
