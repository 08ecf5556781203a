// Judges the types of results: each has one, and one that the client can know.
//
// Specification of 2026-07-28: basic/index, "Result Responses" and "ResultType".
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

class ResultTypeMonitor : public Monitor {
 public:
  std::string_view name() const override { return "result_type_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"jsonrpc.result-type", "jsonrpc.result-type-known", "versioning.extension-unsupported"};
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || !sighting.is_result()) return;
    const Json& result = sighting.message.result();
    if (!result.is_object()) return;  // that is the schema's matter
    const bool is_typed = result.contains("resultType");
    judge.check("jsonrpc.result-type", is_typed, "the result has no resultType", sighting.event,
                "/result");
    const Json& type = member(result, "resultType");
    if (type.is_string()) judge_known(text_member(result, "resultType"), sighting, session, judge);
  }

 private:
  static bool has_any(const Json& extensions) {
    return extensions.is_object() && !extensions.empty();
  }

  // Which types an extension brings, only its own text says.
  static void judge_known(std::string_view type, const Sighting& sighting,
                          const SessionView& session, Judge& judge) {
    const RequirementId rule("jsonrpc.result-type-known");
    const bool is_core = type == "complete" || type == "input_required";
    if (is_core) judge.held(rule, sighting.event);
    // Before the server has told which extensions it has, nobody knows.
    if (session.server().is_null()) return;
    if (has_any(member(member(session.server(), "capabilities"), "extensions"))) {
      judge_core(is_core, type, sighting, session, judge);
      return;
    }
    if (is_core) return;
    judge.broke(rule,
                fmt::format("the type of the result is {}, which is none of the core protocol, and "
                            "the server advertises no extension",
                            Json(std::string(type.substr(0, 80)))
                                .dump(-1, ' ', true, Json::error_handler_t::replace)),
                {sighting.event}, "/result/resultType");
  }

  // A server that has extensions keeps to the core protocol where its client has none.
  static void judge_core(bool is_core, std::string_view type, const Sighting& sighting,
                         const SessionView& session, Judge& judge) {
    const Json& declared = session.client_capabilities();
    if (!declared.is_object() || has_any(member(declared, "extensions"))) return;
    judge.check("versioning.extension-unsupported", is_core,
                fmt::format("the type of the result is {}, which is none of the core protocol, and "
                            "the request declares no extension",
                            Json(std::string(type.substr(0, 80)))
                                .dump(-1, ' ', true, Json::error_handler_t::replace)),
                sighting.event, "/result/resultType");
  }
};

const MonitorRegistration<ResultTypeMonitor> kResultTypeMonitorRegistration;

}  // namespace
}  // namespace assay::harness
