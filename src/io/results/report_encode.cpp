#include "io/results/report_encode.h"

#include <zlib.h>

#include <bit>

namespace scree::io {

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto at = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0U;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t w = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    out += kDigits[w >> 18 & 63];
    out += kDigits[w >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[w >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[w & 63] : '=';
  }
  return out;
}

Result<std::string> deflate_base64(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  const int rc = compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                           bytes.size(), 6);
  if (rc != Z_OK) return Error{"the report's data could not be compressed: not enough memory"};
  return base64(std::string_view(packed.data(), size));
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void Bytes::put(std::uint32_t v, int n) {
  for (int k = 0; k < n; ++k) data_ += static_cast<char>(v >> (8 * k) & 255);
}

void Bytes::f32(float v) { u32(std::bit_cast<std::uint32_t>(v)); }

void Bytes::planes(const std::vector<std::uint32_t>& values, int planes) {
  const std::size_t begin = data_.size(), n = values.size();
  data_.resize(begin + n * static_cast<std::size_t>(planes));
  for (int k = 0; k < planes; ++k) {
    char* plane = data_.data() + begin + n * static_cast<std::size_t>(k);
    for (std::size_t i = 0; i < n; ++i) plane[i] = static_cast<char>(values[i] >> (8 * k) & 255);
  }
}

}  // namespace scree::io
