#include "reports/writer.h"

#include <algorithm>
#include <array>

#include "reports/badge.h"
#include "reports/html.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/sarif.h"
#include "reports/statement.h"
#include "reports/tap.h"
#include "reports/terminal.h"

namespace assay::reports {
namespace {

std::string render_terminal_report(const Result& result) {
  return render_terminal(result, {});
}

constexpr auto kFormats = std::to_array<Format>({
    {"badge", "an SVG badge; '{revision}' in PATH makes one for each revision", render_badge},
    {"html", "one page for people: matrix, violations, filters", render_html},
    {"json", "the whole result, for other tools and for 'mcp-assay report'", render_json},
    {"junit", "JUnit XML, for GitHub, GitLab and Jenkins", render_junit},
    {"markdown", "for a pull request comment or a job summary", render_markdown},
    {"sarif", "SARIF 2.1.0, for code scanning", render_sarif},
    {"statement", "a statement of conformance to publish, as text", render_statement_text},
    {"statement-json", "the same as JSON", render_statement_json},
    {"tap", "TAP 13", render_tap},
    {"text", "what the terminal shows, without colour", render_terminal_report},
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
