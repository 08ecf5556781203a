#include "reports/writer.h"

#include <algorithm>
#include <array>

#include "reports/json.h"
#include "reports/junit.h"

namespace assay::reports {
namespace {

constexpr auto kFormats = std::to_array<Format>({
    {"json", "the whole result, for other tools and for 'mcp-assay report'", render_json},
    {"junit", "JUnit XML, for GitHub, GitLab and Jenkins", render_junit},
});

}  // namespace

std::span<const Format> formats() {
  return kFormats;
}

const Format* find_format(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [name](const Format& format) { return format.name == name; });
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace assay::reports
