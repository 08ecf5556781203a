// Blanks, packed as tightly as fixed codes allow: 13 bits for 258 of them.
//
// Written by hand (RFC 1950, 1951, 1952), so that it comes in parts and is never held whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::hostile {

class DeflateBomb {
 public:
  enum class Wrapping { kGzip, kZlib };

  DeflateBomb(Wrapping wrapping, std::size_t unpacked_bytes);
  // The next part; empty after the last. It ends without a checksum: whoever gets so far has
  // unpacked everything.
  std::string next();

 private:
  // `bits` in the order in which they are written, as '0' and '1'.
  void put(std::string_view bits);

  std::size_t left_;  // blanks to come
  std::string part_;
  std::uint8_t byte_ = 0;
  int used_bits_ = 0;  // of byte_
};

}  // namespace assay::hostile
