// What the fuzz targets share: a check that ends the program, and the cutting of a stream into
// chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace assay::fuzz {

// A property that does not hold is a finding: the fuzzer keeps the input that led here.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "property does not hold: %s\n", property);
  std::abort();
}

inline std::string_view view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// True for about one input in four: for what is checked often enough so, and takes its time.
inline bool is_one_in_four(std::string_view input) {
  return !input.empty() && (static_cast<std::uint8_t>(input.back()) + input.size()) % 4 == 0;
}

// Feeds `stream` to `parser` in chunks of changing size; `seed` decides which.
template <typename Parser>
void feed_in_chunks(Parser& parser, std::string_view stream, std::uint8_t seed) {
  std::uint32_t state = seed * 2654435761u + 1;
  const std::uint32_t longest = 1u + seed % 16u * (1u + seed / 16u % 4u);
  while (!stream.empty()) {
    state = state * 1664525u + 1013904223u;
    const std::size_t chunk = 1 + ((state >> 16) * longest >> 16);
    parser.feed(stream.substr(0, chunk));
    stream.remove_prefix(chunk < stream.size() ? chunk : stream.size());
  }
}

}  // namespace assay::fuzz
