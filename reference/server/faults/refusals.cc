// Faults of who knows a method that it declares, and refuses whatever is asked of it.
// Specification: basic/lifecycle, "Capability Negotiation"; server/discover (since 2026-07-28).
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

constexpr std::int64_t kServerError = -32000;

template <Literal kMethod, std::int64_t kCode>
void refuses(Departure& d) {
  if (d.answers(kMethod.text())) become_error(d, kCode, "Something went wrong");
}

Fault refusal(std::string_view id, std::string_view description, void (*departure)(Departure&),
              std::vector<std::string_view> may_break = {}) {
  return {.id = id,
          .description = description,
          .breaks = {"lifecycle.declared-capabilities-served"},
          .may_break = std::move(may_break),
          .departure = departure};
}

// What asks tools for something gets no more than others do.
std::vector<std::string_view> beside_calls() {
  return {"tools.errors-in-result", "tasks.tool-required-error", "elicitation.required-error-code",
          "progress.stops-on-completion", "progress.token-of-running-operation"};
}

std::vector<Fault> refusals_of_sessions() {
  std::vector<Fault> faults = {
      refusal("tool-lists-fail", "Answers each tools/list with an internal error",
              refuses<"tools/list", wire::kInternalError>),
      refusal("tool-lists-invalid", "Answers each tools/list with an invalid request",
              refuses<"tools/list", wire::kInvalidRequest>),
      refusal("prompt-lists-fail", "Answers each prompts/list with an internal error",
              refuses<"prompts/list", wire::kInternalError>),
      refusal("prompt-lists-invalid", "Answers each prompts/list with invalid params",
              refuses<"prompts/list", wire::kInvalidParams>),
      refusal("resource-lists-fail", "Answers each resources/list with an internal error",
              refuses<"resources/list", wire::kInternalError>),
      refusal("calls-fail", "Answers each call of a tool with an internal error",
              refuses<"tools/call", wire::kInternalError>, beside_calls()),
      refusal("calls-fail-by-own-code", "Answers each call of a tool with error -32000",
              refuses<"tools/call", kServerError>, beside_calls()),
      refusal("prompts-fail", "Answers each prompts/get with an internal error",
              refuses<"prompts/get", wire::kInternalError>,
              {"prompts.unknown-name-error", "prompts.missing-argument-error"}),
      refusal("reads-fail", "Answers each resources/read with an internal error",
              refuses<"resources/read", wire::kInternalError>, {"resources.not-found-error"}),
      refusal("log-levels-fail", "Answers each logging/setLevel with an internal error",
              refuses<"logging/setLevel", wire::kInternalError>, {"logging.invalid-level-error"}),
      refusal("log-levels-invalid", "Answers each logging/setLevel with invalid params",
              refuses<"logging/setLevel", wire::kInvalidParams>),
      refusal("subscriptions-fail", "Answers each resources/subscribe with an internal error",
              refuses<"resources/subscribe", wire::kInternalError>),
      refusal("unsubscriptions-fail", "Answers each resources/unsubscribe with an internal error",
              refuses<"resources/unsubscribe", wire::kInternalError>),
  };
  Fault completions =
      refusal("completions-fail", "Answers each completion/complete with an internal error",
              refuses<"completion/complete", wire::kInternalError>,
              {"completion.unknown-prompt-error", "completion.missing-argument-error"});
  completions.concerns = &model::Revision::has_completions_capability;
  faults.push_back(std::move(completions));
  Fault tasks = refusal("task-lists-fail", "Answers each tasks/list with an internal error",
                        refuses<"tasks/list", wire::kInternalError>);
  tasks.concerns = &model::Revision::has_core_tasks;
  faults.push_back(std::move(tasks));
  return faults;
}

std::vector<Fault> refusals_of_requests() {
  return {
      refusal("tool-lists-fail-again", "Answers each tools/list with an internal error",
              refuses<"tools/list", wire::kInternalError>, {"tools.list-answered"}),
      refusal("prompt-lists-fail-again", "Answers each prompts/list with an internal error",
              refuses<"prompts/list", wire::kInternalError>, {"prompts.list-answered"}),
      refusal("calls-fail-again", "Answers each call of a tool with an internal error",
              refuses<"tools/call", wire::kInternalError>, {"tools.errors-in-result"}),
      refusal("prompts-fail-again", "Answers each prompts/get with an internal error",
              refuses<"prompts/get", wire::kInternalError>,
              {"prompts.unknown-name-error", "prompts.missing-argument-error"}),
      refusal("reads-fail-again", "Answers each resources/read with an internal error",
              refuses<"resources/read", wire::kInternalError>, {"resources.not-found-error"}),
      refusal("completions-fail-again", "Answers each completion/complete with an internal error",
              refuses<"completion/complete", wire::kInternalError>,
              {"completion.unknown-prompt-error", "completion.missing-argument-error"}),
  };
}

}  // namespace

std::vector<Fault> denial_faults() {
  std::vector<Fault> all = refusals_of_sessions();
  for (Fault& fault : of_stateless_era({refusals_of_requests})) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
