// Markdown for a pull request comment or a CI job summary: short, details folded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/findings.h"
#include "reports/result.h"

namespace assay::reports {

// GitHub refuses comments of more than 65,536 characters; what does not fit is said to be left out.
inline constexpr std::size_t kMaxMarkdownBytes = 60'000;

std::string render_markdown(const Result& result);

// One finding, to be pasted into an issue.
std::string render_issue(const Result& result, const RuleFinding& finding);

// Untrusted text on one line, without any meaning for Markdown or HTML (mentions, links, tags).
std::string markdown_text(std::string_view text);
// The same as inline code. Backticks in it do not end it.
std::string markdown_code(std::string_view text);
// A fenced block that nothing in the text can end.
std::string markdown_block(std::string_view text);

}  // namespace assay::reports
