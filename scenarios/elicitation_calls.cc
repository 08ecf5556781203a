#include "scenarios/elicitation_calls.h"

#include <utility>

#include "reference/wire/message.h"

namespace assay::scenarios {

using namespace harness;

std::optional<OpenQuestion> open_question(Connection& asked, const ToolUse& tool) {
  asked.on_request("elicitation/create", [](const Json&) -> Answer { return WithheldAnswer{}; });
  asked.listen();
  const std::size_t from = asked.mark();
  Pending call = asked.start("tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
  const EventPtr question =
      asked.wait_for_request(from, "elicitation/create", asked.patience().request);
  if (!question) return std::nullopt;
  return OpenQuestion{std::move(call), *question->message()->id()};
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
  return end;
}

}  // namespace assay::scenarios
