// Hand-made HTTP exchanges, for tests of monitors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/monitors/traffic_testing.h"

namespace assay::harness {

// One HTTP exchange, written down step by step.
class HttpExchange {
 public:
  static constexpr const char* kJson = "application/json";
  static constexpr const char* kEvents = "text/event-stream";

  HttpExchange(Traffic& traffic, std::uint64_t number)
      : traffic_(traffic), lane_{transport::Lane::Kind::kHttp, number} {}

  HttpExchange& request(const char* method, std::string_view body = "",
                        transport::Headers more = {}) {
    transport::Headers headers = {{"Accept", "application/json, text/event-stream"},
                                  {"Content-Type", kJson}};
    headers.insert(headers.end(), more.begin(), more.end());
    transport::Observation observation =
        step(transport::Observation::Kind::kHttpRequest, transport::Party::kClient);
    observation.http = transport::HttpHead{method, "/mcp", 0, headers};
    observation.bytes = body;
    return see(observation);
  }
  HttpExchange& head(int status, const char* type = "", transport::Headers more = {}) {
    if (*type != '\0') more.emplace_back("Content-Type", type);
    head_ = transport::HttpHead{"", "", status, std::move(more)};
    transport::Observation observation =
        step(transport::Observation::Kind::kHttpResponse, transport::Party::kServer);
    observation.http = head_;
    return see(observation);
  }
  HttpExchange& body(std::string_view text) {
    transport::Observation observation =
        step(transport::Observation::Kind::kHttpBody, transport::Party::kServer);
    observation.http = head_;
    observation.bytes = text;
    return see(observation);
  }
  HttpExchange& event(std::string data, std::optional<std::string> id = std::nullopt,
                      std::string type = "", std::optional<std::uint64_t> retry = std::nullopt) {
    transport::Observation observation =
        step(transport::Observation::Kind::kSseEvent, transport::Party::kServer);
    observation.event =
        wire::SseEvent{std::move(id), std::move(type), std::move(data), true, retry, false, ""};
    return see(observation);
  }
  HttpExchange& closed() {
    return see(step(transport::Observation::Kind::kClosed, transport::Party::kServer));
  }
  HttpExchange& broken() {
    return see(step(transport::Observation::Kind::kBroken, transport::Party::kServer));
  }

 private:
  transport::Observation step(transport::Observation::Kind kind, transport::Party speaker) const {
    transport::Observation observation;
    observation.kind = kind;
    observation.speaker = speaker;
    observation.lane = lane_;
    return observation;
  }
  HttpExchange& see(const transport::Observation& observation) {
    traffic_.saw(observation);
    return *this;
  }

  Traffic& traffic_;
  transport::Lane lane_;
  std::optional<transport::HttpHead> head_;
};

}  // namespace assay::harness
