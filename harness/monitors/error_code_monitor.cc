// Judges the codes of errors, what must come with them, and over HTTP the status that goes with
// each.
//
// Specification of 2026-07-28: basic/index, "Error Codes" and "_meta"; basic/versioning;
// basic/transports/streamable-http, "Protocol Version Header" and "Server Validation".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/trace.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

constexpr std::int64_t kHeaderMismatch = -32020;
constexpr std::int64_t kMissingCapability = -32021;
constexpr std::int64_t kUnsupportedVersion = -32022;

constexpr const char* kRequestedVersion = "io.modelcontextprotocol/protocolVersion";

struct StatusRule {
  std::int64_t code;
  int status;
  RequirementId requirement;
};
constexpr std::array kStatusRules = {
    StatusRule{kHeaderMismatch, 400, "http.header-failure-400"},
    StatusRule{kMissingCapability, 400, "meta.missing-capability-400"},
    StatusRule{kUnsupportedVersion, 400, "http.version-unsupported-400"},
    StatusRule{wire::kMethodNotFound, 404, "http.unknown-method-404"},
};

bool is_standard(std::int64_t code) {
  return code == wire::kParseError || code == wire::kInvalidRequest ||
         code == wire::kMethodNotFound || code == wire::kInvalidParams ||
         code == wire::kInternalError;
}

bool is_defined(std::int64_t code) {
  return code == kHeaderMismatch || code == kMissingCapability || code == kUnsupportedVersion;
}

// What -32601 is about may also be a tool, a prompt or an argument, of which the rule says nothing,
// and a client of another era is answered as its own page says.
bool is_about_method(std::string_view method) {
  return method != "tools/call" && method != "prompts/get" && method != "resources/read" &&
         method != "completion/complete" && method != "initialize";
}

// Nothing that is required is missing from what was declared. Elicitation without a mode is that by
// forms.
bool covers(const Json& declared, const Json& required) {
  if (!required.is_object()) return true;
  for (const auto& [key, value] : required.items()) {
    const Json& own = member(declared, key);
    const bool is_of_forms = key == "elicitation" && value.is_object() && value.empty();
    if (is_of_forms && own.is_object() && !own.empty() && !own.contains("form")) return false;
    if (own.is_null() || own == false || !covers(own, value)) return false;
  }
  return true;
}

