// Faults of errors that lack the id of the request that they answer. Specification: basic/messages
// (2024-11-05), basic/index (later).
#include "reference/server/faults/fault.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

constexpr char kCalls[] = "tools/call";
constexpr char kPromptGets[] = "prompts/get";
constexpr char kReads[] = "resources/read";
constexpr char kCompletions[] = "completion/complete";
constexpr char kToolLists[] = "tools/list";
constexpr char kPromptLists[] = "prompts/list";
constexpr char kResourceLists[] = "resources/list";
constexpr char kTemplateLists[] = "resources/templates/list";
constexpr char kTaskLooks[] = "tasks/get";
constexpr char kTaskResults[] = "tasks/result";
constexpr char kTaskEnds[] = "tasks/cancel";

template <const char* kMethod>
void make_id_null(Departure& d) {
  if (d.is_error() && d.answers(kMethod)) d.json()["id"] = nullptr;
}

template <const char* kMethod>
void leave_out_id(Departure& d) {
  if (d.is_error() && d.answers(kMethod)) d.json().erase("id");
}

Fault nameless(std::string_view id, std::string_view description, void (*departure)(Departure&)) {
  return {.id = id,
          .description = description,
          .breaks = {"jsonrpc.response-id", "jsonrpc.error-response-id"},
          .departure = departure};
}

Fault nameless_of_task(std::string_view id, std::string_view description,
                       void (*departure)(Departure&)) {
  Fault fault = nameless(id, description, departure);
  fault.concerns = &model::Revision::has_core_tasks;
  // What has no id is not the answer of the plain call.
  fault.may_break = {"tasks.result-same-error"};
  return fault;
}

}  // namespace

std::vector<Fault> nameless_error_faults() {
  return {
      nameless("call-refused-with-null-id", "Refuses calls of tools with a null id",
               make_id_null<kCalls>),
      nameless("prompt-refused-with-null-id", "Refuses prompts with a null id",
               make_id_null<kPromptGets>),
      nameless("read-refused-with-null-id", "Refuses to read resources with a null id",
               make_id_null<kReads>),
      nameless("completion-refused-with-null-id", "Refuses completions with a null id",
               make_id_null<kCompletions>),
      nameless("tools-cursor-refused-with-null-id",
               "Refuses cursors of the list of tools with a null id", make_id_null<kToolLists>),
      nameless("prompts-cursor-refused-with-null-id",
               "Refuses cursors of the list of prompts with a null id", make_id_null<kPromptLists>),
      nameless("resources-cursor-refused-with-null-id",
               "Refuses cursors of the list of resources with a null id",
               make_id_null<kResourceLists>),
      nameless("templates-cursor-refused-with-null-id",
               "Refuses cursors of the list of templates with a null id",
               make_id_null<kTemplateLists>),
      nameless("call-refused-without-id", "Refuses calls of tools without an id",
               leave_out_id<kCalls>),
      nameless("prompt-refused-without-id", "Refuses prompts without an id",
               leave_out_id<kPromptGets>),
      nameless("read-refused-without-id", "Refuses to read resources without an id",
               leave_out_id<kReads>),
      nameless("unknown-method-refused-without-id", "Refuses unknown methods without an id",
               [](Departure& d) {
                 if (d.has_error_code(wire::kMethodNotFound)) d.json().erase("id");
               }),
      nameless_of_task("task-refused-with-null-id",
                       "Refuses to tell of unknown tasks with a null id", make_id_null<kTaskLooks>),
      nameless_of_task("task-result-refused-with-null-id",
                       "Refuses the results of unknown tasks with a null id",
                       make_id_null<kTaskResults>),
      nameless_of_task("task-cancellation-refused-with-null-id",
                       "Refuses to cancel unknown tasks with a null id", make_id_null<kTaskEnds>),
  };
}

}  // namespace assay::server
