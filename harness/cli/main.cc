#include <malloc.h>

#include <chrono>
#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "reference/transport/inheritance.h"
#include "reference/transport/offspring.h"
#include "reference/transport/self_contained.h"

namespace {

// What a message of megabytes took goes back to the system at once. Without a fixed threshold the C
// library would keep it, in each thread's arena, and every start of a server would copy its pages.
constexpr int kGivenBackAtOnce = 1 << 20;
// Each further arena keeps what its threads once needed.
constexpr int kArenas = 2;
// A killed process is gone well within this.
constexpr std::chrono::seconds kLongestFarewell{2};

}  // namespace

int main(int argc, char** argv) {
  assay::transport::repair_inheritance();
  assay::transport::stay_self_contained();
  mallopt(M_MMAP_THRESHOLD, kGivenBackAtOnce);
  mallopt(M_ARENA_MAX, kArenas);
  // Whatever a target leaves behind becomes ours, and ends with us.
  assay::transport::adopt_orphans();
  const int status = assay::cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
  assay::transport::end_all_descendants(std::chrono::steady_clock::now() + kLongestFarewell);
  return status;
}
