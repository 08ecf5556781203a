// Another target's empty twin: it is linked with the same code and leaves the same kind of coverage
// behind, but does next to none of the work. How fast libFuzzer runs it is what libFuzzer itself
// costs for that target: making the inputs, and reading and weighing what they cover.
//
// The first inputs, which are the corpus, and one of 64 after them are really run; for the others
// the counters that a run left are put back. ASSAY_IDLE_TARGET is the other target's function.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

extern "C" int ASSAY_IDLE_TARGET(const std::uint8_t* data, std::size_t size);

// The linker's names for where the counters of all instrumented code begin and end.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
extern std::uint8_t __start___sancov_cntrs[] __attribute__((weak));
extern std::uint8_t __stop___sancov_cntrs[] __attribute__((weak));
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
}

namespace {

constexpr std::size_t kFirstRuns = 1024;
constexpr std::size_t kRunEvery = 64;
constexpr std::size_t kKept = 32;  // runs whose counters are put back, in turn

// A counter that was not zero, and where.
struct Count {
  std::size_t at;
  std::uint8_t value;
};

struct Twin {
  std::vector<std::vector<Count>> runs;
  std::size_t inputs = 0;
};

}  // namespace

extern "C" __attribute__((no_sanitize("coverage"))) int LLVMFuzzerTestOneInput(
    const std::uint8_t* data, std::size_t size) {
  static Twin twin;
  const std::size_t number = twin.inputs++;
  if (number >= kFirstRuns && number % kRunEvery != 0) {
    for (const Count& count : twin.runs[number % twin.runs.size()]) {
      __start___sancov_cntrs[count.at] = count.value;
    }
    return 0;
  }
  ASSAY_IDLE_TARGET(data, size);
  std::vector<Count> counts;
  for (const std::uint8_t* at = __start___sancov_cntrs; at < __stop___sancov_cntrs; ++at) {
    if (*at == 0) continue;
    counts.push_back({static_cast<std::size_t>(at - __start___sancov_cntrs), *at});
  }
  if (twin.runs.size() < kKept) twin.runs.emplace_back();
  const std::size_t turn = number < kFirstRuns ? number : number / kRunEvery;
  twin.runs[turn % twin.runs.size()] = std::move(counts);
  return 0;
}
