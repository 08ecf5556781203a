#include "harness/runner/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"

namespace assay::harness {
namespace {

std::string_view area_of(const Finding& finding) {
  const std::string_view id = finding.requirement.text();
  return id.substr(0, id.find('.'));
}

bool is_one_of(std::string_view area, std::span<const std::string_view> areas) {
  return std::find(areas.begin(), areas.end(), area) != areas.end();
}

// Rules about the very form of messages: whoever breaks them cannot be understood.
constexpr std::array<std::string_view, 4> kFraming = {"jsonrpc", "stdio", "http", "http-sse"};
// These and the forms of what messages hold.
constexpr std::array<std::string_view, 6> kForms = {"jsonrpc",  "stdio",  "http",
                                                    "http-sse", "schema", "lifecycle"};

bool is_must(const Finding& finding) {
  const auto* requirement = catalogue::find(finding.requirement.text());
  return std::any_of(requirement->in.begin(), requirement->in.end(), [](const auto& holding) {
    return reports::strength(holding.level) == reports::Strength::kMust;
  });
}

bool rests_on(const Finding& finding, const std::vector<EventPtr>& events) {
  return std::any_of(finding.events.begin(), finding.events.end(), [&](const EventPtr& event) {
    return event && !event->is_sent() &&
           std::find(events.begin(), events.end(), event) != events.end();
  });
}

bool is_unanswered_ping(const Finding& finding) {
  return finding.requirement.text() == "ping.answered" && !finding.is_passive;
}

bool explains(const Finding& cause, const Finding& finding) {
  if (cause.requirement == finding.requirement) return false;
  // What one scenario says of one event, it says together.
  if (cause.judge == finding.judge) return false;
  if (is_unanswered_ping(cause)) return finding.depends_on_time;
  if (is_one_of(area_of(cause), kForms) &&
      (rests_on(finding, cause.events) || rests_on(finding, cause.more_events))) {
    return true;
  }
  return finding.depends_on_time && is_one_of(area_of(cause), kFraming);
}

}  // namespace

void name_causes(Findings& findings) {
  std::vector<const Finding*> causes;
  for (const Finding& finding : findings) {
    const bool is_proven = finding.is_passive || !finding.depends_on_time;
    const bool is_cause = finding.kind == Finding::Kind::kBroke && is_must(finding) &&
                          (is_proven || is_unanswered_ping(finding));
    if (is_cause) causes.push_back(&finding);
  }
  std::vector<std::pair<Finding*, const Finding*>> explained;
  for (Finding& finding : findings) {
    if (finding.kind != Finding::Kind::kBroke || finding.is_passive) continue;
    const auto cause = std::find_if(causes.begin(), causes.end(), [&](const Finding* candidate) {
      return explains(*candidate, finding);
    });
    if (cause != causes.end()) explained.emplace_back(&finding, *cause);
  }
  for (const auto& [finding, cause] : explained) {
    finding->kind = Finding::Kind::kUnclear;
    finding->caused_by = cause->requirement.text();
    finding->detail = fmt::format("{}; {} was broken first", finding->detail, finding->caused_by);
  }
}

}  // namespace assay::harness
