// Judges what the requests of a client carry where each stands alone, and that it sends nothing but
// requests and notifications.
//
// Specification of 2026-07-28: basic, "_meta"; basic/transports.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/mirrored_field.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using Kind = transport::Observation::Kind;

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kInfoKey = "io.modelcontextprotocol/clientInfo";

// What Mcp-Name repeats; null for a method that it is not for.
const Json& named_by(const wire::Message& request) {
  static const Json kNone = nullptr;
  const std::string_view method = request.method();
  if (method == "tools/call" || method == "prompts/get") return member(request.params(), "name");
  return method == "resources/read" ? member(request.params(), "uri") : kNone;
}

class ClientRequestMonitor : public Monitor {
 public:
  std::string_view name() const override { return "client_request_monitor"; }
  std::vector<RequirementId> client_requirements() const override {
    return {"meta.required-fields",
            "meta.client-info",
            "stdio.client-no-responses",
            "http.client-no-responses",
            "transport.binding-directions",
            "http.standard-headers",
            "http.version-header",
            "http.version-header-matches-body",
            "elicitation.some-mode-supported"};
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }
  bool rests_on_history(RequirementId /*id*/) const override { return false; }

  void on_event(const EventPtr& event, const SessionView& session, Judge& /*judge*/) override {
    if (session.transport().is_streamable_http()) lanes_.note(event);
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    // What a client says in an older era has the rules of that.
    if (!sighting.is_from_judged || session.revision().has_sessions()) return;
    const bool is_http = session.transport().is_streamable_http();
    const bool is_answer = sighting.is_result() || sighting.is_error();
    const RequirementId no_responses =
        is_http ? RequirementId("http.client-no-responses") : "stdio.client-no-responses";
    for (const RequirementId rule : {no_responses, RequirementId("transport.binding-directions")}) {
      judge.check(rule, !is_answer, "the client sends a response", sighting.event);
    }
    if (!sighting.is_request() || sighting.message.method() == "initialize") return;
    judge_meta(sighting, judge);
    if (is_http) judge_headers(sighting, judge);
  }

 private:
  static void judge_meta(const Sighting& sighting, Judge& judge) {
    const Json& meta = member(sighting.message.params(), "_meta");
    const bool is_complete =
        member(meta, kVersionKey).is_string() && member(meta, kCapabilitiesKey).is_object();
    judge.check("meta.required-fields", is_complete,
                "the request's _meta lacks the protocol version or the client's capabilities",
                sighting.event, "/params");
    // A client may be configured not to say who it is.
    if (member(meta, kInfoKey).is_object()) judge.held("meta.client-info", sighting.event);
    const Json& modes = member(member(meta, kCapabilitiesKey), "elicitation");
    if (!modes.is_object()) return;
    // An empty object stands for forms.
    judge.check("elicitation.some-mode-supported",
                modes.empty() || modes.contains("form") || modes.contains("url"),
                "elicitation is declared with neither form nor url", sighting.event,
                "/params/_meta/io.modelcontextprotocol~1clientCapabilities/elicitation");
  }

  void judge_headers(const Sighting& sighting, Judge& judge) {
    const HttpLane* lane = lanes_.find(sighting.event->observation.lane);
    if (lane == nullptr || !lane->is_post()) return;
    const auto method = lane->sent_header("Mcp-Method");
    const Json& named = named_by(sighting.message);
    const auto name = lane->sent_header("Mcp-Name");
    // How it is encoded is a matter of other rules.
    const bool is_name_right =
        !named.is_string() ||
        (name && read_mirrored_field(*name, named.get_ref<const std::string&>()).is_right);
    const bool is_method_right = method == sighting.message.method();
    judge.check("http.standard-headers", is_method_right && is_name_right,
                is_method_right ? "Mcp-Name is missing, or differs from the body"
                                : "Mcp-Method is missing, or differs from the body",
                sighting.event);
    const auto version = lane->sent_header("MCP-Protocol-Version");
    judge.check("http.version-header", version.has_value(),
                "the request carries no MCP-Protocol-Version", sighting.event);
    const Json& said = member(member(sighting.message.params(), "_meta"), kVersionKey);
    if (!version || !said.is_string()) return;
    judge.check("http.version-header-matches-body", *version == said.get_ref<const std::string&>(),
                "MCP-Protocol-Version differs from the version in the body's _meta",
                sighting.event);
  }

  HttpLanes lanes_;
};

const MonitorRegistration<ClientRequestMonitor> kClientRequestMonitorRegistration;

}  // namespace
}  // namespace assay::harness
