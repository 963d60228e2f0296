#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "sim/case.h"

namespace scree::io {

/// Whatever was accepted can be handed to the simulation: rows exist, numbers are finite and in range.
inline void expect_holds_together(const Case& c) {
  const auto material = [&](int m) { EXPECT_TRUE(m >= 0 && m < static_cast<int>(c.materials.size())); };
  const auto group = [&](const Case::Group& g) {
    material(g.material);
    EXPECT_GE(g.count, 1u);
    EXPECT_LE(g.count, 100'000'000u);
    EXPECT_FALSE(g.shapes.empty());
    EXPECT_LT(g.cluster, static_cast<int>(c.clusters.size()));
    if (g.cluster < 0) {
      EXPECT_TRUE(g.size.smallest() > 0 && g.size.largest() >= g.size.smallest() && std::isfinite(g.size.largest()));
    }
    EXPECT_NEAR(norm2(g.orientation.fixed), 1, 1e-12);
    EXPECT_TRUE(is_finite(g.velocity) && is_finite(g.angular_velocity));
    if (const auto* l = std::get_if<Case::Lattice>(&g.place)) {
      if (l->region) {
        EXPECT_TRUE(is_finite(l->region->min) && is_finite(l->region->max));
        for (std::size_t k = 0; k < 3; ++k) EXPECT_LE(l->region->min[k], l->region->max[k]);
      } else {
        EXPECT_TRUE(l->box >= 0 && l->box < static_cast<int>(c.boxes.size()));
      }
      EXPECT_TRUE(!l->spacing || *l->spacing > 0);
      EXPECT_TRUE(l->jitter >= 0 && l->jitter < 0.5);
    } else if (const auto* pour = std::get_if<Case::Pour>(&g.place)) {
      EXPECT_TRUE(!pour->region.is_empty() && pour->mass_rate + pour->number_rate > 0);
    } else if (const auto* r = std::get_if<Case::AtRandom>(&g.place)) {
      EXPECT_TRUE(!r->region.is_empty() && r->region.volume(c.dimensions == 2) > 0 && r->gap >= 0);
    } else {
      EXPECT_EQ(std::get<Case::AtPoints>(g.place).points.size(), g.count);
    }
  };
  const auto wall = [&](const Case::Wall& w) {
    material(w.material);
    EXPECT_TRUE(w.mesh || std::abs(norm(w.normal) - 1) < 1e-12);
    EXPECT_TRUE(is_finite(w.point) && is_finite(w.motion.velocity));
  };
  EXPECT_TRUE(is_finite(c.gravity));
  for (const auto& m : c.materials) EXPECT_TRUE(m.density > 0 && std::isfinite(m.density));
  for (const auto& p : c.contacts) {
    material(p.material_a), material(p.material_b);
    std::visit(
        [](auto law) {
          law.prepare(1);
          const contact::Geometry g = contact::reference_contact(1e-4, 0.01, 0.01);
          EXPECT_TRUE(law.friction_angle >= 0 && law.friction_angle < 1.5708 && law.damping_ratio >= 0);
          EXPECT_TRUE(law.elastic_normal_force(g) > 0 && std::isfinite(law.elastic_normal_force(g)));
          EXPECT_TRUE(law.shear_stiffness(g) >= 0 && std::isfinite(law.shear_stiffness(g) + law.damping_ratio));
        },
        p.law);
  }
  for (const auto& b : c.boxes) EXPECT_TRUE(b.min.x < b.max.x && b.min.y < b.max.y && b.min.z < b.max.z);
  for (const auto& w : c.walls) wall(w);
  for (const auto& g : c.particles) group(g);
  EXPECT_FALSE(c.stages.empty());
  for (const auto& s : c.stages) {
    EXPECT_TRUE(s.duration || s.kinetic_energy_below);
    for (const auto& w : s.add) wall(w);
    for (const auto& g : s.insert) group(g);
    for (const auto& f : s.friction) material(f.material_a), material(f.material_b);
  }
  EXPECT_TRUE(c.output.every > 0 && c.time_step.fraction > 0 && c.time_step.fraction <= 1);
}

}  // namespace scree::io
