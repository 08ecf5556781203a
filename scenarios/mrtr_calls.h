// Calls that are answered with questions, and how they go on, for scenarios about them.
//
// Specification of 2026-07-28: basic/patterns/mrtr.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "harness/script/means.h"
#include "harness/script/script.h"

namespace assay::scenarios {

// What tools can ask their client for.
inline constexpr std::array kAskingAbilities = {
    harness::Ability::kElicits, harness::Ability::kSamples, harness::Ability::kAsksRoots,
    harness::Ability::kElicitsByUrl};

// A call that was answered with questions.
struct Questioned {
  harness::ToolUse tool;
  harness::Reply reply;

  const Json& requests() const;
  const Json& state() const;
};

// What a polite client answers to each of the questions.
Json good_responses(harness::Script& script, const Json& requests);

// A call as the suite sends it, with a fresh id; and the same again with these answers (null: none)
// and the state that came with the questions.
Json call_of(harness::Script& script, const harness::ToolUse& tool,
             std::optional<Json> capabilities = std::nullopt);
Json retry_of(harness::Script& script, const Questioned& asked, const Json& responses);

// The answer is an InputRequiredResult.
bool wants_input(const harness::Reply& reply);

// A tool that asks, and what it asked; without one each of the rules is noted as not exercised.
std::optional<Questioned> ask_questions(harness::Script& script,
                                        std::initializer_list<catalogue::RequirementId> rules,
                                        bool needs_state = false);
// The same of one tool, if there is one of that name; nothing where it gives no state.
std::optional<Questioned> ask_fixture(harness::Script& script, std::string_view name);

}  // namespace assay::scenarios
