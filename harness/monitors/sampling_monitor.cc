// Judges the sampling requests of the target: what they may ask for, and how tool uses and their
// results must stand.
//
// Specification: client/sampling, "Capabilities" and "Message Content Constraints" (2025-11-25).
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

using Ids = std::set<std::string>;

// What one message holds: its tool uses, its tool results, and whether there is anything else.
struct Blocks {
  Ids uses;
  Ids results;
  bool has_others = false;
};

// One block may stand for an array of one.
Blocks blocks_of(const Json& message) {
  Blocks blocks;
  const auto note = [&](const Json& block) {
    const std::string_view type = text_member(block, "type");
    if (type == "tool_use") {
      blocks.uses.emplace(text_member(block, "id"));
    } else if (type == "tool_result") {
      blocks.results.emplace(text_member(block, "toolUseId"));
    } else {
      blocks.has_others = true;
    }
  };
  const Json& content = member(message, "content");
  if (!content.is_array()) {
    note(content);
  } else {
    for (const Json& block : content) note(block);
  }
  return blocks;
}

class SamplingMonitor : public Monitor {
 public:
  std::string_view name() const override { return "sampling_monitor"; }
  std::vector<RequirementId> requirements() const override {
    return {"sampling.tools-only-if-declared",   "sampling.context-values-avoided",
            "sampling.context-only-if-declared", "sampling.tool-results-alone",
            "sampling.tool-use-answered",        "sampling.tool-result-id"};
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_target || !session.revision().has_sampling_tools()) return;
    if (!sighting.is_request() || sighting.message.method() != "sampling/createMessage") return;
    const Json& params = sighting.message.params();
    const bool has_tools = params.is_object() && params.contains("tools");
    judge.check(
        "sampling.tools-only-if-declared", !has_tools || session.client_declares("sampling.tools"),
        "sampling with tools, which the client does not declare", sighting.event, "/params/tools");
    judge_context(member(params, "includeContext"), sighting, session, judge);
    judge_messages(array_member(params, "messages"), sighting, judge);
  }

 private:
  static void judge_context(const Json& context, const Sighting& sighting,
                            const SessionView& session, Judge& judge) {
    const bool is_none = context.is_null() || context == "none";
    judge.check("sampling.context-values-avoided", is_none,
                "includeContext has a value other than \"none\"", sighting.event,
                "/params/includeContext");
    judge.check("sampling.context-only-if-declared",
                is_none || session.client_declares("sampling.context"),
                "includeContext has a value other than \"none\", and the client does not declare "
                "sampling.context",
                sighting.event, "/params/includeContext");
  }

  static void judge_messages(const Json& messages, const Sighting& sighting, Judge& judge) {
    Ids due;   // tool uses of the message before
    Ids seen;  // tool uses of all messages before
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Blocks blocks = blocks_of(messages[i]);
      const std::string pointer = fmt::format("/params/messages/{}/content", i);
      if (!due.empty()) {
        const bool is_answer = blocks.results == due && !blocks.has_others && blocks.uses.empty() &&
                               member(messages[i], "role") == "user";
        judge.check("sampling.tool-use-answered", is_answer,
                    "the message after one with tool uses is not made of their results",
                    sighting.event, pointer);
      }
      if (!blocks.results.empty()) {
        judge.check("sampling.tool-results-alone", !blocks.has_others && blocks.uses.empty(),
                    "a message mixes tool results with other content", sighting.event, pointer);
        judge.check(
            "sampling.tool-result-id",
            std::includes(seen.begin(), seen.end(), blocks.results.begin(), blocks.results.end()),
            "a tool result names a tool use that came in no earlier message", sighting.event,
            pointer);
      }
      seen.insert(blocks.uses.begin(), blocks.uses.end());
      due = blocks.uses;
    }
    if (due.empty()) return;
    judge.broke("sampling.tool-use-answered", "no message follows the last one, with tool uses",
                {sighting.event}, "/params/messages");
  }
};

const MonitorRegistration<SamplingMonitor> kRegistration;

}  // namespace
}  // namespace assay::harness
