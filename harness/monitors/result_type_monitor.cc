// Judges the types of results: each has one, and one that the client can know.
//
// Specification of 2026-07-28: basic/index, "Result Responses" and "ResultType".
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

class ResultTypeMonitor : public Monitor {
 public:
  std::string_view name() const override { return "result_type_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"jsonrpc.result-type", "jsonrpc.result-type-known"};
  }
  bool holds_in(model::Revision revision) const override { return !revision.has_handshake(); }

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
  // Which types an extension brings, only its own text says.
  static void judge_known(std::string_view type, const Sighting& sighting,
                          const SessionView& session, Judge& judge) {
    const RequirementId rule("jsonrpc.result-type-known");
    if (type == "complete" || type == "input_required") {
      judge.held(rule, sighting.event);
      return;
    }
    // Before the server has told which extensions it has, nobody knows.
    if (session.server().is_null()) return;
    const Json& extensions = member(member(session.server(), "capabilities"), "extensions");
    if (extensions.is_object() && !extensions.empty()) return;
    judge.broke(rule,
                fmt::format("the type of the result is {}, which is none of the core protocol, and "
                            "the server advertises no extension",
                            Json(std::string(type.substr(0, 80)))
                                .dump(-1, ' ', true, Json::error_handler_t::replace)),
                {sighting.event}, "/result/resultType");
  }
};

const MonitorRegistration<ResultTypeMonitor> kResultTypeMonitorRegistration;

}  // namespace
}  // namespace assay::harness
