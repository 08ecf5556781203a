// Requests that a hosted server answers with questions before it is done: calls of tools, a prompt
// and a resource.
//
// Specification of 2026-07-28: basic/patterns/mrtr, "Supported Requests".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::scenarios {

// What such a request is answered with in each of its rounds.
struct AskingRound {
  std::string_view key;  // of its question; empty where it asks nothing
  std::string_view state;
};
struct AskingRequest {
  std::string_view method;
  std::string_view target;
  std::vector<AskingRound> rounds;
};

constexpr std::string_view kTwoRounds = "test_mrtr_two_rounds";
constexpr std::string_view kAskingPrompt = "test_mrtr_prompt";
constexpr std::string_view kAskingResource = "test://mrtr/resource";

const std::vector<AskingRequest>& asking_requests();
// Null for any other request.
const AskingRequest* asking_request(const wire::Message& request);

// Whether it gives anything back that a result asked for or gave.
bool carries_input(const wire::Message& request);
// The requestState is one of theirs.
bool is_asking_state(std::string_view state);
// The round that this request is in, by what it gives back: nothing else tells one from another.
std::size_t round_of(const AskingRequest& asking, const wire::Message& request);
Json question_result(const AskingRound& round);

}  // namespace assay::scenarios
