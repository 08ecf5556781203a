// A command line run within a test, and what it said.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

// `input` is its standard input.
Outcome run_captured(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace assay::cli