class ErrorCodeMonitor : public Monitor {
 public:
  std::string_view name() const override { return "error_code_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    std::vector<RequirementId> all = {"jsonrpc.reserved-codes-not-emitted",
                                      "jsonrpc.reserved-codes-meaning",
                                      "jsonrpc.old-codes-not-emitted",
                                      "jsonrpc.new-codes-outside-reserved",
                                      "jsonrpc.error-data",
                                      "meta.missing-capability-error",
                                      "versioning.unsupported-version-error"};
    for (const StatusRule& rule : kStatusRules) all.push_back(rule.requirement);
    return all;
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_event(const EventPtr& event, const SessionView& session, Judge& /*judge*/) override {
    if (session.transport().is_streamable_http()) lanes_.note(event);
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || !sighting.is_error()) return;
    const auto code = sighting.message.error_code();
    if (!code) return;
    if (sighting.message.error().contains("data")) judge.held("jsonrpc.error-data", sighting.event);
    judge_code(*code, sighting, judge);
    if (*code == kHeaderMismatch && session.transport().has_process()) {
      judge.broke("jsonrpc.reserved-codes-meaning",
                  "error -32020 speaks of HTTP headers, and there are none over stdio",
                  evidence(sighting), "/error/code");
    }
    if (*code == kMissingCapability) judge_missing(sighting, session, judge);
    if (*code == kUnsupportedVersion) judge_version(sighting, judge);
    judge_status(*code, sighting, judge);
  }

 private:
  static void judge_code(std::int64_t code, const Sighting& sighting, Judge& judge) {
    const bool is_old = code == wire::kResourceNotFound || code == wire::kUrlElicitationRequired;
    judge.check("jsonrpc.old-codes-not-emitted", !is_old,
                fmt::format("the code {} is one of earlier revisions", code), sighting.event,
                "/error/code");
    if (is_old) return;
    const bool is_of_mcp = code <= -32020 && code >= -32099;
    judge.check(
        "jsonrpc.reserved-codes-not-emitted", !is_of_mcp || is_defined(code),
        fmt::format("the code {} is reserved, and the specification does not define it", code),
        sighting.event, "/error/code");
    // Codes from -32000 to -32019 may be of old, and are no new ones then.
    const bool is_legacy = code <= -32000 && code >= -32019;
    if (is_of_mcp || is_legacy || is_standard(code)) return;
    judge.check("jsonrpc.new-codes-outside-reserved", code > -32000 || code < -32768,
                fmt::format("the code {} lies in the range that JSON-RPC reserves", code),
                sighting.event, "/error/code");
  }

  static void judge_missing(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const Json& required = member(member(sighting.message.error(), "data"), "requiredCapabilities");
    const bool lists = required.is_object() && !required.empty();
    judge.check("meta.missing-capability-error", lists,
                "error -32021 does not list the missing capabilities as an object in "
                "data.requiredCapabilities",
                sighting.event, "/error/data");
    const Json& declared = session.client_capabilities();
    if (!lists || sighting.exchange == nullptr || !declared.is_object()) return;
    const RequirementId rule("jsonrpc.reserved-codes-meaning");
    if (!covers(declared, required)) {
      judge.held(rule, sighting.event);
    } else {
      judge.broke(rule, "error -32021 lists only capabilities that the request declares",
                  evidence(sighting), "/error/data/requiredCapabilities");
    }
  }

  void judge_version(const Sighting& sighting, Judge& judge) {
    const Json& supported = member(member(sighting.message.error(), "data"), "supported");
    const bool lists = supported.is_array() && !supported.empty() &&
                       std::all_of(supported.begin(), supported.end(),
                                   [](const Json& each) { return each.is_string(); });
    judge.check("versioning.unsupported-version-error", lists,
                "error -32022 does not list the supported versions in data.supported",
                sighting.event, "/error/data");
    if (!lists || sighting.exchange == nullptr) return;
    // That a request names no version is no meaning of this code: another rule speaks of it.
    const Json& meta = member(sighting.exchange->request.params(), "_meta");
    if (text_member(meta, kRequestedVersion).empty()) return;
    // A version with a handshake may be supported, and not in this way.
    const auto asked = revision_of(sighting.exchange->request);
    const bool is_modern = asked && asked->is_stateless();
    const bool is_listed = is_modern && std::find(supported.begin(), supported.end(),
                                                  asked->text()) != supported.end();
    const RequirementId rule("jsonrpc.reserved-codes-meaning");
    if (!is_listed) {
      judge.held(rule, sighting.event);
    } else if (has_same_header(sighting, asked->text())) {
      judge.broke(rule,
                  fmt::format("error -32022 answers a request for {}, which it lists as supported",
                              asked->text()),
                  evidence(sighting), "/error/data/supported");
    }
  }

  // The HTTP header, where there is one, names the version that the body does.
  bool has_same_header(const Sighting& sighting, std::string_view version) {
    const HttpLane* lane = lanes_.find(sighting.event->observation.lane);
    return lane == nullptr || lane->sent_header("MCP-Protocol-Version") == version;
  }

  void judge_status(std::int64_t code, const Sighting& sighting, Judge& judge) {
    const HttpLane* lane = lanes_.find(sighting.event->observation.lane);
    if (lane == nullptr || !lane->is_post() || !lane->response) return;
    const auto rule = std::find_if(kStatusRules.begin(), kStatusRules.end(),
                                   [&](const StatusRule& each) { return each.code == code; });
    if (rule == kStatusRules.end()) return;
    const bool is_of_method =
        sighting.exchange != nullptr && is_about_method(sighting.exchange->request.method());
    if (code == wire::kMethodNotFound && !is_of_method) return;
    if (lane->status() == rule->status) {
      judge.held(rule->requirement, lane->response);
      return;
    }
    judge.broke(rule->requirement,
                fmt::format("error {} came with HTTP {} and not with {}", code, lane->status(),
                            rule->status),
                {lane->request, lane->response, sighting.event});
  }

  static std::vector<EventPtr> evidence(const Sighting& sighting) {
    if (sighting.exchange == nullptr) return {sighting.event};
    return {sighting.exchange->request_event, sighting.event};
  }

  HttpLanes lanes_;
};

const MonitorRegistration<ErrorCodeMonitor> kErrorCodeMonitorRegistration;

}  // namespace
}  // namespace assay::harness
