// --tools NAME: a name that no server lists is a mistake of the user's, and no quieter test.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace assay::cli {

class NamedTools {
 public:
  explicit NamedTools(std::size_t servers) : servers_(servers) {}

  // Of one server, before anything of it is tested: what it does not list of the names, and what it
  // lists instead. Throws UsageError where it is the only one; another of several may have the
  // tool.
  void note(const std::vector<std::string>& unlisted, const std::vector<std::string>& listed);
  // Once all are done: a name that none of them lists, as a sentence; empty if there is none.
  std::string missing_everywhere() const;

 private:
  std::size_t servers_;
  std::map<std::string, std::size_t> lacking_;  // by name: how many servers do not list it
};

}  // namespace assay::cli
