#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"

namespace scree::io {

/// One process writes into a results folder: as long as this lives, FOLDER/run.lock says who. The operating system
/// gives it back when the process ends, however it ends; what a dead one has left in the file stops nobody. Where the
/// file system has no locks, that file alone decides: of another process of this machine by whether it lives, of
/// another machine by the file being there.
class FolderLock {
 public:
  static constexpr const char* kFile = "run.lock";
  /// Errors: another process has it (pid, host, since when); the folder takes no file.
  static Result<FolderLock> take(const std::filesystem::path& folder);
  /// What may be writing into the folder, by what the file says of it: "process 12 on HOST since TIME", of which
  /// another machine cannot know whether it lives; empty: nothing is. Stands in nobody's way.
  static std::string taken_by(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  /// Removes the file.
  ~FolderLock();

 private:
  FolderLock(std::filesystem::path file, int descriptor) : file_(std::move(file)), descriptor_(descriptor) {}

  std::filesystem::path file_;
  int descriptor_ = -1;  ///< holds the lock
};

}  // namespace scree::io
