#include "harness/frame/target_words.h"

#include <algorithm>

#include "harness/frame/command.h"
#include "reference/wire/http_text.h"

namespace assay::cli {

NamedValues parse_environment(const std::vector<std::string>& assignments) {
  NamedValues variables;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError("--env takes K=V");
    variables.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return variables;
}

NamedValues parse_headers(const std::vector<std::string>& texts) {
  NamedValues headers;
  for (const std::string& text : texts) {
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const std::size_t begin = std::min(text.find_first_not_of(" \t", name.size() + 1), text.size());
    const bool is_field = colon != std::string::npos && wire::is_token(name) &&
                          wire::is_field_value(text.substr(begin));
    if (!is_field) throw UsageError("--header takes 'NAME: VALUE'");
    headers.emplace_back(name, text.substr(begin));
  }
  return headers;
}

}  // namespace assay::cli
