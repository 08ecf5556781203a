// Judges the form of every result, notification and request of the target by the tables of the wire
// model. Where the specification has a sentence of its own about a form, that sentence is named
// instead of the schema.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "harness/monitors/inputs.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/task_sightings.h"
#include "harness/script/json_member.h"
#include "reference/model/validate.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Deviation;
using model::Rule;

// Of the results of tasks/get, tasks/list and tasks/cancel, and of CreateTaskResult.
constexpr RequirementId kTaskResults("schema.task-results");

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
    ResultRule{"tasks/get", "schema.task-results"},
    ResultRule{"tasks/list", "schema.task-results"},
    ResultRule{"tasks/cancel", "schema.task-results"},
};

RequirementId rule_of_result(std::string_view method) {
  for (const ResultRule& rule : kResultRules) {
    if (rule.method == method) return rule.requirement;
  }
  return "schema.other-results";
}

// Which sentence about the media of prompts it is that data break which are no base64.
RequirementId sentence_about_media(const Deviation& deviation, const Json& message) {
  const std::string parent = deviation.pointer.substr(0, deviation.pointer.rfind('/'));
  if (parent.ends_with("/resource")) return "prompts.embedded-contents";
  const Json::json_pointer content(parent);
  const bool is_audio =
      message.contains(content) && text_member(message.at(content), "type") == "audio";
  return is_audio ? RequirementId("prompts.audio-encoded") : RequirementId("prompts.image-encoded");
}

