#include "harness/runner/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "reference/wire/message.h"

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
    return event && event->is_from_server() &&
           std::find(events.begin(), events.end(), event) != events.end();
  });
}

// The target itself ended the connection: this is why the same judge had no answers.
bool is_end(const Finding& finding) {
  return is_breach(finding) && finding.proof.kind() == Proof::Kind::kCrash;
}

bool is_unanswered_ping(const Finding& finding) {
  return finding.requirement.text() == "ping.answered" && !finding.is_passive &&
         finding.proof.rests_on_silence();
}

// The method of the request that an ended connection left unanswered; empty if there was none.
std::string_view left_unanswered(const Finding& end) {
  for (const EventPtr& event : end.events) {
    const bool is_request = event && event->is_from_client() && event->message() != nullptr &&
                            event->message()->kind() == wire::MessageKind::kRequest;
    if (is_request) return event->message()->method();
  }
  return "";
}

// In one session.
bool explains(const Finding& cause, const Finding& finding) {
  if (cause.requirement == finding.requirement || is_end(finding)) return false;
  if (is_end(cause)) {
    return cause.judge == finding.judge &&
           (finding.proof.rests_on_silence() || rests_on(finding, cause.events));
  }
  // What one scenario says of one event, it says together.
  return cause.judge != finding.judge &&
         (rests_on(finding, cause.events) || rests_on(finding, cause.more_events));
}

bool is_basic(const Finding& finding) {
  return finding.kind == Finding::Kind::kBroke && is_must(finding);
}

// Whatever became of the time it took.
bool is_proven(const Finding& finding) {
  return finding.is_passive || !finding.proof.needs_second_look();
}

// A breach that others of its session may be laid to.
bool is_cause(const Finding& finding) {
  return is_end(finding) || (is_basic(finding) && is_proven(finding) &&
                             !catalogue::find(finding.requirement.text())->is_about_status &&
                             is_one_of(area_of(finding), kForms));
}

// Connections that ended come first, and then what lies nearest to the messages themselves.
std::vector<const Finding*> find_causes(const Judgements& judgements) {
  std::vector<const Finding*> causes;
  for (const Judgement& judgement : judgements) {
    if (is_cause(judgement.finding)) causes.push_back(&judgement.finding);
  }
  std::stable_partition(causes.begin(), causes.end(),
                        [](const Finding* finding) { return is_end(*finding); });
  return causes;
}

bool makes_silence(const Finding& finding) {
  if (is_end(finding) || !is_basic(finding)) return false;
  return is_unanswered_ping(finding) || (is_proven(finding) && !finding.proof.lacks_answer() &&
                                         is_one_of(area_of(finding), kFraming));
}

}  // namespace

void name_causes(Judgements& judgements) {
  const std::vector<const Finding*> causes = find_causes(judgements);
  std::map<const Finding*, const Finding*> explained;
  for (Judgement& judgement : judgements) {
    const Finding& finding = judgement.finding;
    judgement.explains_silence = makes_silence(finding);
    if (is_end(finding)) judgement.ended_over = left_unanswered(finding);
    if (finding.kind != Finding::Kind::kBroke || finding.is_passive) continue;
    const auto cause = std::find_if(causes.begin(), causes.end(), [&](const Finding* candidate) {
      return explains(*candidate, finding);
    });
    if (cause != causes.end()) explained.emplace(&finding, *cause);
  }
  // A cause may have one itself: the first of all is named.
  const auto root_of = [&](const Finding* cause) {
    for (std::size_t i = 0; i < explained.size(); ++i) {
      const auto earlier = explained.find(cause);
      if (earlier == explained.end()) break;
      cause = earlier->second;
    }
    return cause;
  };
  for (Judgement& judgement : judgements) {
    const auto found = explained.find(&judgement.finding);
    if (found == explained.end()) continue;
    judgement.explained_by = root_of(found->second)->requirement.text();
  }
}

}  // namespace assay::harness
