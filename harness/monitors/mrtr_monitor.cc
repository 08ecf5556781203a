// Judges what a server asks of its client within results, and that it asks nothing in another way.
//
// Specification of 2026-07-28: basic/patterns (index and mrtr), basic/transports ("Messages"), and
// what stdio and Streamable HTTP say of requests of the server's. The form of what it asks for is
// judged with the requests of older revisions.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/monitors/inputs.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

bool may_need_input(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

// The capability that a kind of input needs; empty for what is no such kind.
std::string_view capability_of(std::string_view method) {
  if (method == "elicitation/create") return "elicitation";
  if (method == "sampling/createMessage") return "sampling";
  return method == "roots/list" ? "roots" : "";
}

class MrtrMonitor : public Monitor {
 public:
  std::string_view name() const override { return "mrtr_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"mrtr.no-server-requests",        "mrtr.requests-by-result",
            "mrtr.supported-requests",        "mrtr.unsupported-requests",
            "mrtr.input-requests-optional",   "mrtr.input-request-keys-unique",
            "mrtr.input-request-kinds",       "mrtr.state-optional",
            "mrtr.result-not-empty",          "mrtr.only-declared-inputs",
            "mrtr.no-elicitation-undeclared", "mrtr.input-required-again",
            "tools.input-required",           "prompts.input-required",
            "resources.input-required",       "elicitation.asked-during-request",
            "transport.binding-directions",   "stdio.server-no-requests",
            "http.no-requests-on-stream"};
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) return;
    judge_direction(sighting, session, judge);
    if (is_input_required(sighting) && sighting.exchange != nullptr) {
      judge_asking(sighting, judge);
    }
  }

  void on_input(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    // What a task asks, its own extension has rules for.
    if (!sighting.is_from_judged || !sighting.is_request() || sighting.is_of_task) return;
    const std::string_view method = sighting.message.method();
    const std::string_view capability = capability_of(method);
    judge.check("mrtr.input-request-kinds", !capability.empty(),
                "an input request is neither an elicitation, nor a sampling, nor a roots request",
                sighting.event, "/method");
    if (capability.empty()) return;
    judge.held("mrtr.requests-by-result", sighting.event);
    if (capability == "elicitation") {
      judge.held("elicitation.asked-during-request", sighting.event);
    }
    // A request that declares nothing at all is malformed; another rule speaks of that.
    if (!session.client_capabilities().is_object()) return;
    const bool is_declared = session.client_declares(capability);
    const std::string detail =
        fmt::format("{} is asked for, but the request does not declare {}", method, capability);
    judge.check("mrtr.only-declared-inputs", is_declared, detail, sighting.event, "/method");
    if (capability == "elicitation") {
      judge.check("mrtr.no-elicitation-undeclared", is_declared, detail, sighting.event, "/method");
    }
  }

 private:
  // What came is a request, which nothing but a client may send; or it is not.
  static void judge_direction(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const bool is_request = sighting.is_request();
    if (!is_request && sighting.message.kind() == wire::MessageKind::kMalformed) return;
    constexpr std::string_view kDetail = "the server sent a request of its own";
    for (const RequirementId rule : {RequirementId("mrtr.no-server-requests"),
                                     RequirementId("transport.binding-directions")}) {
      judge.check(rule, !is_request, kDetail, sighting.event, "/method");
    }
    if (session.transport().has_process()) {
      judge.check("stdio.server-no-requests", !is_request, kDetail, sighting.event, "/method");
    } else if (sighting.event->observation.event() != nullptr) {
      judge.check("http.no-requests-on-stream", !is_request, kDetail, sighting.event, "/method");
    }
    if (is_request && !capability_of(sighting.message.method()).empty()) {
      judge.broke("mrtr.requests-by-result",
                  fmt::format("{} was sent as a request, and not within a result",
                              sighting.message.method()),
                  {sighting.event}, "/method");
    }
  }

  static void judge_asking(const Sighting& sighting, Judge& judge) {
    const wire::Message& request = sighting.exchange->request;
    const std::string_view method = request.method();
    const bool is_supported = may_need_input(method);
    judge.check("mrtr.unsupported-requests", is_supported,
                "a request that is neither tools/call, nor prompts/get, nor resources/read was "
                "answered with input_required",
                sighting.event, "/result/resultType");
    if (is_supported) note_freedoms(method, request, sighting, judge);
    const Json& result = sighting.message.result();
    const bool has_requests = !member(result, "inputRequests").is_null();
    const bool has_state = !member(result, "requestState").is_null();
    judge.check("mrtr.result-not-empty", has_requests || has_state,
                "an input_required result has neither inputRequests nor requestState",
                sighting.event, "/result");
    if (has_requests) judge.held("mrtr.input-requests-optional", sighting.event);
    if (has_state) judge.held("mrtr.state-optional", sighting.event);
    if (!has_requests) return;
    judge_keys(sighting, judge);
    judge_methods(sighting, judge);
  }

  static void note_freedoms(std::string_view method, const wire::Message& request,
                            const Sighting& sighting, Judge& judge) {
    judge.held("mrtr.supported-requests", sighting.event);
    judge.held(method == "tools/call"    ? RequirementId("tools.input-required")
               : method == "prompts/get" ? RequirementId("prompts.input-required")
                                         : RequirementId("resources.input-required"),
               sighting.event);
    const Json& params = request.params();
    const bool is_retry =
        !member(params, "inputResponses").is_null() || !member(params, "requestState").is_null();
    if (is_retry) judge.held("mrtr.input-required-again", sighting.event);
  }

  // What names no method is no request, and on_input() does not see it.
  static void judge_methods(const Sighting& sighting, Judge& judge) {
    const Json& requests = member(sighting.message.result(), "inputRequests");
    if (!requests.is_object()) return;
    for (const auto& [key, request] : requests.items()) {
      if (!text_member(request, "method").empty()) continue;
      judge.broke("mrtr.input-request-kinds", "an input request names no method", {sighting.event},
                  (Json::json_pointer("/result/inputRequests") / key).to_string());
    }
  }

  static void judge_keys(const Sighting& sighting, Judge& judge) {
    const auto& notices = sighting.message.notices();
    const bool is_repeated =
        std::any_of(notices.begin(), notices.end(), [](const wire::Notice& notice) {
          return notice.kind == wire::Notice::Kind::kDuplicateMember &&
                 notice.pointer == "/result/inputRequests";
        });
    judge.check("mrtr.input-request-keys-unique", !is_repeated,
                "two of the inputRequests have the same key", sighting.event,
                "/result/inputRequests");
  }
};

const MonitorRegistration<MrtrMonitor> kMrtrMonitorRegistration;

}  // namespace
}  // namespace assay::harness
