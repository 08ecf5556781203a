// What tests of the server need: a client that is a recording sink and a few sentences.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reference/server/server.h"
#include "reference/transport/server_transport.h"
#include "reference/wire/json.h"

namespace assay::server {

// Keeps what was sent, and lets a test wait for it.
class RecordingSink : public transport::Sink {
 public:
  void send(transport::Outgoing message) override {
    {
      const std::lock_guard lock(mutex_);
      texts_.push_back(message.bytes);
      messages_.push_back(Json::parse(message.bytes, nullptr, false));
    }
    has_changed_.notify_all();
  }
  void finish() override {
    {
      const std::lock_guard lock(mutex_);
      ++finished_;
    }
    has_changed_.notify_all();
  }
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}

  std::vector<Json> messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
  }
  std::vector<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }
  int finished() const {
    const std::lock_guard lock(mutex_);
    return finished_;
  }
  // The first message that satisfies `wanted`; null if none comes in time.
  Json wait_for(const std::function<bool(const Json&)>& wanted) {
    std::unique_lock lock(mutex_);
    Json found = nullptr;
    has_changed_.wait_for(lock, std::chrono::seconds(10), [&] {
      for (const Json& message : messages_) {
        if (!wanted(message)) continue;
        found = message;
        return true;
      }
      return false;
    });
    return found;
  }
  bool wait_until_finished(int times = 1) {
    std::unique_lock lock(mutex_);
    return has_changed_.wait_for(lock, std::chrono::seconds(10),
                                 [&] { return finished_ >= times; });
  }

 private:
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable has_changed_;
  std::vector<Json> messages_;
  std::vector<std::string> texts_;
  int finished_ = 0;
};

// A client with one session. What the server says goes to one sink, as over stdio.
class TestClient {
 public:
  explicit TestClient(Options options = {}, transport::WireKind wire = transport::WireKind::kStdio)
      : server_(std::move(options)), session_(server_.open(wire, sink_)) {}

  // Initializes and gives the result.
  Json begin(const std::string& revision = "2025-11-25", Json capabilities = Json::object()) {
    Json result = request("initialize", {{"protocolVersion", revision},
                                         {"capabilities", std::move(capabilities)},
                                         {"clientInfo", {{"name", "test"}, {"version", "1"}}}})
                      .value("result", Json());
    send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
    return result;
  }
  void send_text(const std::string& text);
  void send(const Json& message) { send_text(message.dump()); }
  // Sends a request without waiting, and gives its id.
  int start(const std::string& method, Json params = nullptr) {
    Json request = {{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}};
    if (!params.is_null()) request["params"] = std::move(params);
    send(request);
    return last_id_;
  }
  // The response to a request that was started.
  Json response(int id) {
    return sink_->wait_for([id](const Json& message) {
      return message.is_object() && !message.contains("method") &&
             message.value("id", Json()) == id;
    });
  }
  Json request(const std::string& method, Json params = nullptr) {
    return response(start(method, std::move(params)));
  }
  // The result of a tool call.
  Json call(const std::string& tool, Json arguments = Json::object()) {
    return request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}})
        .value("result", Json());
  }
  Json wait_for_method(const std::string& method) {
    return sink_->wait_for([&](const Json& message) {
      return message.is_object() && message.value("method", "") == method;
    });
  }
  void answer(const Json& request, Json result) {
    send({{"jsonrpc", "2.0"}, {"id", request.at("id")}, {"result", std::move(result)}});
  }
  // All the items of a paginated list.
  std::vector<Json> walk(const std::string& method, const std::string& key) {
    std::vector<Json> items;
    Json params = Json::object();
    pages_ = 0;
    do {
      const Json result = request(method, params).value("result", Json::object());
      for (const Json& item : result.value(key, Json::array())) items.push_back(item);
      ++pages_;
      if (!result.contains("nextCursor")) break;
      params["cursor"] = result["nextCursor"];
    } while (pages_ < 1000);
    return items;
  }
  int pages() const { return pages_; }  // of the last walk

  RecordingSink& sink() { return *sink_; }
  transport::ServerSession& session() { return *session_; }

 private:
  const std::shared_ptr<RecordingSink> sink_ = std::make_shared<RecordingSink>();
  Server server_;
  const std::shared_ptr<transport::ServerSession> session_;
  int last_id_ = 0;
  int pages_ = 0;
};

inline int error_code(const Json& response) {
  return response.value("error", Json::object()).value("code", 0);
}

}  // namespace assay::server
