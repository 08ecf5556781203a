// A table of planted bugs, each looked for in a row of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/worker_pool.h"

namespace assay::fuzz {

// Whether there is to be a row for the bug: there is, unless the environment names some in
// ASSAY_BUGS, with commas between them.
inline bool is_wanted_bug(std::string_view id) {
  const char* const named = std::getenv("ASSAY_BUGS");
  if (named == nullptr || *named == '\0') return true;
  const std::string among = "," + std::string(named) + ",";
  return among.find("," + std::string(id) + ",") != std::string::npos;
}

// Calls `trouble_with` with each bug, several at once, for most of a row is waiting, and expects
// that it has nothing to say. A row that has is tried once more, alone and from another seed:
// beside others it may have had too little time to prove a finding, or to make it small.
template <class Bug>
void expect_no_trouble(
    const std::vector<const Bug*>& bugs,
    const std::function<std::string(const Bug&, std::uint64_t attempt)>& trouble_with) {
  constexpr int kAtOnce = 6;
  std::vector<std::string> troubles(bugs.size());
  harness::WorkerPool pool(kAtOnce);
  for (std::size_t row = 0; row < bugs.size(); ++row) {
    if (!is_wanted_bug(bugs[row]->id)) continue;
    pool.add([&, row] { troubles[row] = trouble_with(*bugs[row], 0); });
  }
  pool.drain();
  for (std::size_t row = 0; row < bugs.size(); ++row) {
    if (!troubles[row].empty()) troubles[row] = trouble_with(*bugs[row], 1);
    EXPECT_EQ(troubles[row], "") << bugs[row]->id;
  }
}

}  // namespace assay::fuzz
