#pragma once
#include <string>
#include <vector>

namespace scree::app {

/// A table that reads well in a terminal and pastes into Markdown. First column left-aligned, the others right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Middle of the values; they are few.
double median(std::vector<double> values);
/// Shortest useful form: "0" or two digits with an exponent.
std::string short_number(double x);
/// In per cent, with as many digits as a small share needs.
std::string percent(double share);

}  // namespace scree::app
