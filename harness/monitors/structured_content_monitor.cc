// Judges structured results of tools by the outputSchema that tools/list gave.
//
// Specification: server/tools, "Structured Content" and "Output Schema" (from 2025-06-18). The
// result of a task has the form of what the request itself would give (2025-11-25,
// basic/utilities/tasks).
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/task_sightings.h"
#include "harness/script/json_member.h"
#include "reference/model/schema_check.h"
#include "reference/wire/message.h"
#include "reference/wire/peer_json.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

// True if a text block is this JSON, however it is spaced.
bool is_repeated_as_text(const Json& result, const Json& structured) {
  for (const Json& block : array_member(result, "content")) {
    const std::string_view text = text_member(block, "text");
    if (text.empty() || member(block, "type") != "text") continue;
    if (wire::parse_of_peer(text) == structured) return true;
    // A text may say more than the JSON alone.
    if (text.find(structured.dump()) != std::string_view::npos) return true;
  }
  return false;
}

class StructuredContentMonitor : public Monitor {
 public:
  std::string_view name() const override { return "structured_content_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"tools.structured-content-conforms", "tools.structured-content-as-text"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || !session.revision().has_structured_content()) return;
    if (sighting.is_result_of("tools/list")) note_tools(sighting);
    origins_.note(sighting);
    const wire::Message* call = origins_.find(sighting);
    if (sighting.is_result_of("tools/call")) call = &sighting.exchange->request;
    if (call != nullptr && call->method() == "tools/call") {
      judge_result(*call, sighting, session, judge);
    }
  }

 private:
  void note_tools(const Sighting& sighting) {
    for (const Json& tool : array_member(sighting.message.result(), "tools")) {
      const Json& name = member(tool, "name");
      if (!name.is_string()) continue;
      const Json& schema = member(tool, "outputSchema");
      schemas_.insert_or_assign(name.get<std::string>(), Definition{&schema, sighting.event});
    }
  }

  void judge_result(const wire::Message& call, const Sighting& sighting, const SessionView& session,
                    Judge& judge) const {
    const Json& result = sighting.message.result();
    // What a task gives at once is no result of the tool, nor is what asks for more input.
    if (member(result, "task").is_object() || !is_final(result, session)) return;
    const Json& structured = member(result, "structuredContent");
    // Null is one, too, where any JSON value may be.
    const bool is_given = session.revision().has_any_structured_content()
                              ? result.is_object() && result.contains("structuredContent")
                              : !structured.is_null();
    // Without any content another rule is broken.
    if (is_given && member(result, "content").is_array()) {
      judge.check("tools.structured-content-as-text", is_repeated_as_text(result, structured),
                  "no text block holds the JSON of structuredContent", sighting.event, "/result");
    }
    const std::string_view tool = text_member(call.params(), "name");
    const auto found = schemas_.find(tool);
    if (found == schemas_.end() || !found->second.schema->is_object()) return;
    judge_conformance(found->second, is_given ? &structured : nullptr, sighting, judge);
  }

  // Since results have types only a complete one is the tool's.
  static bool is_final(const Json& result, const SessionView& session) {
    return !session.revision().has_result_types() ||
           text_member(result, "resultType") == "complete";
  }

  struct Definition {
    const Json* schema;  // in the event's message
    EventPtr event;
  };

  // `structured`: null where the result has none.
  static void judge_conformance(const Definition& definition, const Json* structured,
                                const Sighting& sighting, Judge& judge) {
    constexpr RequirementId kConforms = "tools.structured-content-conforms";
    const std::vector<EventPtr> evidence = {definition.event, sighting.exchange->request_event,
                                            sighting.event};
    // A failure has no structured result to show, and need not invent one.
    if (member(sighting.message.result(), "isError") == true) return;
    if (structured == nullptr) {
      judge.broke(kConforms,
                  "the tool has an outputSchema, but its result has no structuredContent", evidence,
                  "/result");
      return;
    }
    const model::SchemaVerdict verdict =
        model::check_against_schema(*definition.schema, *structured);
    switch (verdict.outcome) {
      case model::SchemaOutcome::kValid:
        judge.held(kConforms, sighting.event);
        return;
      case model::SchemaOutcome::kInconclusive:
        judge.unclear(kConforms, verdict.reason, evidence);
        return;
      case model::SchemaOutcome::kInvalid:
        judge.broke(kConforms, model::to_text(verdict.deviations.front()), evidence,
                    "/result/structuredContent" + verdict.deviations.front().pointer);
        return;
    }
  }

  std::map<std::string, Definition, std::less<>> schemas_;  // by tool, as listed last
  TaskOrigins origins_;
};

const MonitorRegistration<StructuredContentMonitor> kStructuredContentMonitorRegistration;

}  // namespace
}  // namespace assay::harness
