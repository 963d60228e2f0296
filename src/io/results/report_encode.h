#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace scree::io {

/// zlib stream (RFC 1950) of the bytes, as base64 (RFC 4648): what the page hands to DecompressionStream("deflate").
Result<std::string> deflate_base64(std::string_view bytes);

std::string base64(std::string_view bytes);

/// The five characters that mean something in HTML, as character references.
std::string escape_html(std::string_view text);

/// Little-endian numbers and byte planes: the page's binary blocks.
class Bytes {
 public:
  void u16(std::uint16_t v) { put(v, 2); }
  void u32(std::uint32_t v) { put(v, 4); }
  void f32(float v);
  /// The k-th byte of every value, k = 0 ... planes - 1: like bytes side by side are what deflate packs well.
  void planes(const std::vector<std::uint32_t>& values, int planes);
  std::string_view view() const { return data_; }

 private:
  void put(std::uint32_t v, int n);
  std::string data_;
};

}  // namespace scree::io
