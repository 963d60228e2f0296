#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/text/short_text.h"
#include "io/text/yaml_tree.h"

namespace scree::io {

/// A data file of a library while it is read: its tree, and all that is wrong with it.
class DataFile {
 protected:
  /// `what`: "shape", that it should be.
  DataFile(const std::string& text, const std::string& file, const char* what)
      : file_(file), text_(text), what_(what) {}

  /// False: no YAML, and told.
  bool parse_tree() { return normalise_text(text_, file_, mistakes_) && parse_yaml(text_, file_, root_, mistakes_); }
  void add(const Node& at, const std::string& key, std::string what) {
    if (mistakes_.size() >= kMaxDiagnostics) return;
    mistakes_.push_back({Diagnostic::Severity::error, file_, at.line, at.column, key, std::move(what)});
  }
  Error all_mistakes() const {
    std::string text;
    for (const Diagnostic& d : mistakes_) text += (text.empty() ? "" : "\n") + plain(format(d));
    return {text.empty() ? file_ + ": not a " + what_ : text};
  }

  std::string file_, text_;
  const char* what_;
  Node root_;
  std::vector<Diagnostic> mistakes_;
};

}  // namespace scree::io
