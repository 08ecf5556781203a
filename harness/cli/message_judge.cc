#include "harness/cli/message_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace assay::cli {
namespace {

using model::Deviation;
using model::Deviations;
using model::Direction;

Direction opposite_of(Direction direction) {
  return direction == Direction::kClientToServer ? Direction::kServerToClient
                                                 : Direction::kClientToServer;
}

const Json* find_member(const Json& message, const char* name) {
  if (!message.is_object()) return nullptr;
  const auto found = message.find(name);
  return found == message.end() ? nullptr : &*found;
}

std::string method_of(const Json& message) {
  const Json* method = find_member(message, "method");
  return method != nullptr && method->is_string() ? method->get<std::string>() : std::string();
}

void add(Deviations more, const std::string& place, Deviations& all) {
  for (Deviation& deviation : more) {
    deviation.pointer.insert(0, place);
    all.push_back(std::move(deviation));
  }
}

bool is_task_created(const Json& result) {
  const Json* task = find_member(result, "task");
  return task != nullptr && task->is_object() && find_member(result, "content") == nullptr;
}

}  // namespace

Deviations validate_response(model::Protocol protocol, std::string_view type, const Json& message) {
  Deviations all = model::validate_message(protocol, Direction::kServerToClient, message);
  for (Deviation deviation : model::validate(protocol, type, message.at("result"))) {
    deviation.pointer.insert(0, "/result");
    // What the base Result asks for has been said already.
    if (std::find(all.begin(), all.end(), deviation) == all.end()) all.push_back(deviation);
  }
  return all;
}

// A request of unknown direction: the one that knows its method.
Direction MessageJudge::direction_of(const Json& message) const {
  const std::string method = method_of(message);
  const bool is_server_method =
      !method.empty() && !model::known_method(protocol_, Direction::kClientToServer, method) &&
      model::known_method(protocol_, Direction::kServerToClient, method);
  return is_server_method ? Direction::kServerToClient : Direction::kClientToServer;
}

// Both sides may use the same id: then only the way of the answer tells which request it answers.
const MessageJudge::Request* MessageJudge::find_request(const Json& id,
                                                        std::optional<Direction> answer) const {
  const std::string text = id.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Request* only = nullptr;
  for (const Direction asked : {Direction::kClientToServer, Direction::kServerToClient}) {
    if (answer && asked != opposite_of(*answer)) continue;
    const auto found = requests_.find({asked, text});
    if (found == requests_.end()) continue;
    if (only != nullptr) return nullptr;
    only = &found->second;
  }
  return only;
}

void MessageJudge::note(const Json& message, Direction direction) {
  if (message.is_array()) {
    for (const Json& member : message) note(member, direction);
    return;
  }
  const std::string method = method_of(message);
  const Json* id = find_member(message, "id");
  if (method.empty() || id == nullptr || requests_.size() >= kMostRequests) return;
  const Json* params = find_member(message, "params");
  const bool is_task = params != nullptr && find_member(*params, "task") != nullptr;
  requests_[{direction, id->dump(-1, ' ', false, Json::error_handler_t::replace)}] = {method,
                                                                                      is_task};
}

JudgedMessage MessageJudge::judge(const Json& message, std::optional<Direction> direction) {
  JudgedMessage judged;
  if (!message.is_array() || !protocol_.revision.has_batching() || message.empty()) {
    judge_one(message, direction, "", judged);
    return judged;
  }
  for (std::size_t i = 0; i < message.size(); ++i) {
    judge_one(message[i], direction, "/" + std::to_string(i), judged);
  }
  judged.judged_as = fmt::format("batch of {}", message.size());
  return judged;
}

void MessageJudge::judge_one(const Json& message, std::optional<Direction> direction,
                             const std::string& place, JudgedMessage& judged) {
  const bool is_call = find_member(message, "method") != nullptr;
  if (!is_call && find_member(message, "result") != nullptr) {
    judge_result(message, direction, place, judged);
    return;
  }
  const Direction way = direction.value_or(direction_of(message));
  add(model::validate_message(protocol_, way, message), place, judged.deviations);
  if (!is_call) {
    judged.judged_as = find_member(message, "error") != nullptr ? "error" : "message";
    return;
  }
  const std::string method = method_of(message);
  const bool is_request = find_member(message, "id") != nullptr;
  judged.judged_as = fmt::format("{} {}", method.empty() ? "plain" : method,
                                 is_request ? "request" : "notification");
  if (!model::known_method(protocol_, way, method)) {
    ++judged.unknown_methods;
    judged.judged_as = is_request ? "plain request" : "plain notification";
  }
  note(message, way);
}

void MessageJudge::judge_result(const Json& message, std::optional<Direction> direction,
                                const std::string& place, JudgedMessage& judged) {
  const Json* id = find_member(message, "id");
  const Request* request = id == nullptr ? nullptr : find_request(*id, direction);
  const std::string method = request != nullptr ? request->method : method_;
  const Direction asked =
      direction ? opposite_of(*direction) : direction_of(Json{{"method", method}});
  const Json& result = message.at("result");
  if (request != nullptr && request->is_task && protocol_.revision.has_core_tasks() &&
      is_task_created(result)) {
    add(validate_response(protocol_, "CreateTaskResult", message), place, judged.deviations);
    judged.judged_as = fmt::format("created task of {}", method);
    return;
  }
  if (model::known_method(protocol_, asked, method) != model::MessageForm::kRequest) {
    add(model::validate_message(protocol_, opposite_of(asked), message), place, judged.deviations);
    judged.judged_as = "envelope of a response";
    ++judged.envelopes_only;
    return;
  }
  add(model::validate_message(protocol_, opposite_of(asked), message, method), place,
      judged.deviations);
  judged.judged_as = "result of " + method;
}

}  // namespace assay::cli
