// Judges the form of every result, notification and request of the target by the tables of the wire
// model. Where the specification has a sentence of its own about a form, that sentence is named
// instead of the schema.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/script/json_member.h"
#include "reference/model/validate.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Deviation;
using model::Rule;

struct ResultRule {
  std::string_view method;
  RequirementId requirement;
};

constexpr std::array kResultRules = {
    ResultRule{"initialize", "schema.initialize-result"},
    ResultRule{"tools/list", "schema.tools-list-result"},
    ResultRule{"tools/call", "schema.tools-call-result"},
    ResultRule{"resources/list", "schema.resources-list-result"},
    ResultRule{"resources/templates/list", "schema.resources-list-result"},
    ResultRule{"resources/read", "schema.resources-read-result"},
    ResultRule{"prompts/list", "schema.prompts-list-result"},
    ResultRule{"prompts/get", "schema.prompts-get-result"},
    ResultRule{"completion/complete", "schema.completion-result"},
};

RequirementId rule_of_result(std::string_view method) {
  for (const ResultRule& rule : kResultRules) {
    if (rule.method == method) return rule.requirement;
  }
  return "schema.other-results";
}

// A sentence of the specification's own that says the same as the schema about this one deviation.
std::optional<RequirementId> sentence_about(std::string_view method, const Deviation& deviation,
                                            model::Revision revision) {
  const std::string_view pointer = deviation.pointer;
  if (deviation.rule == Rule::kBase64) {
    if (method == "prompts/get") return RequirementId("prompts.image-encoded");
    if (method == "resources/read") return RequirementId("resources.binary-encoded");
  }
  if (method == "tools/list" && pointer.ends_with("/inputSchema") &&
      revision.has_tool_schema_sentence()) {
    return RequirementId("tools.input-schema-object");
  }
  if (method == "ping" && pointer.starts_with("/result")) {
    return RequirementId("ping.empty-result");
  }
  const bool is_top_of_initialize = pointer == "/result/capabilities" ||
                                    pointer == "/result/serverInfo" ||
                                    pointer == "/result/protocolVersion";
  if (method == "initialize" && is_top_of_initialize) {
    return RequirementId("lifecycle.initialize-result");
  }
  return std::nullopt;
}

class SchemaMonitor : public Monitor {
 public:
  std::string_view name() const override { return "schema_monitor"; }
  std::vector<RequirementId> requirements() const override {
    std::vector<RequirementId> all = {"schema.other-results",        "schema.server-notifications",
                                      "schema.server-requests",      "prompts.image-encoded",
                                      "resources.binary-encoded",    "tools.input-schema-object",
                                      "lifecycle.initialize-result", "ping.empty-result"};
    for (const ResultRule& rule : kResultRules) all.push_back(rule.requirement);
    return all;
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_target) return;
    if (sighting.is_result() && sighting.exchange != nullptr) {
      const std::string method(sighting.exchange->request.method());
      validate(sighting, session, method, rule_of_result(method), judge);
    } else if (sighting.is_notification() || sighting.is_request()) {
      const std::string method(sighting.message.method());
      const auto known =
          model::known_method(session.revision(), model::Direction::kServerToClient, method);
      if (!known) return;
      validate(sighting, session, method,
               sighting.is_request() ? RequirementId("schema.server-requests")
                                     : RequirementId("schema.server-notifications"),
               judge);
    }
  }

 private:
  static void validate(const Sighting& sighting, const SessionView& session,
                       const std::string& method, RequirementId requirement, Judge& judge) {
    const auto deviations = model::validate_message(
        session.revision(), model::Direction::kServerToClient, sighting.message.json(),
        sighting.is_result() ? std::optional<std::string_view>(method) : std::nullopt);
    bool is_sound = true;
    for (const Deviation& deviation : deviations) {
      // A SHOULD about a name or a key has a requirement, and a monitor, of its own.
      // The envelope of a message is JSON-RPC's, and has a monitor too.
      const bool is_inside =
          deviation.pointer.starts_with("/result") || deviation.pointer.starts_with("/params");
      if (deviation.strength != model::Strength::kMust || deviation.rule == Rule::kMetaKey ||
          !is_inside) {
        continue;
      }
      const auto sentence = sentence_about(method, deviation, session.revision());
      if (!sentence) is_sound = false;
      judge.broke(sentence.value_or(requirement), model::to_text(deviation), evidence(sighting),
                  deviation.pointer);
    }
    if (!is_sound) return;
    judge.held(requirement, sighting.event);
    if (!deviations.empty() || !sighting.is_result()) return;
    if (method == "ping") judge_ping(sighting, judge);
    if (method == "initialize") judge.held("lifecycle.initialize-result", sighting.event);
    if (method == "tools/list" && session.revision().has_tool_schema_sentence()) {
      judge.held("tools.input-schema-object", sighting.event);
    }
    if (method == "resources/read" && has_blob(sighting.message.result())) {
      judge.held("resources.binary-encoded", sighting.event);
    }
    if (method == "prompts/get" && has_image(sighting.message.result())) {
      judge.held("prompts.image-encoded", sighting.event);
    }
  }

  static bool has_blob(const Json& result) {
    const Json& contents = array_member(result, "contents");
    return std::any_of(contents.begin(), contents.end(),
                       [](const Json& each) { return !text_member(each, "blob").empty(); });
  }

  static bool has_image(const Json& result) {
    const Json& messages = array_member(result, "messages");
    return std::any_of(messages.begin(), messages.end(), [](const Json& each) {
      return text_member(member(each, "content"), "type") == "image";
    });
  }

  // The schema leaves every result open; the page says that this one is empty.
  static void judge_ping(const Sighting& sighting, Judge& judge) {
    for (const auto& [member, value] : sighting.message.result().items()) {
      if (member == "_meta") continue;
      judge.broke("ping.empty-result", "the result of the ping is not empty", evidence(sighting),
                  "/result");
      return;
    }
    judge.held("ping.empty-result", sighting.event);
  }

  static std::vector<EventPtr> evidence(const Sighting& sighting) {
    if (sighting.exchange != nullptr) return {sighting.exchange->request_event, sighting.event};
    return {sighting.event};
  }
};

const MonitorRegistration<SchemaMonitor> kRegistration;

}  // namespace
}  // namespace assay::harness
