// Judges the sampling requests of the target: what they may ask for, and how tool uses and their
// results must stand.
//
// Specification: client/sampling, "Capabilities" and "Message Content Constraints" (2025-11-25).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/model/schema_check.h"
#include "reference/wire/message.h"

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
  std::vector<RequirementId> server_requirements() const override {
    return {"sampling.tools-only-if-declared",   "sampling.context-values-avoided",
            "sampling.context-only-if-declared", "sampling.tool-results-alone",
            "sampling.tool-use-answered",        "sampling.tool-result-id",
            "sampling.tool-result-conforms"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || !session.revision().has_sampling_tools()) return;
    if (!sighting.is_request() || sighting.message.method() != "sampling/createMessage") return;
    const Json& params = sighting.message.params();
    // A choice of tools is part of tool use as well, and nothing for a client without it.
    const bool has_tools =
        params.is_object() && (params.contains("tools") || params.contains("toolChoice"));
    judge.check("sampling.tools-only-if-declared",
                !has_tools || session.client_declares("sampling.tools"),
                "the request offers tools, but the client does not declare sampling.tools",
                sighting.event, "/params");
    judge_context(member(params, "includeContext"), sighting, session, judge);
    judge_messages(array_member(params, "messages"), sighting, judge);
    judge_results(params, sighting, judge);
  }

  // What is asked for is the same, whether by a request or within a result.
  void on_input(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    on_message(sighting, session, judge);
  }

 private:
  // The structured content of a tool's result, against the outputSchema under which the same
  // request offers the tool.
  static void judge_results(const Json& params, const Sighting& sighting, Judge& judge) {
    std::map<std::string, const Json*, std::less<>> schemas;  // by the id of the tool use
    const Json& messages = array_member(params, "messages");
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Json& content = member(messages[i], "content");
      const std::size_t count = content.is_array() ? content.size() : 1;
      for (std::size_t k = 0; k < count; ++k) {
        const Json& block = content.is_array() ? content[k] : content;
        const std::string_view type = text_member(block, "type");
        if (type == "tool_use") {
          schemas[std::string(text_member(block, "id"))] =
              output_schema(params, text_member(block, "name"));
        } else if (type == "tool_result") {
          const auto schema = schemas.find(text_member(block, "toolUseId"));
          const Json& structured = member(block, "structuredContent");
          if (schema == schemas.end() || schema->second == nullptr || structured.is_null() ||
              member(block, "isError") == true) {
            continue;
          }
          const std::string at = content.is_array() ? fmt::format("/{}", k) : "";
          judge_result(*schema->second, structured, sighting,
                       fmt::format("/params/messages/{}/content{}/structuredContent", i, at),
                       judge);
        }
      }
    }
  }

  static const Json* output_schema(const Json& params, std::string_view name) {
    for (const Json& tool : array_member(params, "tools")) {
      if (text_member(tool, "name") != name) continue;
      const Json& schema = member(tool, "outputSchema");
      return schema.is_object() ? &schema : nullptr;
    }
    return nullptr;
  }

  static void judge_result(const Json& schema, const Json& structured, const Sighting& sighting,
                           const std::string& pointer, Judge& judge) {
    const catalogue::RequirementId rule("sampling.tool-result-conforms");
    const model::SchemaVerdict verdict = model::check_against_schema(schema, structured);
    switch (verdict.outcome) {
      case model::SchemaOutcome::kValid:
        judge.held(rule, sighting.event);
        return;
      case model::SchemaOutcome::kInconclusive:
        judge.unclear(rule, verdict.reason, {sighting.event});
        return;
      case model::SchemaOutcome::kInvalid:
        judge.broke(rule, model::to_text(verdict.deviations.front()), {sighting.event},
                    pointer + verdict.deviations.front().pointer);
        return;
    }
  }

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
                    "the message after tool uses does not hold their results", sighting.event,
                    pointer);
      }
      if (!blocks.results.empty()) {
        judge.check("sampling.tool-results-alone", !blocks.has_others && blocks.uses.empty(),
                    "a message mixes tool results with other content", sighting.event, pointer);
        judge.check(
            "sampling.tool-result-id",
            std::includes(seen.begin(), seen.end(), blocks.results.begin(), blocks.results.end()),
            "a tool result names a tool use that is in no earlier message", sighting.event,
            pointer);
      }
      seen.insert(blocks.uses.begin(), blocks.uses.end());
      due = blocks.uses;
    }
    if (due.empty()) return;
    judge.broke("sampling.tool-use-answered",
                "the last message has tool uses, and no message with their results follows",
                {sighting.event}, "/params/messages");
  }
};

const MonitorRegistration<SamplingMonitor> kSamplingMonitorRegistration;

}  // namespace
}  // namespace assay::harness
