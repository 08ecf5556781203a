#include <malloc.h>

#include <string>
#include <vector>

#include "harness/cli/command.h"

namespace {

// What a message of megabytes took goes back to the system at once. Without a fixed threshold the C
// library would keep it, in each thread's arena, and every start of a server would copy its pages.
constexpr int kGivenBackAtOnce = 1 << 20;

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, kGivenBackAtOnce);
  return assay::cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
