// The hot paths ask for no more memory than they must: counted, because a copy too many is seen by
// nobody.
//
// A decoded message is one block: it outlives the buffer it was read from. An answer of the
// server's takes three more: the call, the round of answers that it belongs to, and the text of the
// answer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "bench/hot_paths.h"

namespace {

// Of this thread, so that what others do at the same time does not count.
thread_local std::size_t allocations = 0;

void* counted_or_null(std::size_t size) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}

void* counted(std::size_t size) {
  if (void* const block = counted_or_null(size)) return block;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted_or_null(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return counted_or_null(size);
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete[](void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  std::free(block);
}

namespace assay::bench {
namespace {

class Allocations : public testing::TestWithParam<HotPath> {};

TEST_P(Allocations, OfAHotPathAreFew) {
  constexpr std::size_t kTimes = 200;
  const auto work = GetParam().prepare();
  for (std::size_t i = 0; i < kTimes; ++i) work();  // buffers grow to their size
  allocations = 0;
  for (std::size_t i = 0; i < kTimes; ++i) work();
  // What grows by doubling asks once in a while.
  EXPECT_LE(allocations, GetParam().allocations * kTimes + kTimes / 10);
  EXPECT_GT(allocations + kTimes / 10, GetParam().allocations * kTimes)
      << "it needs fewer now: say so";
}

INSTANTIATE_TEST_SUITE_P(HotPaths, Allocations,
                         testing::ValuesIn(hot_paths().begin(), hot_paths().end()),
                         [](const auto& path) { return std::string(path.param.name); });

}  // namespace
}  // namespace assay::bench
