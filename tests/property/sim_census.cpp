// What is known of all grains, against what they say one by one: when grains come, leave, and after a restart.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "exec/parallel.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

Census expected(const Simulation& s) {
  const Particles& p = s.particles;
  Census c;
  c.grains = p.size_rows(), c.pairs = s.pairs.size();
  if (c.grains == 0) return c;
  std::vector<double> radii = p.radius;
  std::sort(radii.begin(), radii.end());
  c.widest = radii.back(), c.median = radii[radii.size() / 2];
  c.lightest = *std::min_element(p.mass.begin(), p.mass.end());
  return c;
}

TEST(Census, IsThatOfASortForAnyRadiiAndThreads) {
  std::mt19937_64 draw(3);
  for (const std::size_t n : {0u, 1u, 2u, 3u, 500u, 4096u, 4097u, 30011u}) {
    for (const double spread : {0.0, 1e-12, 3.0, 300.0}) {
      Simulation s;
      s.particles.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        std::uniform_real_distribution<double> share(-1, 1);
        s.particles.radius[i] = 0.01 * std::exp(spread * share(draw)), s.particles.mass[i] = 1 + share(draw) / 2;
      }
      for (const int threads : {1, 3}) {
        exec::set_threads(threads);
        take_census(s);
        EXPECT_EQ(s.census, expected(s)) << n << " spread " << spread;
      }
    }
  }
  exec::set_threads(0);
}

TEST(Census, FollowsGrainsThatComeAndLeave) {
  Case c = scenes::empty_case();
  contact::Bloks3d law;
  law.kn = 2e4, law.ks = 1e4, law.friction_angle = 0.4;
  law.damping_ratio = 0.2, law.damping_sliding = 0.01, law.damping_sticking = 0.9;
  c.contacts[0].law = law;
  Case::Group g;
  g.name = "rain", g.count = 300, g.shapes = {"sphere"};
  g.size = {Case::Size::Kind::uniform, 0.008, 0.012};
  g.velocity = {0, 0, -1};
  Case::Pour pour;
  pour.region = {{0, 0, 0.3}, {0.1, 0.1, 0.34}};
  pour.number_rate = 500;
  g.place = pour;
  c.particles = {g};
  Case::Outlet below;
  below.name = "below", below.normal = {0, 0, -1}, below.point = {0, 0, 0.2};
  c.outlets = {below};
  Simulation s = scenes::build(c);
  std::size_t came = 0, left = 0, before = s.particles.size_rows();
  while (s.time < 0.5 && !s.fault) {
    step(s);
    ASSERT_EQ(s.census, expected(s)) << "step " << s.step;
    const std::size_t n = s.particles.size_rows();
    came += n > before ? 1 : 0, left += n < before ? 1 : 0, before = n;
  }
  EXPECT_FALSE(s.fault);
  EXPECT_GT(came, 2u);
  EXPECT_GT(left, 2u);
}

}  // namespace
}  // namespace scree
