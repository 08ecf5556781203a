// The words of who has been asked too often.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace assay::scenarios {

// Of an error, or of a result that says isError: about a limit on how often one may ask.
inline bool speaks_of_a_limit(std::string_view words) {
  std::string lower(words);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* sign : {"rate limit", "rate-limit", "too many", "throttl", "quota"}) {
    if (lower.find(sign) != std::string::npos) return true;
  }
  return false;
}

}  // namespace assay::scenarios