// A sentence of the specification's own that says the same as the schema about this one deviation.
std::optional<RequirementId> sentence_about(std::string_view method, const Deviation& deviation,
                                            const Json& message, model::Revision revision) {
  const std::string_view pointer = deviation.pointer;
  if (deviation.rule == Rule::kBase64) {
    if (method == "prompts/get") return sentence_about_media(deviation, message);
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

// Which status may follow which is the task monitor's, and so is a word that is none of them.
bool is_about_unknown_status(const Deviation& deviation) {
  return deviation.pointer.ends_with("/status") && deviation.found.starts_with('"');
}

constexpr std::string_view kInputRequests = "/result/inputRequests/";

// Which of the requests that stand in a result a deviation is about; null if none.
const Json& input_at(const Deviation& deviation, const Json& message) {
  const std::size_t end = deviation.pointer.find('/', kInputRequests.size());
  const Json::json_pointer input(deviation.pointer.substr(0, end));
  static const Json kNone;
  return message.contains(input) ? message.at(input) : kNone;
}

// What sentences of their own say of a stateless result, each with a monitor of its own.
bool is_told_elsewhere(const Deviation& deviation, const Sighting& sighting) {
  const std::string_view pointer = deviation.pointer;
  const bool is_missing = deviation.found == "nothing";
  if (pointer == "/result/resultType" && is_missing) return true;
  if (pointer == "/result/ttlMs") return is_missing || deviation.rule == Rule::kRange;
  if (pointer == "/result/cacheScope") return is_missing;
  if (!is_input_required(sighting)) return false;
  const Json& result = sighting.message.result();
  if (pointer == "/result" && !result.contains("inputRequests")) return true;
  if (!pointer.starts_with(kInputRequests)) return false;
  const std::string_view method =
      text_member(input_at(deviation, sighting.message.json()), "method");
  return method != "elicitation/create" && method != "sampling/createMessage" &&
         method != "roots/list";
}

// The same for what a server asks of its client within a result.
std::optional<RequirementId> sentence_about_input(const Deviation& deviation) {
  const std::string_view pointer = deviation.pointer;
  if (!pointer.starts_with(kInputRequests)) return std::nullopt;
  const bool is_of_message = pointer.find("/params/messages/") != std::string_view::npos;
  const bool lacks_content = pointer.ends_with("/content") && deviation.found == "nothing";
  if (is_of_message && (pointer.ends_with("/role") || lacks_content)) {
    return RequirementId("sampling.message-fields");
  }
  return RequirementId("schema.server-requests");
}

class SchemaMonitor : public Monitor {
 public:
  std::string_view name() const override { return "schema_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    std::vector<RequirementId> all = {"schema.other-results",        "schema.server-notifications",
                                      "schema.server-requests",      "prompts.image-encoded",
                                      "prompts.audio-encoded",       "prompts.embedded-contents",
                                      "resources.binary-encoded",    "tools.input-schema-object",
                                      "lifecycle.initialize-result", "ping.empty-result",
                                      "tasks.created-at-given",      "tasks.last-updated-given",
                                      "tasks.ttl-reported",          "tasks.id-string",
                                      "sampling.message-fields"};
    for (const ResultRule& rule : kResultRules) all.push_back(rule.requirement);
    return all;
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) return;
    if (sighting.is_result() && sighting.exchange != nullptr) {
      const std::string method(sighting.exchange->request.method());
      const RequirementId rule = rule_of_result(method);
      if (asks_out_of_place(sighting, method)) return;
      origins_.note(sighting);
      const wire::Message* origin = origins_.find(sighting);
      if (!session.revision().has_core_tasks()) origin = nullptr;
      if (is_create_task_result(sighting) && session.revision().has_core_tasks()) {
        judge_as("CreateTaskResult", method, kTaskResults, sighting, session, judge);
      } else if (origin != nullptr && origin->method() == "tools/call") {
        judge_as("CallToolResult", "tools/call", "schema.tools-call-result", sighting, session,
                 judge);
      } else {
        validate(sighting, session, method, rule, judge);
      }
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
  // No form is right for a request for input where none may be made: another rule says so.
  static bool asks_out_of_place(const Sighting& sighting, std::string_view method) {
    return is_input_required(sighting) && method != "tools/call" && method != "prompts/get" &&
           method != "resources/read";
  }

  // That a request within a result has the form it should; what breaks it was told with the result.
  static void judge_inputs(const Sighting& sighting, bool is_sound, Judge& judge) {
    const Json& requests = member(sighting.message.result(), "inputRequests");
    if (!is_sound || !is_input_required(sighting) || !requests.is_object()) return;
    for (const Json& request : requests) {
      judge.held("schema.server-requests", sighting.event);
      if (text_member(request, "method") == "sampling/createMessage") {
        judge.held("sampling.message-fields", sighting.event);
      }
    }
  }

  static void validate(const Sighting& sighting, const SessionView& session,
                       const std::string& method, RequirementId requirement, Judge& judge) {
    const auto deviations = model::validate_message(
        session.revision(), model::Direction::kServerToClient, sighting.message.json(),
        sighting.is_result() ? std::optional<std::string_view>(method) : std::nullopt);
    if (!tell(deviations, sighting, session, method, requirement, judge)) return;
    judge_inputs(sighting, deviations.empty(), judge);
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

  // False if something breaks the rule itself, and no sentence that stands for it.
  static bool tell(const model::Deviations& deviations, const Sighting& sighting,
                   const SessionView& session, const std::string& method, RequirementId requirement,
                   Judge& judge) {
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
      if (session.revision().is_stateless() && is_told_elsewhere(deviation, sighting)) continue;
      auto sentence =
          sentence_about(method, deviation, sighting.message.json(), session.revision());
      const bool is_of_task = requirement == kTaskResults || method == "notifications/tasks/status";
      if (is_of_task && is_about_unknown_status(deviation)) {
        is_sound = false;
        continue;
      }
      if (requirement == kTaskResults) sentence = sentence_about_task(method, deviation);
      if (!sentence) sentence = sentence_about_input(deviation);
      if (!sentence) is_sound = false;
      judge.broke(sentence.value_or(requirement), model::to_text(deviation), evidence(sighting),
                  deviation.pointer);
    }
    if (is_sound) judge.held(requirement, sighting.event);
    return is_sound;
  }

  // By the definition of that name, where the method that was asked for does not say which it is.
  static void judge_as(std::string_view type, const std::string& method, RequirementId requirement,
                       const Sighting& sighting, const SessionView& session, Judge& judge) {
    auto deviations = model::validate(session.revision(), type, sighting.message.result());
    for (Deviation& deviation : deviations) deviation.pointer.insert(0, "/result");
    tell(deviations, sighting, session, method, requirement, judge);
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

  TaskOrigins origins_;
};

const MonitorRegistration<SchemaMonitor> kSchemaMonitorRegistration;

}  // namespace
}  // namespace assay::harness
