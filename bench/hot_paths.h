// The paths that a message takes most often, each as a function to be called over and over: for the
// benchmarks, for the counter of allocations, and for the counter of instructions.
#pragma once

#include <functional>
#include <span>

namespace assay::bench {

struct HotPath {
  const char* name;
  // Sets everything up, and gives what does the work once.
  std::function<void()> (*prepare)();
  // Blocks of memory that the work may ask for each time, once it is warm. The test of it says why
  // it is not fewer.
  std::size_t allocations;
};

std::span<const HotPath> hot_paths();

}  // namespace assay::bench
