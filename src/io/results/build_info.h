#pragma once

namespace scree::io {

/// Where the running binary comes from; written at build time by cmake/build_info.cmake.
struct BuildInfo {
  const char* version;   ///< "0.1.0"
  const char* commit;    ///< of git, with "-dirty" when the tree had changes; "unknown" outside a repository
  const char* compiler;  ///< "GNU 12.2.0"
  const char* flags;
};
extern const BuildInfo kBuildInfo;

}  // namespace scree::io
