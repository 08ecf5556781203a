// Calls whose user is asked while they are under way, for the scenarios about who may answer.
//
// Specification: client/elicitation (2025-06-18 and 2025-11-25).
#pragma once

#include <optional>
#include <string>

#include "harness/script/connection.h"
#include "harness/script/means.h"

namespace assay::scenarios {

// A call that waits for the answer to its question, which nobody gives for now.
struct OpenQuestion {
  harness::Pending call;
  wire::Id id;  // of the question
};
std::optional<OpenQuestion> open_question(harness::Connection& asked, const harness::ToolUse& tool);

// What became of such a call: whether it was answered before its own user said anything, and what
// the tool said in the end.
struct EndOfQuestion {
  bool is_early = false;
  std::optional<harness::Reply> reply;  // nothing if the call was not answered
  // The tool said that its user declined.
  bool tells_of_declining() const;
};
// The user cancels. What others have said before that has arrived, or they have not said anything.
EndOfQuestion cancel_question(harness::Connection& asked, const OpenQuestion& question);

}  // namespace assay::scenarios
