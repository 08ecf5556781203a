#include "scenarios/elicitation_calls.h"

#include <algorithm>
#include <utility>

#include "reference/wire/message.h"

namespace assay::scenarios {

using namespace harness;

namespace {

using Clock = std::chrono::steady_clock;

// A busy machine may be this much later the second time.
constexpr std::chrono::seconds kLater{1};

std::chrono::milliseconds since(Clock::time_point time) {
  return std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - time);
}

// Whether the tool does not wait for its user this long; true if it cannot be seen.
bool ends_by_itself(Connection& asked, const ToolUse& tool, std::chrono::milliseconds within) {
  const auto question = open_question(asked, tool);
  if (!question) return true;
  const auto left = within - since(question->began);
  const Reply reply = asked.await(question->call, std::max(left, std::chrono::milliseconds(0)));
  if (reply.kind() != Reply::Kind::kSilence) return true;
  cancel_question(asked, *question);
  return false;
}

}  // namespace

std::optional<OpenQuestion> open_question(Connection& asked, const ToolUse& tool) {
  asked.on_request("elicitation/create", [](const Json&) -> Answer { return WithheldAnswer{}; });
  asked.listen();
  const std::size_t from = asked.mark();
  const Clock::time_point began = Clock::now();
  Pending call = asked.start("tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
  const EventPtr question =
      asked.wait_for_request(from, "elicitation/create", asked.patience().request);
  if (!question) return std::nullopt;
  return OpenQuestion{std::move(call), *question->message()->id(), began};
}

bool EndOfQuestion::tells_of_declining() const {
  if (!reply) return false;
  const std::string text = reply->result().dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.find("decline") != std::string::npos;
}

EndOfQuestion cancel_question(Connection& asked, const OpenQuestion& question) {
  EndOfQuestion end;
  asked.fence();
  std::optional<Reply> early = asked.poll(question.call);
  end.is_early = early.has_value();
  asked.respond(question.id, {{"action", "cancel"}});
  Reply reply = early ? *std::move(early) : asked.await(question.call);
  if (reply.is_answered()) end.reply = std::move(reply);
  end.took = since(question.began);
  return end;
}

Taken taken_from_another(Connection& asked, const ToolUse& tool, const EndOfQuestion& usual,
                         const EndOfQuestion& end) {
  // The answers are told apart by what the tool says, should the wrong one be slow to arrive.
  const bool tells = end.tells_of_declining() && !usual.tells_of_declining();
  if (!end.is_early && !tells) return Taken::kNo;
  return ends_by_itself(asked, tool, end.took + kLater) ? Taken::kUnclear : Taken::kYes;
}

}  // namespace assay::scenarios
