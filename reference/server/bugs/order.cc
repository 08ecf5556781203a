// Bugs that it takes two messages to show: calls that meet each other, or a cancellation.
#include <string>

#include "reference/server/bugs/bug.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using wire::Decoded;
using wire::Message;
using wire::MessageKind;

// The tool that a request calls; empty if it calls none.
std::string called_tool(const Message& message) {
  const bool is_call = message.kind() == MessageKind::kRequest &&
                       message.method() == "tools/call" && message.has_params() &&
                       message.params().is_object();
  const Json name = is_call ? message.params().value("name", Json()) : Json();
  return name.is_string() ? name.get<std::string>() : std::string();
}

// Two calls take the same lock: the first has it until something else arrives.
bool lose_second_of_two(BugState& state, const Decoded& arrived, transport::Sink&) {
  const auto* message = std::get_if<Message>(&arrived);
  const std::string tool = message == nullptr ? std::string() : called_tool(*message);
  const bool is_lost = !tool.empty() && state.last_id == tool;
  state.last_id = is_lost ? std::string() : tool;
  return is_lost;
}

// What was cancelled is looked for by nothing but that there was a cancellation.
bool cancel_next_call(BugState& state, const Decoded& arrived, transport::Sink&) {
  const auto* message = std::get_if<Message>(&arrived);
  if (message == nullptr) return false;
  if (message->method() == "notifications/cancelled") state.is_upset = true;
  const bool is_lost = state.is_upset && !called_tool(*message).empty();
  if (is_lost) state.is_upset = false;
  return is_lost;
}

}  // namespace

std::vector<Bug> order_bugs() {
  return {
      {.id = "lost-second-call",
       .description = "Never answers a call that follows another one of the same tool at once",
       .shows_as = "missing-answer",
       .seen_over = SeenOver::kStdioOnly,
       .arrival = lose_second_of_two},
      {.id = "lost-call-after-cancel",
       .description = "Never answers the first call of a tool after a cancellation",
       .shows_as = "missing-answer",
       .seen_over = SeenOver::kStdioOnly,
       .arrival = cancel_next_call},
  };
}

}  // namespace assay::server
