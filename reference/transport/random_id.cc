#include "reference/transport/random_id.h"

#include <cstdint>
#include <random>

namespace assay::transport {

std::string random_id() {
  constexpr char kDigits[] = "0123456789abcdef";
  constexpr int kWords = 4;  // of 32 bits
  std::random_device device;
  std::string id;
  id.reserve(kWords * 8);
  for (int word = 0; word < kWords; ++word) {
    std::uint32_t bits = device();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4) id += kDigits[bits & 0xF];
  }
  return id;
}

}  // namespace assay::transport
