// What tests over HTTP need: a running server, and a client that waits for whole exchanges.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/server/faults/faulty_server.h"
#include "reference/server/server.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_server.h"
#include "reference/transport/recorder_testing.h"

namespace assay::server {

struct SeenExchange {
  int status = 0;
  transport::Headers headers;
  std::string body;
  std::vector<wire::SseEvent> events;

  Json json() const { return Json::parse(body, nullptr, false); }
  std::string type() const { return transport::media_type(headers); }
  // The messages of the events.
  std::vector<Json> messages() const {
    std::vector<Json> all;
    for (const wire::SseEvent& event : events) {
      if (!event.data.empty()) all.push_back(Json::parse(event.data, nullptr, false));
    }
    return all;
  }
};

class HttpTest : public testing::Test {
 protected:
  using Kind = transport::Observation::Kind;

  void TearDown() override {
    if (client_) client_->close(std::chrono::steady_clock::now() + std::chrono::seconds(5));
    http_.reset();
  }

  void start(transport::HttpServerOptions options = {}, const std::vector<std::string>& ids = {},
             Options server_options = {}) {
    faults_ = std::get<Faults>(select_faults(ids));
    turn_switches(faults_, server_options);
    good_ = std::make_unique<Server>(server_options);
    faulty_ = std::make_unique<FaultyServer>(*good_, faults_);
    conduct_ = std::make_unique<FaultyConduct>(faults_);
    http_ = std::make_unique<transport::HttpServer>(*faulty_, std::move(options), conduct_.get());
    ASSERT_EQ(http_->start(), std::nullopt);
    client_ = std::make_unique<transport::HttpClient>(
        std::get<transport::HttpUrl>(transport::HttpUrl::parse(http_->url())),
        transport::HttpClientOptions{}, recorder_);
    ASSERT_FALSE(client_->open());
  }

  // Initializes; later requests are of that session.
  SeenExchange begin(const std::string& revision = "2025-11-25",
                     const Json& capabilities = Json::object()) {
    const Json initialize = {{"jsonrpc", "2.0"},
                             {"id", 0},
                             {"method", "initialize"},
                             {"params",
                              {{"protocolVersion", revision},
                               {"capabilities", capabilities},
                               {"clientInfo", {{"name", "test"}, {"version", "1"}}}}}};
    SeenExchange exchange = post(initialize.dump());
    session_id_ = std::string(
        transport::find_header(exchange.headers, "MCP-Session-Id").value_or(std::string_view()));
    post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    return exchange;
  }

  transport::Lane start_exchange(const std::string& method, const std::string& target,
                                 transport::Headers headers, std::string body) {
    if (!session_id_.empty() && !transport::find_header(headers, "MCP-Session-Id")) {
      headers.emplace_back("MCP-Session-Id", session_id_);
    }
    transport::HttpRequest request;
    request.method = method;
    if (!target.empty()) request.target = target;
    request.headers = std::move(headers);
    request.body = std::move(body);
    request.with_session_headers = false;
    return client_->start(std::move(request));
  }
  transport::Lane start_post(const std::string& body, transport::Headers headers = {}) {
    return start_exchange("POST", "", std::move(headers), body);
  }
  SeenExchange finish(transport::Lane lane) {
    recorder_.wait_for([&](const transport::Observation& seen) {
      return seen.lane == lane && (seen.kind == Kind::kClosed || seen.kind == Kind::kBroken);
    });
    return seen_on(lane);
  }
  SeenExchange post(const std::string& body, transport::Headers headers = {}) {
    return finish(start_post(body, std::move(headers)));
  }
  SeenExchange other(const std::string& method, transport::Headers headers = {},
                     const std::string& target = "") {
    return finish(start_exchange(method, target, std::move(headers), ""));
  }
  // Waits for an event with that text in its data, on one lane or on any.
  std::optional<transport::Observation> wait_for_event(
      const std::string& text, std::optional<transport::Lane> lane = std::nullopt) {
    return recorder_.wait_for([&](const transport::Observation& seen) {
      return seen.event && (!lane || seen.lane == *lane) &&
             (seen.event->data.find(text) != std::string::npos || seen.event->event == text);
    });
  }
  void wait_for_response(transport::Lane lane) {
    recorder_.wait_for([&](const transport::Observation& seen) {
      return seen.lane == lane && seen.kind == Kind::kHttpResponse;
    });
  }
  SeenExchange seen_on(transport::Lane lane) const {
    SeenExchange exchange;
    for (const transport::Observation& seen : recorder_.all()) {
      if (seen.lane != lane) continue;
      if (seen.kind == Kind::kHttpResponse) {
        exchange.status = seen.http->status;
        exchange.headers = seen.http->headers;
      }
      if (seen.kind == Kind::kHttpBody) exchange.body = seen.bytes;
      if (seen.event) exchange.events.push_back(*seen.event);
    }
    return exchange;
  }

  transport::Recorder recorder_;
  Faults faults_;
  std::unique_ptr<Server> good_;
  std::unique_ptr<FaultyServer> faulty_;
  std::unique_ptr<FaultyConduct> conduct_;
  std::unique_ptr<transport::HttpServer> http_;
  std::unique_ptr<transport::HttpClient> client_;
  std::string session_id_;
};

inline constexpr const char* kPing = R"({"jsonrpc":"2.0","id":5,"method":"ping"})";
inline constexpr const char* kLogging =
    R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"test_tool_with_logging"}})";
inline constexpr const char* kReconnection =
    R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"test_reconnection"}})";
inline constexpr const char* kChange =
    R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"test_trigger_tool_change"}})";

}  // namespace assay::server
