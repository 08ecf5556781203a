// Judges how a client's POST requests stand for the messages in them: one message each, and header
// fields that repeat what the body says.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Sending Messages" and "Request
// Metadata".
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/mirrored_field.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/trace.h"
#include "harness/script/header_annotations.h"
#include "harness/script/json_member.h"
#include "harness/script/mirrored_headers.h"
#include "reference/transport/header_value.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

constexpr double kLargestMirrored = 9007199254740991.0;  // 2^53 - 1

// What is found fault with in a call, in the words of one request.
struct MirroredCall {
  const Sighting& sighting;
  const HttpLane& lane;
  Judge& judge;

  void check(std::initializer_list<RequirementId> rules, bool did_hold, const std::string& detail,
             const std::string& pointer) const {
    for (const RequirementId rule : rules) {
      judge.check(rule, did_hold, detail, sighting.event, pointer);
    }
  }
};

const Json& argument_at(const Json& arguments, const std::vector<std::string>& path) {
  const Json* value = &arguments;
  for (const std::string& name : path) value = &member(*value, name);
  return *value;
}

std::string argument_pointer(const std::vector<std::string>& path) {
  Json::json_pointer pointer("/params/arguments");
  for (const std::string& name : path) pointer /= name;
  return pointer.to_string();
}

