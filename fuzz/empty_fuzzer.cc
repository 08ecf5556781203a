// Does nothing: what libFuzzer itself costs, to compare the other targets' speed with.
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  return 0;
}
