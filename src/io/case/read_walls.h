#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "boundary/wall.h"
#include "io/case/reading.h"

namespace scree::io {

/// Walls, as they come, move and go from stage to stage.
class Walls {
 public:
  explicit Walls(Reading& in) : in_(in) {}

  /// walls, stages[].add
  void read(const Node& n, const std::string& path, std::vector<Case::Wall>& into);
  /// stages[].move
  void move(const Node& stage, const std::string& path, Case::Stage& s);
  /// stages[].remove
  void remove(const Node& n, const std::string& path, Case::Stage& s);
  /// Walls that stand already, of a case that was read before, whose boxes are those of `in`.
  void stand(std::span<const Wall> walls);
  /// Boxes by their names: rows of the case's boxes.
  const std::map<std::string, int>& boxes() const { return box_rows_; }

 private:
  /// Names that are there now: planes, sides and boxes (with their sides).
  struct Standing {
    std::set<std::string> planes;
    std::map<std::string, std::set<std::string>> boxes;
    std::vector<std::string> names() const;
    bool has(const std::string& name) const { return planes.contains(name) || boxes.contains(name); }
    void remove(const std::string& name);
  };

  void add_box(const Node& n, const std::string& name, const std::string& path, int m, std::vector<Case::Wall>& into);
  void add_plane(const Node& n, const std::string& name, const std::string& path, int m, std::vector<Case::Wall>& into);
  void add_mesh(const Node& n, const std::string& name, const std::string& path, int m, std::vector<Case::Wall>& into);
  /// Spheres touch the surface itself, polyhedra flat sides.
  void add_round(const Node& n, const std::string& name, const std::string& path, int m, std::vector<Case::Wall>& into,
                 bool is_cone);
  /// `planes`: that the motion is given to. Where it says no direction, each goes along its own normal.
  bool may_be_driven(const Case::Wall& w, std::size_t planes, const Node& n, const boundary::Motion& m,
                     const std::string& path);
  /// A side of a box, with the walls beside it.
  bool is_between_sides(const std::string& name) const;
  bool standing_wall(const Node& where, const std::string& name, const std::string& path);

  Reading& in_;
  Standing standing_;
  std::map<std::string, Case::Wall> made_;  ///< the last of each name
  std::map<std::string, int> box_rows_;
};

}  // namespace scree::io