class ClientHeaderMonitor : public Monitor {
 public:
  std::string_view name() const override { return "client_header_monitor"; }
  std::vector<RequirementId> client_requirements() const override {
    return {"http.post-method",
            "http.message-per-post",
            "http.post-body-request-or-notification",
            "http.metadata-headers",
            "http.call-headers-appended",
            "http.call-headers-extracted",
            "http.name-header-encoded",
            "http.base64-markers-exact",
            "http.parameter-headers-supported",
            "http.parameter-headers-mirrored",
            "http.call-parameters-inspected",
            "http.call-parameter-headers",
            "http.parameter-header-omitted",
            "http.parameter-values-encoded",
            "http.call-parameters-encoded",
            "http.unsafe-value-base64",
            "http.sentinel-like-value-base64",
            "tools.header-integer-safe"};
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }
  // What the parameters of a tool are, the latest list has told.
  bool rests_on_history(RequirementId id) const override {
    return id.text().find("parameter") != std::string_view::npos ||
           id.text().find("value-base64") != std::string_view::npos ||
           id.text() == "tools.header-integer-safe";
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (!session.transport().is_streamable_http()) return;
    const HttpLane* lane = lanes_.note(event);
    const bool is_request = event->observation.kind == transport::Observation::Kind::kHttpRequest;
    if (lane != nullptr && is_request && !lane->is_post()) judge_method(*lane, event, judge);
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!session.transport().is_streamable_http()) return;
    if (!session.revision().has_mirrored_headers()) return;
    if (sighting.event->is_from_server()) {
      if (sighting.is_result_of("tools/list")) note_tools(sighting.message.result());
      return;
    }
    const HttpLane* lane = lanes_.find(sighting.event->observation.lane);
    if (!sighting.is_from_judged || lane == nullptr || sighting.is_batch_member) return;
    if (sighting.message.kind() == wire::MessageKind::kMalformed) return;
    // Who falls back to a handshake begins with it.
    if (sighting.message.method() == "initialize") return;
    judge.held("http.post-method", sighting.event);
    judge_body(sighting, judge);
    if (sighting.is_request()) judge_headers({sighting, *lane, judge});
  }

 private:
  // Only of a POST is the body taken for a message.
  static void judge_method(const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const wire::Decoded body = wire::decode(event->observation.bytes());
    const auto* message = std::get_if<wire::Message>(&body);
    const bool is_request = message != nullptr && message->kind() == wire::MessageKind::kRequest;
    if (!is_request || !revision_of(*message)) return;
    judge.broke("http.post-method", fmt::format("a request was sent with {}", lane.method()),
                {event});
  }

  // What clients are to leave out they need not mirror either.
  void note_tools(const Json& result) {
    Json sound = Json::array();
    for (const Json& tool : array_member(result, "tools")) {
      Json known = tool;
      if (header_annotation_trouble(member(tool, "inputSchema"))) known.erase("inputSchema");
      sound.push_back(std::move(known));
    }
    parameters_.note({{"tools", std::move(sound)}});
  }

  static void judge_body(const Sighting& sighting, Judge& judge) {
    const bool is_batch = sighting.message.kind() == wire::MessageKind::kBatch;
    judge.check("http.post-body-request-or-notification",
                sighting.is_request() || sighting.is_notification(),
                is_batch ? "the body of a POST is an array of messages"
                         : "the body of a POST is a response",
                sighting.event);
    judge.check("http.message-per-post", !is_batch || sighting.message.members().size() < 2,
                "several messages were sent in one POST", sighting.event);
  }

  void judge_headers(const MirroredCall& call) const {
    const wire::Message& request = call.sighting.message;
    const bool is_call = request.method() == "tools/call";
    const std::optional<std::string> named = name_to_repeat(request);
    const auto method = call.lane.sent_header("Mcp-Method");
    const auto name = call.lane.sent_header("Mcp-Name");
    const bool has_both = method && (name || !named);
    const std::string missing = method ? "Mcp-Name is missing" : "Mcp-Method is missing";
    const bool has_version = call.lane.sent_header("MCP-Protocol-Version").has_value();
    call.check({"http.metadata-headers"}, has_both && has_version,
               has_version ? missing : "MCP-Protocol-Version is missing", "");
    if (is_call) call.check({"http.call-headers-appended"}, has_both, missing, "");
    if (!method || !name || !named) return;
    const MirroredField field = read_mirrored_field(*name, *named);
    if (is_call) {
      call.check({"http.call-headers-extracted"},
                 *method == request.method() && (field.is_right || field.is_encoded),
                 "Mcp-Method or Mcp-Name says something else than the body", "/params/name");
    }
    judge_marks(field, call, "Mcp-Name", "/params");
    if (needs_base64(*named) || transport::looks_encoded(*named)) {
      call.check({"http.name-header-encoded"}, field.is_encoded && field.is_right,
                 "a header cannot hold the name as it is, and Mcp-Name does not have it in Base64",
                 "/params");
    }
    if (is_call) judge_parameters(call);
  }

  // Nothing where the request is of another method, or names nothing.
  static std::optional<std::string> name_to_repeat(const wire::Message& request) {
    const std::string_view method = request.method();
    const bool is_read = method == "resources/read";
    if (!is_read && method != "tools/call" && method != "prompts/get") return std::nullopt;
    const Json& value = member(request.params(), is_read ? "uri" : "name");
    if (!value.is_string()) return std::nullopt;
    return value.get<std::string>();
  }

  static void judge_marks(const MirroredField& field, const MirroredCall& call,
                          std::string_view header, const std::string& pointer) {
    if (!field.is_encoded || !field.is_right) return;
    call.check({"http.base64-markers-exact"}, field.has_exact_markers,
               fmt::format("the marks around the Base64 in {} are not in lower case", header),
               pointer);
  }

  void judge_parameters(const MirroredCall& call) const {
    const Json& params = call.sighting.message.params();
    const auto* parameters = parameters_.of(text_member(params, "name"));
    if (parameters == nullptr) return;
    for (const MirroredParameter& each : *parameters) {
      judge_parameter(each, argument_at(member(params, "arguments"), each.path), call);
    }
  }

  static void judge_parameter(const MirroredParameter& parameter, const Json& value,
                              const MirroredCall& call) {
    const auto field = call.lane.sent_header(parameter.header);
    const std::string at = argument_pointer(parameter.path);
    if (value.is_null()) {
      call.check({"http.parameter-header-omitted", "http.call-parameters-inspected"}, !field,
                 fmt::format("{} is sent for a parameter that is null or absent", parameter.header),
                 at);
      return;
    }
    // A field without a value gets lost on the way, and no rule says what stands for other types.
    const bool is_integer = value.is_number_integer();
    if (value == "" || (!is_integer && !value.is_string() && !value.is_boolean())) return;
    const std::string meant = header_text(value);
    const MirroredField read = field ? read_mirrored_field(*field, meant) : MirroredField{};
    const bool is_number = field && is_integer && is_same_integer(*field, value);
    call.check({"http.parameter-headers-supported", "http.parameter-headers-mirrored",
                "http.call-parameters-inspected", "http.call-parameter-headers"},
               field && (read.is_right || read.is_encoded || is_number),
               field ? fmt::format("{} says something else than the argument", parameter.header)
                     : fmt::format("{} is missing", parameter.header),
               at);
    if (is_integer) {
      call.check({"tools.header-integer-safe"}, std::abs(value.get<double>()) <= kLargestMirrored,
                 "an integer that is repeated in a header lies outside of -2^53+1 to 2^53-1", at);
    }
    if (field && value.is_string()) judge_encoding(read, meant, parameter.header, at, call);
  }

  static void judge_encoding(const MirroredField& read, const std::string& meant,
                             const std::string& header, const std::string& at,
                             const MirroredCall& call) {
    judge_marks(read, call, header, at);
    const bool is_like_base64 = transport::looks_encoded(meant);
    const bool has_to_be = needs_base64(meant) || is_like_base64;
    if (!has_to_be && !read.is_encoded && !read.is_right) return;  // another value: judged above
    const bool is_well = read.is_right && (read.is_encoded || !has_to_be);
    const std::string detail =
        read.is_encoded ? fmt::format("the Base64 in {} is not that of the argument", header)
                        : fmt::format("{} holds a value as it is that has to be in Base64", header);
    call.check({"http.parameter-values-encoded", "http.call-parameters-encoded"}, is_well, detail,
               at);
    if (is_like_base64) call.check({"http.sentinel-like-value-base64"}, is_well, detail, at);
    if (needs_base64(meant)) call.check({"http.unsafe-value-base64"}, is_well, detail, at);
  }

  HttpLanes lanes_;
  MirroredParameters parameters_;
};

const MonitorRegistration<ClientHeaderMonitor> kClientHeaderMonitorRegistration;

}  // namespace
}  // namespace assay::harness
