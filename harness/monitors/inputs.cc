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

std::string pointer_to(const char* place, const std::string& key) {
  return (Json::json_pointer(place) / key).to_string();
}

}  // namespace

bool is_input_required(const Sighting& sighting) {
  return sighting.is_result() &&
         text_member(sighting.message.result(), "resultType") == "input_required";
}

std::vector<Input> Inputs::take(const Sighting& sighting) {
  const bool is_client = sighting.speaker() == Party::kClient;
  if (!is_client && is_input_required(sighting)) return requests_in(sighting);
  if (is_client && sighting.is_request()) return answers_in(sighting);
  return {};
}

std::vector<Input> Inputs::requests_in(const Sighting& sighting) {
  std::vector<Input> found;
  const Json& result = sighting.message.result();
  const Json& requests = member(result, "inputRequests");
  if (!requests.is_object()) return found;
  const std::string operation =
      sighting.exchange == nullptr ? std::string() : operation_of(sighting.exchange->request);
  const std::string state(text_member(result, "requestState"));
  for (const auto& [key, input] : requests.items()) {
    if (found.size() >= kMostInputs) break;
    auto message = request_of(key, input);
    if (!message) continue;
    found.push_back({*std::move(message), pointer_to("/result/inputRequests", key), std::nullopt});
    note_open({operation, state, key}, sighting.event);
    if (!state.empty()) note_open({operation, std::string(), key}, sighting.event);
  }
  return found;
}

void Inputs::note_open(const Place& place, const EventPtr& event) {
  if (open_.size() < kMostOpen || open_.contains(place)) open_.insert_or_assign(place, event);
}

EventPtr Inputs::asked_by(const Message& retry, const std::string& key) const {
  const std::string operation = operation_of(retry);
  const std::string state(text_member(retry.params(), "requestState"));
  for (const Place& place : {Place{operation, state, key}, Place{operation, "", key},
                             Place{"", state, key}, Place{"", "", key}}) {
    const auto asked = open_.find(place);
    if (asked != open_.end()) return asked->second;
  }
  return nullptr;
}

std::vector<Input> Inputs::answers_in(const Sighting& sighting) const {
  std::vector<Input> found;
  const Json& responses = member(sighting.message.params(), "inputResponses");
  if (!responses.is_object()) return found;
  for (const auto& [key, response] : responses.items()) {
    if (found.size() >= kMostInputs) break;
    auto message = message_of(wire::make_result(Id::of_string(key), response));
    if (!message) continue;
    Input input{*std::move(message), pointer_to("/params/inputResponses", key), std::nullopt};
    if (const EventPtr asked = asked_by(sighting.message, key)) {
      const Json& requests = member(asked->message()->result(), "inputRequests");
      auto request = request_of(key, member(requests, key));
      if (request) {
        input.answers = Exchange{asked, *std::move(request), Party::kServer, 1, nullptr};
      }
    }
    found.push_back(std::move(input));
  }
  return found;
}

}  // namespace assay::harness
