#include "harness/catalogue/fixes.h"

#include <string>

#include "harness/catalogue/fixes_text.h"

namespace assay::catalogue {

std::string_view all_fixes() {
  return kFixesText;
}

std::string_view fix_of(std::string_view requirement) {
  std::string_view rest = kFixesText;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t tab = line.find('\t');
    if (tab != std::string_view::npos && line.substr(0, tab) == requirement) {
      return line.substr(tab + 1);
    }
    rest.remove_prefix(line.size() + (line.size() < rest.size() ? 1 : 0));
  }
  return {};
}

std::string_view fix_of(std::string_view requirement, std::string_view method, bool is_deliberate) {
  const std::string id(requirement);
  std::string_view fix;
  if (!method.empty()) fix = fix_of(id + "@" + std::string(method));
  if (fix.empty() && is_deliberate) fix = fix_of(id + "@!");
  return fix.empty() ? fix_of(requirement) : fix;
}

}  // namespace assay::catalogue
