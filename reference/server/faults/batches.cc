// Faults with batches. Specification: basic, "Batching" (2025-03-26), and JSON-RPC 2.0.
#include <algorithm>

#include "reference/server/faults/fault.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;
using wire::MessageKind;

bool has_batching(Revision revision) {
  return revision.has_batching();
}
bool has_no_batches(Revision revision) {
  return revision.has_no_batches();
}

// A batch that arrives and holds only what is of one of these kinds.
bool is_batch_of(const Arrival& arrival, std::initializer_list<MessageKind> kinds) {
  const wire::Message& message = arrival.message();
  if (message.kind() != MessageKind::kBatch || message.members().empty()) return false;
  return std::all_of(message.members().begin(), message.members().end(),
                     [&](const wire::Message& member) {
                       return std::find(kinds.begin(), kinds.end(), member.kind()) != kinds.end();
                     });
}

}  // namespace

std::vector<Fault> batch_faults() {
  return {
      {.id = "batches-refused",
       .description = "Refuses batches in the revision that has them",
       .breaks = {"jsonrpc.batch-receive"},
       .concerns = has_batching,
       .inside = Switch::kRefusesBatches},
      {.id = "batches-ignored",
       .description = "Ignores batches in the revision that has them",
       .breaks = {"jsonrpc.batch-receive"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = has_batching,
       .batch = [](Json& members) { members.clear(); }},
      {.id = "batches-accepted",
       .description = "Answers batches in revisions that have none",
       .breaks = {"schema.no-batches"},
       .concerns = has_no_batches,
       .inside = Switch::kAcceptsBatches},
      {.id = "batch-answers-split",
       .description = "Answers the requests of a batch one by one",
       .breaks = {"jsonrpc.batch-array-response"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = has_batching,
       .splits_batches = true},
      {.id = "batch-answer-lost",
       .description = "Answers all requests of a batch but the last",
       .breaks = {"jsonrpc.batch-receive"},
       .concerns = has_batching,
       .batch =
           [](Json& members) {
             if (members.size() > 1) members.erase(members.size() - 1);
           }},
      {.id = "batch-answer-doubled",
       .description = "Answers the last request of a batch twice",
       .breaks = {"jsonrpc.request-answered-once"},
       .concerns = has_batching,
       .batch =
           [](Json& members) {
             if (members.size() > 1) members.push_back(members.back());
           }},
      {.id = "batch-of-one-unwrapped",
       .description = "Answers a batch of one request without an array",
       .breaks = {"jsonrpc.batch-array-response"},
       .concerns = has_batching,
       .unwraps_batches_of_one = true},
      {.id = "batch-of-notifications-answered",
       .description = "Answers a batch of notifications with an empty array",
       .breaks = {"jsonrpc.batch-no-requests-unanswered"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = has_batching,
       .arrival =
           [](Arrival& a) {
             if (is_batch_of(a, {MessageKind::kNotification})) a.send(Json::array());
           }},
      {.id = "batch-of-responses-refused",
       .description = "Answers a batch of responses with an error",
       .breaks = {"jsonrpc.batch-no-requests-unanswered"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = has_batching,
       .arrival =
           [](Arrival& a) {
             if (is_batch_of(a, {MessageKind::kResult, MessageKind::kError})) {
               a.send(wire::make_error(std::nullopt, wire::kInvalidRequest, "No requests"));
             }
           }},
      {.id = "mixed-batch-refused",
       .description = "Refuses a whole batch for one bad member",
       .breaks = {"jsonrpc.batch-invalid-member"},
       .concerns = has_batching,
       .inside = Switch::kRefusesMixedBatches},
      {.id = "empty-batch-answered",
       .description = "Answers an empty batch with an empty array",
       .breaks = {"jsonrpc.batch-empty-refused"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = has_batching,
       .arrival =
           [](Arrival& a) {
             const bool is_batch = a.message().kind() == MessageKind::kBatch;
             if (is_batch && a.message().members().empty()) a.send(Json::array());
           }},
      {.id = "empty-batch-other-code",
       .description = "Refuses an empty batch with -32603",
       .breaks = {"jsonrpc.batch-empty-refused"},
       .concerns = has_batching,
       .departure =
           [](Departure& d) {
             const bool is_refusal = d.has_error_code(wire::kInvalidRequest) &&
                                     d.json()["error"].value("message", "") == "An empty batch";
             if (is_refusal) d.set_error_code(wire::kInternalError);
           }},
  };
}

}  // namespace assay::server
