#include "reference/hostile/deflate_bomb.h"

#include <utility>

namespace assay::hostile {
namespace {

constexpr std::size_t kPartBytes = 16u << 10;
constexpr std::size_t kBlanksAtOnce = 258;

constexpr std::string_view kGzipHead("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
constexpr std::string_view kZlibHead("\x78\x9c", 2);
// A last block with fixed codes, and in it a blank: the literal 32 is the code 0x30 + 32.
constexpr std::string_view kBlockHead = "110";
constexpr std::string_view kBlank = "01010000";
// The length 258 is the code for 285; the distance 1 is the code for 0.
constexpr std::string_view kAgain = "1100010100000";

}  // namespace

DeflateBomb::DeflateBomb(Wrapping wrapping, std::size_t unpacked_bytes) : left_(unpacked_bytes) {
  part_ = wrapping == Wrapping::kGzip ? kGzipHead : kZlibHead;
  put(kBlockHead);
  put(kBlank);
}

std::string DeflateBomb::next() {
  while (part_.size() < kPartBytes && left_ >= kBlanksAtOnce) {
    put(kAgain);
    left_ -= kBlanksAtOnce;
  }
  return std::exchange(part_, {});
}

void DeflateBomb::put(std::string_view bits) {
  for (const char bit : bits) {
    if (bit == '1') byte_ = static_cast<std::uint8_t>(byte_ | (1u << used_bits_));
    if (++used_bits_ < 8) continue;
    part_ += static_cast<char>(byte_);
    byte_ = 0;
    used_bits_ = 0;
  }
}

}  // namespace assay::hostile
