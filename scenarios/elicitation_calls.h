// Calls whose user is asked while they are under way, for the scenarios about who may answer.
//
// Specification: client/elicitation (2025-06-18 and 2025-11-25).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "harness/script/connection.h"
#include "harness/script/means.h"

namespace assay::scenarios {

// A call that waits for the answer to its question, which nobody gives for now.
struct OpenQuestion {
  harness::Pending call;
  wire::Id id;  // of the question
  std::chrono::steady_clock::time_point began;
};
std::optional<OpenQuestion> open_question(harness::Connection& asked, const harness::ToolUse& tool);

// What became of such a call: whether it was answered before its own user said anything, and what
// the tool said in the end.
struct EndOfQuestion {
  bool is_early = false;
  std::optional<harness::Reply> reply;  // nothing if the call was not answered
  std::chrono::milliseconds took{0};    // the whole call
  // The tool said that its user declined.
  bool tells_of_declining() const;
};
// The user cancels. What others have said before that has arrived, or they have not said anything.
EndOfQuestion cancel_question(harness::Connection& asked, const OpenQuestion& question);

// Whether the answer of somebody who was not asked was taken in a call that ended so; `usual` is
// how it ends where only its own user answers.
enum class Taken { kNo, kYes, kUnclear };
// A server need not wait for its user as long as it takes others to say something, and may take no
// answer for a refusal. So what looks taken is unclear where the call ends by itself within the
// time that it took: the tool is called once more then, and nobody answers.
Taken taken_from_another(harness::Connection& asked, const harness::ToolUse& tool,
                         const EndOfQuestion& usual, const EndOfQuestion& end);
inline constexpr const char* kEndsByItself =
    "the call ends by itself within the time that another's answer took";

}  // namespace assay::scenarios
