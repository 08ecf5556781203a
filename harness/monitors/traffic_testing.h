// Hand-made transcripts, for tests of monitors.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/monitors/monitor.h"
#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"
#include "reference/wire/compose.h"
#include "reference/wire/json.h"

namespace assay::harness {

// What passed on one connection, written down line by line, and what monitors say of it.
class Traffic {
 public:
  explicit Traffic(model::Revision revision = model::Revision::v2025_11_25,
                   TransportKind transport = TransportKind::kStdio)
      : revision_(revision), transport_(transport) {}

  Traffic& sent(std::string_view line) { return line_of(transport::Party::kClient, line); }
  Traffic& came(std::string_view line) { return line_of(transport::Party::kServer, line); }
  Traffic& saw(const transport::Observation& observation) {
    transcript_.observe(observation);
    return *this;
  }
  // The three messages that begin a session.
  Traffic& handshake(Json server_capabilities = Json::object(),
                     Json client_capabilities = Json::object()) {
    sent(wire::encode(wire::make_request(wire::Id::of(0), "initialize",
                                         {{"protocolVersion", revision_.text()},
                                          {"capabilities", std::move(client_capabilities)},
                                          {"clientInfo", {{"name", "test"}, {"version", "1"}}}})));
    came(wire::encode(
        wire::make_result(wire::Id::of(0), {{"protocolVersion", revision_.text()},
                                            {"capabilities", std::move(server_capabilities)},
                                            {"serverInfo", {{"name", "t"}, {"version", "1"}}}})));
    return sent(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  // A request of ours and the result that it gets. Without a handshake the request names its
  // revision and declares these capabilities.
  Traffic& exchange(std::string_view method, const Json& params, const Json& result) {
    const std::int64_t id = asks(method, params);
    return came(wire::encode(wire::make_result(wire::Id::of(id), result)));
  }
  Traffic& refused(std::string_view method, const Json& params, std::int64_t code,
                   const Json& data = nullptr) {
    const std::int64_t id = asks(method, params);
    return came(wire::encode(wire::make_error(wire::Id::of(id), code, "No", data)));
  }
  // A request of ours, by its id.
  std::int64_t asks(std::string_view method, const Json& params = nullptr) {
    const Json meant = revision_.has_sessions() ? params : stateless(params, capabilities_);
    sent(wire::encode(wire::make_request(wire::Id::of(++last_id_), method, meant)));
    return last_id_;
  }
  // What requests declare from now on.
  Traffic& declares(Json capabilities) {
    capabilities_ = std::move(capabilities);
    return *this;
  }
  // Parameters with what `_meta` has to say in every request.
  static Json stateless(Json params = nullptr, const Json& capabilities = Json::object()) {
    if (params.is_null()) params = Json::object();
    Json& meta = params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = model::Revision::v2026_07_28.text();
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    return params;
  }
  Traffic& notified(std::string_view method, const Json& params = nullptr) {
    return came(wire::encode(wire::make_notification(method, params)));
  }
  Traffic& asked(std::string_view method, const Json& params = nullptr) {
    return came(wire::encode(
        wire::make_request(wire::Id::of_string("q" + std::to_string(++last_id_)), method, params)));
  }

  // The rules that this monitor, or any, found broken, or held.
  std::set<std::string> broken(std::string_view monitor = "") const {
    return found(monitor, Finding::Kind::kBroke);
  }
  std::set<std::string> held(std::string_view monitor = "") const {
    return found(monitor, Finding::Kind::kHeld);
  }

  // Judge the client from now on, and not the server.
  Traffic& of_client() {
    judged_ = Party::kClient;
    return *this;
  }

  Findings findings() const {
    const auto events = transcript_.events();
    return watch({events, transport_, judged_, revision_});
  }
  const Transcript& transcript() const { return transcript_; }

 private:
  Traffic& line_of(transport::Party speaker, std::string_view line) {
    transport::Observation observation;
    observation.kind = transport::Observation::Kind::kLine;
    observation.speaker = speaker;
    observation.bytes = line;
    return saw(observation);
  }

  std::set<std::string> found(std::string_view monitor, Finding::Kind kind) const {
    std::set<std::string> rules;
    for (const Finding& finding : findings()) {
      if ((monitor.empty() || finding.judge == monitor) && finding.kind == kind) {
        rules.emplace(finding.requirement.text());
      }
    }
    return rules;
  }

  model::Revision revision_;
  TransportKind transport_;
  Party judged_ = Party::kServer;
  Transcript transcript_;
  std::int64_t last_id_ = 0;
  Json capabilities_ = Json::object();
};

// A result that is all there is to say.
inline Json complete(Json result = Json::object()) {
  result["resultType"] = "complete";
  return result;
}
// The same of what a client may keep for a while.
inline Json cacheable(Json result = Json::object()) {
  result["ttlMs"] = 0;
  result["cacheScope"] = "public";
  return complete(std::move(result));
}
inline Json discovered(Json capabilities = Json::object()) {
  return cacheable({{"supportedVersions", Json::array({"2026-07-28"})},
                    {"capabilities", std::move(capabilities)}});
}
// A result that asks for these.
inline Json input_required(Json requests) {
  return {{"resultType", "input_required"}, {"inputRequests", std::move(requests)}};
}

using Rules = std::set<std::string>;

}  // namespace assay::harness
