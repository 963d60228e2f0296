#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace scree::io {

/// "no space left on device (the disk is full)": the system's reason for an errno, in words for the user.
std::string reason_of(int error_number);

/// Makes a folder and its parents. Errors: a file stands in the way, no permission, full disk.
Status make_folder(const std::filesystem::path& folder);

/// flushed: on the disk when write_file returns, so that it outlives a power cut; costs some ten milliseconds.
enum class Durability { buffered, flushed };

/// The file appears under its name whole or not at all: written beside it as NAME.part, then renamed. Errors: full
/// disk, missing folder, lost permission; NAME.part is removed then and an older file of that name stays as it was.
Status write_file(const std::filesystem::path& file, std::span<const std::byte> bytes,
                  Durability durability = Durability::flushed);
Status write_file(const std::filesystem::path& file, std::string_view text,
                  Durability durability = Durability::flushed);

/// Flushes all that was written to the file system of `folder` before. Errors: what the disk refused meanwhile.
Status flush_file_system(const std::filesystem::path& folder);

/// Whole file. Errors: not there, not a regular file, no permission, longer than `limit` bytes.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& file, std::size_t limit = std::size_t{1} << 36);

/// Removes a file or a folder with what is in it; nothing there is no error.
Status remove_all(const std::filesystem::path& path);

/// Writes the whole span through an open descriptor; false: errno says why.
bool write_fully(int descriptor, std::span<const std::byte> bytes);

}  // namespace scree::io
