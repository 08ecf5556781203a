#include "harness/project/env_file.h"

#include <sstream>

namespace assay::cli {

std::vector<std::pair<std::string, std::string>> variables_in(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    const std::size_t equals = line.find('=');
    if (line.empty() || line.front() == '#' || equals == std::string::npos) continue;
    std::string value = line.substr(equals + 1);
    const bool is_quoted = value.size() >= 2 && value.front() == value.back() &&
                           (value.front() == '"' || value.front() == '\'');
    out.emplace_back(line.substr(0, equals), is_quoted ? value.substr(1, value.size() - 2) : value);
  }
  return out;
}

}  // namespace assay::cli
