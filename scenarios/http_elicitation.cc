// Scenarios about whose answer to an elicitation counts, where several clients use one server.
//
// Specification: client/elicitation, "Security Considerations".
#include "harness/runner/scenario.h"
#include "scenarios/elicitation_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// What one client was asked, another cannot answer.
SCENARIO(http_elicitation_is_answered_by_its_client_only, own_session(),
         only_over({TransportKind::kHttp}), in_revisions(&model::Revision::has_elicitation),
         judges({"elicitation.bound-to-client-and-user"})) {
  constexpr catalogue::RequirementId kRule = "elicitation.bound-to-client-and-user";
  const auto tool = script.tool_with(Ability::kElicits);
  if (!tool) return script.lacks(kRule, Ability::kElicits);
  Connection& asked = script.open_session();
  Connection& other = script.open_session();
  // How the call ends where nobody else says anything.
  const auto alone = open_question(asked, *tool);
  if (!alone) return script.not_exercised(kRule, "the tool did not ask the user");
  other.fence();
  const EndOfQuestion usual = cancel_question(asked, *alone);
  const auto question = open_question(asked, *tool);
  if (!question || usual.is_early || !usual.reply) {
    return script.unclear(kRule, "the tool does not wait for the answer to its question");
  }
  other.respond(question->id, {{"action", "decline"}});
  const bool is_sane = other.fence() && asked.fence();
  const EndOfQuestion end = cancel_question(asked, *question);
  if (!is_sane || !end.reply) {
    return script.unclear(kRule, "a ping, or the call of the tool, was not answered");
  }
  const Taken taken = taken_from_another(asked, *tool, usual, end);
  if (taken == Taken::kUnclear) return script.unclear(kRule, kEndsByItself, end.reply->events());
  script.check(kRule, taken == Taken::kNo, *end.reply,
               "an elicitation was answered by a client that had not been asked");
}

// The end of an elicitation is announced to the client that had it, and to no other: the monitor
// holds what each of two clients hears against what it was asked.
SCENARIO(http_elicitation_end_is_told_to_its_client_only, own_session(),
         only_over({TransportKind::kHttp}), in_revisions(&model::Revision::has_url_elicitation),
         judges({"elicitation.completion-to-initiator"})) {
  constexpr catalogue::RequirementId kRule = "elicitation.completion-to-initiator";
  const auto tool = script.tool_with(Ability::kElicitsByUrl);
  if (!tool) return script.lacks(kRule, Ability::kElicitsByUrl);
  Connection& asked = script.open_session();
  Connection& other = script.open_session();
  if (!other.listen()) {
    script.not_exercised(kRule,
                         "the server offers no stream on which another client would hear it");
    return;
  }
  asked.listen();
  const std::size_t from = asked.mark();
  asked.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  const EventPtr told = asked.wait_for_notification(from, "notifications/elicitation/complete",
                                                    asked.patience().request);
  if (!told) {
    script.not_exercised(kRule, "the server did not announce the end of an elicitation");
    return;
  }
  // What is told to others is on its way by now, on a stream of its own.
  other.fence();
  other.wait_for_notification(0, "notifications/elicitation/complete", other.patience().grace);
}

}  // namespace
}  // namespace assay::scenarios
