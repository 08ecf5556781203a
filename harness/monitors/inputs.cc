#include "harness/monitors/inputs.h"

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
  const Json& requests = member(sighting.message.result(), "inputRequests");
  if (!requests.is_object()) return found;
  for (const auto& [key, input] : requests.items()) {
    if (found.size() >= kMostInputs) break;
    auto message = request_of(key, input);
    if (!message) continue;
    found.push_back({*std::move(message), pointer_to("/result/inputRequests", key), std::nullopt});
    if (open_.size() < kMostOpen || open_.contains(key)) {
      open_.insert_or_assign(key, sighting.event);
    }
  }
  return found;
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
    const auto asked = open_.find(key);
    if (asked != open_.end()) {
      const Json& requests = member(asked->second->message()->result(), "inputRequests");
      auto request = request_of(key, member(requests, key));
      if (request) {
        input.answers = Exchange{asked->second, *std::move(request), Party::kServer, 1, nullptr};
      }
    }
    found.push_back(std::move(input));
  }
  return found;
}

}  // namespace assay::harness
