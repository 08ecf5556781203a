#include "scenarios/clients/asking_requests.h"

#include <algorithm>

#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using harness::member;
using harness::text_member;

// What does not survive being read and written again.
constexpr std::string_view kFirstState = "{\"step\": 1,  \"name\":\"\\u00fc\" }\n==";
constexpr std::string_view kSecondState = " 2/..%2F+\xc3\xbc ";

std::string_view target_of(const wire::Message& request) {
  return text_member(request.params(), request.method() == "resources/read" ? "uri" : "name");
}

}  // namespace

const std::vector<AskingRequest>& asking_requests() {
  static const std::vector<AskingRound> kEachKind = {
      {"confirm", kFirstState}, {"again", kSecondState}, {"last", ""}};
  static const std::vector<AskingRequest> kRequests = {
      {"tools/call", "test_mrtr_echo_state", {{"confirm", kFirstState}}},
      {"tools/call", "test_mrtr_no_state", {{"confirm", ""}}},
      {"tools/call", "test_mrtr_state_only", {{"", kFirstState}}},
      {"tools/call", kTwoRounds, kEachKind},
      {"prompts/get", kAskingPrompt, kEachKind},
      {"resources/read", kAskingResource, kEachKind}};
  return kRequests;
}

const AskingRequest* asking_request(const wire::Message& request) {
  const auto& all = asking_requests();
  const auto found = std::find_if(all.begin(), all.end(), [&](const AskingRequest& each) {
    return each.method == request.method() && each.target == target_of(request);
  });
  return found == all.end() ? nullptr : &*found;
}

bool carries_input(const wire::Message& request) {
  // null stands for nothing.
  return !member(request.params(), "requestState").is_null() ||
         !member(request.params(), "inputResponses").is_null();
}

bool is_asking_state(std::string_view state) {
  return state == kFirstState || state == kSecondState;
}

std::size_t round_of(const AskingRequest& asking, const wire::Message& request) {
  if (!carries_input(request)) return 0;
  const Json& responses = member(request.params(), "inputResponses");
  for (std::size_t i = asking.rounds.size(); i-- > 0;) {
    const std::string_view key = asking.rounds[i].key;
    if (!key.empty() && !member(responses, key).is_null()) return i + 1;
  }
  const bool is_second = text_member(request.params(), "requestState") == kSecondState;
  return is_second ? 2 : 1;
}

Json question_result(const AskingRound& round) {
  Json result = {{"resultType", "input_required"}};
  if (!round.state.empty()) result["requestState"] = round.state;
  if (!round.key.empty()) {
    const Json form = {{"type", "object"},
                       {"properties", {{"confirmed", {{"type", "boolean"}, {"default", true}}}}}};
    result["inputRequests"][std::string(round.key)] = {
        {"method", "elicitation/create"},
        {"params", {{"message", "Go on?"}, {"mode", "form"}, {"requestedSchema", form}}}};
  }
  return result;
}

}  // namespace assay::scenarios
