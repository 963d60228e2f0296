#pragma once
#include <set>
#include <string>
#include <vector>

#include "io/case/read_walls.h"
#include "io/case/reading.h"

namespace scree::io {

/// Groups of grains, those of the start and those that stages insert.
class Groups {
 public:
  Groups(Reading& in, const Walls& walls, const std::vector<std::string>& cluster_names)
      : in_(in), walls_(walls), cluster_names_(cluster_names) {}

  /// particles, stages[].insert
  void read(const Node& list, const std::string& path, std::vector<Case::Group>& into);
  bool has(const std::string& name) const { return group_names_.contains(name); }
  /// Groups that are poured, so far.
  const std::vector<std::string>& poured() const { return poured_; }
  /// Of a case that was read before.
  void know_poured(std::vector<std::string> names) { poured_ = std::move(names); }

 private:
  Case::Group group(const Node& n, const std::string& path);
  void shapes(const Node& n, const std::string& path, Case::Group& g);
  void cluster_of(const Node& n, const std::string& path, Case::Group& g);
  void place(const Node& n, const std::string& path, Case::Group& g);
  void count_needed(const Node& group, const std::string& path);
  Case::Lattice lattice(const Node& n, const std::string& path);
  /// Adds to the total; more than the engine's limit or than this machine's memory can hold is a mistake.
  void count_particles(const Node& n, const std::string& path, Case::Group& g);

  Reading& in_;
  const Walls& walls_;
  const std::vector<std::string>& cluster_names_;
  std::set<std::string> group_names_;
  std::vector<std::string> poured_;
};

}  // namespace scree::io
