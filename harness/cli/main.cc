#include <string>
#include <vector>

#include "harness/cli/command.h"

int main(int argc, char** argv) {
  return assay::cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
