#pragma once
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "sim/case.h"

namespace scree::io {

struct ReadCase {
  Case value;                           ///< meaningful only when has_errors(diagnostics) is false
  std::vector<Diagnostic> diagnostics;  ///< every mistake of the file, in file order
};

/// Reads a case file with its --set overrides ("output.every=5 ms"). Never throws, whatever the file holds.
ReadCase read_case(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same from text; messages call it `name`, and files that it names are sought from name's folder.
ReadCase read_case_text(const std::string& text, const std::string& name,
                        const std::vector<std::string>& overrides = {});

}  // namespace scree::io
