#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/record.h"
#include "app/bench/table.h"
#include "neighbour/neighbour.h"

namespace scree::app {

/// One set of bounding spheres searched by one method.
struct SearchRow {
  std::string set;
  neighbour::Method method = neighbour::Method::automatic;
  int threads = 1;
  std::size_t n = 0;
  double factor = 1;  ///< on the radii
  double cell = 1;    ///< factor on the method's own cell size
  std::size_t pairs = 0;
  double seconds = 0;      ///< of one find, median; buffers warm
  double cpu = 0;          ///< s, of all threads, median: what of `seconds` was not waiting for other programs
  double first = 0;        ///< s, of the first find, which also gets the memory
  std::size_t bytes = 0;   ///< of the search's buffers and of the pair list
  std::size_t peak = 0;    ///< of the process while this method ran; 0: not known
  std::uint64_t hash = 0;  ///< of the pair list
  std::string unsearched;  ///< why there is no time: the method's own error, or that it would take too long
  std::string choice;      ///< of `auto`: what it took, and why
  nlohmann::ordered_json more = nlohmann::ordered_json::object();  ///< what the set was made with

  double us_per_body() const { return 1e6 * seconds / static_cast<double>(n); }
};

struct SearchPlan {
  std::vector<neighbour::Method> methods;
  std::vector<double> cells{1};  ///< factors on the cell size, each tried with each method
  int turns = 5;                 ///< of which the median counts; methods take turns
  int finds = 1;                 ///< in each turn
  int threads = 1;
  double limit = 30;   ///< s: a method foreseen to take longer for all its finds is left out
  bool apart = false;  ///< each method by itself, with memory of its own, so that its peak can be told
};

/// Times searches; remembers what each method took, to foresee what it would take with more bodies.
class SearchTimer {
 public:
  std::vector<SearchRow> time(const std::string& set, const neighbour::Bodies& bodies, const SearchPlan& plan);
  /// No foresight from the sets before.
  void forget() { seen_.clear(); }

 private:
  struct Seen {
    neighbour::Method method;
    double n, seconds;
  };
  double foreseen(neighbour::Method method, std::size_t n) const;
  std::vector<Seen> seen_;
};

/// All methods, `auto` last.
const std::vector<neighbour::Method>& all_methods();
/// The method of that word; nothing for others.
std::optional<neighbour::Method> method_of(const std::string& word);

/// Rows of one set whose lists differ from the first one's; empty: all agree.
std::vector<std::string> disagreements(const std::vector<SearchRow>& rows);

/// The row of that method, or none.
const SearchRow* row_of(const std::vector<SearchRow>& rows, neighbour::Method method);
/// What `text` makes of the method's row; "-" where it did not search.
std::string cell(const std::vector<SearchRow>& rows, neighbour::Method method,
                 const std::function<std::string(const SearchRow&)>& text);

nlohmann::ordered_json to_json(const SearchRow& row);

/// Ends a bench of searches: writes `out` if a file is named, and tells of `differing` lists. Returns the exit code.
int finish_bench(const std::string& json, const nlohmann::ordered_json& out, const std::vector<std::string>& differing);

/// Digits enough for a table.
std::string digits(double x);

}  // namespace scree::app
