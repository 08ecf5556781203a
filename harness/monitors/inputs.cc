#include "harness/monitors/inputs.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::Id;
using wire::Message;

std::optional<Message> message_of(const Json& json) {
  auto decoded = wire::decode(wire::encode(json));
  if (!std::holds_alternative<Message>(decoded)) return std::nullopt;
  return std::get<Message>(std::move(decoded));
}

// What has no method is no request of any kind.
std::optional<Message> request_of(const std::string& key, const Json& input) {
  if (!member(input, "method").is_string()) return std::nullopt;
  return message_of(wire::make_request(Id::of_string(key), text_member(input, "method"),
                                       member(input, "params")));
}

// What a client tries again: the same method, of the same tool, prompt or resource.
std::string operation_of(const Message& request) {
  const Json& params = request.params();
  return fmt::format("{}\n{}\n{}", request.method(), text_member(params, "name"),
                     text_member(params, "uri"));
}

std::string pointer_to(const std::string& place, const std::string& key) {
  return (Json::json_pointer(place) / key).to_string();
}

}  // namespace

bool is_input_required(const Sighting& sighting) {
  return sighting.is_result() &&
         text_member(sighting.message.result(), "resultType") == "input_required";
}

Inputs::Asker Inputs::task(const Json& holder, const char* place) {
  return {fmt::format("task\n{}", text_member(holder, "taskId")), "", holder, place, true};
}

std::vector<Input> Inputs::take(const Sighting& sighting) {
  const Message& message = sighting.message;
  if (sighting.speaker() == Party::kServer) {
    if (is_input_required(sighting)) {
      const Json& result = message.result();
      const std::string operation =
          sighting.exchange == nullptr ? std::string() : operation_of(sighting.exchange->request);
      return requests_in(
          {operation, std::string(text_member(result, "requestState")), result, "/result"},
          sighting.event);
    }
    if (sighting.is_result_of("tasks/get")) {
      return requests_in(task(message.result(), "/result"), sighting.event);
    }
    if (sighting.is_notification() && message.method() == "notifications/tasks") {
      return requests_in(task(message.params(), "/params"), sighting.event);
    }
    return {};
  }
  if (!sighting.is_request()) return {};
  const Json& params = message.params();
  if (message.method() == "tasks/update") return answers_in(task(params, "/params"));
  return answers_in(
      {operation_of(message), std::string(text_member(params, "requestState")), params, "/params"});
}

std::vector<Input> Inputs::requests_in(const Asker& asker, const EventPtr& event) {
  std::vector<Input> found;
  const Json& requests = member(asker.holder, "inputRequests");
  if (!requests.is_object()) return found;
  for (const auto& [key, request] : requests.items()) {
    if (found.size() >= kMostInputs) break;
    const Place place{asker.operation, asker.state, key};
    const auto known = open_.find(place);
    // A task shows its questions to everybody who asks for it, again and again.
    if (asker.is_task && known != open_.end() && known->second.request == request) continue;
    auto message = request_of(key, request);
    if (!message) continue;
    found.push_back({*std::move(message),
                     pointer_to(fmt::format("{}/inputRequests", asker.place), key), std::nullopt,
                     asker.is_task});
    note_open(place, {event, request});
    if (!asker.state.empty()) note_open({asker.operation, "", key}, {event, request});
  }
  return found;
}

void Inputs::note_open(const Place& place, const Open& open) {
  if (open_.size() < kMostOpen || open_.contains(place)) open_.insert_or_assign(place, open);
}

const Inputs::Open* Inputs::asked_by(const Asker& asker, const std::string& key) const {
  const auto& operation = asker.operation;
  for (const Place& place : {Place{operation, asker.state, key}, Place{operation, "", key},
                             Place{"", asker.state, key}, Place{"", "", key}}) {
    if (asker.is_task && place.operation.empty()) break;
    const auto asked = open_.find(place);
    if (asked != open_.end()) return &asked->second;
  }
  return nullptr;
}

std::vector<Input> Inputs::answers_in(const Asker& asker) const {
  std::vector<Input> found;
  const Json& responses = member(asker.holder, "inputResponses");
  if (!responses.is_object()) return found;
  for (const auto& [key, response] : responses.items()) {
    if (found.size() >= kMostInputs) break;
    auto message = message_of(wire::make_result(Id::of_string(key), response));
    if (!message) continue;
    Input input{*std::move(message), pointer_to(fmt::format("{}/inputResponses", asker.place), key),
                std::nullopt, asker.is_task};
    if (const Open* const asked = asked_by(asker, key)) {
      auto request = request_of(key, asked->request);
      if (request) {
        input.answers = Exchange{asked->event, *std::move(request), Party::kServer, 1, nullptr};
      }
    }
    found.push_back(std::move(input));
  }
  return found;
}

}  // namespace assay::harness
