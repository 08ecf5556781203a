// The files that one command line writes: each can be written, and none of them is written twice.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace assay::cli {

class OutputPaths {
 public:
  // Makes missing folders and proves that the file can be written, before anything starts. Throws
  // UsageError where it cannot, where another output goes to the same path, and for a placeholder
  // in braces that means nothing here. `placeholders` are those that still stand in `path` and are
  // replaced later. '-' and devices may be claimed several times.
  void claim(const std::string& path, const std::vector<std::string>& placeholders = {});

 private:
  std::set<std::string> taken_;
};

}  // namespace assay::cli
