// A server for tests of sessions, of which each method is a function.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/client/session.h"
#include "reference/transport/pipe.h"
#include "reference/wire/json.h"

namespace assay::client {

// A server at the other end of a pipe, which answers at once: each method has a function that makes
// the members of the response. What it does not know it does not answer.
class ScriptedServer {
 public:
  using Script = std::function<Json(const Json& request)>;

  explicit ScriptedServer(ClientSession& session)
      : pipe_([this](std::string_view bytes) { take(Json::parse(bytes)); }, session) {}

  void on(const std::string& method, Script script) { scripts_[method] = std::move(script); }
  void on_result(const std::string& method, const Json& result) {
    on(method, [result](const Json&) { return Json{{"result", result}}; });
  }
  void on_error(const std::string& method, const Json& error) {
    on(method, [error](const Json&) { return Json{{"error", error}}; });
  }
  transport::Pipe& pipe() { return pipe_; }
  std::vector<Json> received(const std::string& method) const {
    std::vector<Json> found;
    for (const Json& message : received_) {
      if (message.value("method", "") == method) found.push_back(message);
    }
    return found;
  }

 private:
  void take(const Json& message) {
    received_.push_back(message);
    const auto script = scripts_.find(message.value("method", ""));
    if (!message.contains("id") || script == scripts_.end()) return;
    Json response = script->second(message);
    response["jsonrpc"] = "2.0";
    response["id"] = message["id"];
    pipe_.deliver(response.dump());
  }

  std::map<std::string, Script> scripts_;
  std::vector<Json> received_;
  transport::Pipe pipe_;
};

}  // namespace assay::client
