// Faults with batches. Specification: basic, "Batching" (2025-03-26), and JSON-RPC 2.0.
#include <algorithm>
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;
using wire::MessageKind;

// A batch that arrives and holds only what is of one of these kinds.
bool is_batch_of(const Arrival& arrival, std::initializer_list<MessageKind> kinds) {
  const wire::Message& message = arrival.message();
  if (message.kind() != MessageKind::kBatch || message.members().empty()) return false;
  return std::all_of(message.members().begin(), message.members().end(),
                     [&](const wire::Message& member) {
                       return std::find(kinds.begin(), kinds.end(), member.kind()) != kinds.end();
                     });
}

bool is_array(std::string_view body) {
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && body[first] == '[';
}

bool is_empty_array(std::string_view body) {
  const Json json = Json::parse(body, nullptr, false);
  return json.is_array() && json.empty();
}

transport::HttpReply refusal_of_batch(int status) {
  return {status,
          {{"Content-Type", "application/json"}},
          wire::encode(wire::make_error(std::nullopt, wire::kInvalidRequest, "No batches here")),
          nullptr};
}

// What single members of an answer to a batch are.
std::vector<Fault> batch_member_faults() {
  return {
      {.id = "batch-ids-turned",
       .description = "Answers requests of a batch with ids of another type",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id", "jsonrpc.batch-receive"},
       .may_break = {"jsonrpc.error-response-id"},
       .concerns = &Revision::has_batching,
       .batch =
           [](Json& members) {
             for (Json& member : members) member["id"] = member["id"].dump();
           }},
      {.id = "batch-ids-null",
       .description = "Answers requests of a batch with results whose id is null",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id", "jsonrpc.batch-receive"},
       .concerns = &Revision::has_batching,
       .batch =
           [](Json& members) {
             for (Json& member : members) {
               if (member.contains("result")) member["id"] = nullptr;
             }
           }},
      {.id = "batch-ids-swapped-for-others",
       .description = "Adds an answer to a batch that no request in it asked for",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .concerns = &Revision::has_batching,
       .batch =
           [](Json& members) {
             members.push_back(
                 wire::make_result(wire::Id::of_string("nobody-asked"), Json::object()));
           }},
      {.id = "batch-members-without-jsonrpc",
       .description = "Leaves \"jsonrpc\" out of the answers to a batch",
       .breaks = {"jsonrpc.version-2-messages"},
       .concerns = &Revision::has_batching,
       .batch =
           [](Json& members) {
             for (Json& member : members) member.erase("jsonrpc");
           }},
      {.id = "batch-members-with-both",
       .description = "Puts an error beside each result in the answer to a batch",
       .breaks = {"jsonrpc.response-not-both", "jsonrpc.version-2-messages"},
       .may_break = {"jsonrpc.batch-receive"},
       .concerns = &Revision::has_batching,
       .batch =
           [](Json& members) {
             for (Json& member : members) {
               if (member.contains("result")) {
                 member["error"] = {{"code", -32603}, {"message", "None, really"}};
               }
             }
           }},
      {.id = "batch-first-answer-lost",
       .description = "Answers all requests of a batch but the first",
       .breaks = {"jsonrpc.batch-receive"},
       .concerns = &Revision::has_batching,
       .batch =
           [](Json& members) {
             if (members.size() > 1) members.erase(0);
           }},
      {.id = "batch-errors-lost",
       .description = "Leaves errors out of the answer to a batch",
       .breaks = {"jsonrpc.batch-receive"},
       .may_break = {"jsonrpc.batch-invalid-member"},
       .concerns = &Revision::has_batching,
       .batch =
           [](Json& members) {
             Json kept = Json::array();
             for (Json& member : members) {
               if (!member.contains("error")) kept.push_back(member);
             }
             if (!kept.empty()) members = std::move(kept);
           }},
  };
}

// How HTTP answers to batches.
std::vector<Fault> http_batch_faults() {
  return {
      {.id = "batch-refused-with-200",
       .description = "Refuses each batch with HTTP 200 and one error without an id",
       .breaks = {"jsonrpc.batch-receive"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_batching,
       .reply =
           [](const transport::HttpHead&, std::string_view body, transport::HttpReply& reply) {
             if (is_array(body) && reply.status == 200) reply = refusal_of_batch(200);
           }},
      {.id = "batch-refused-with-400",
       .description = "Refuses each batch with HTTP 400",
       .breaks = {"jsonrpc.batch-receive"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_batching,
       .reply =
           [](const transport::HttpHead&, std::string_view body, transport::HttpReply& reply) {
             if (is_array(body) && reply.status == 200) reply = refusal_of_batch(400);
           }},
      {.id = "empty-batch-accepted",
       .description = "Accepts an empty batch with HTTP 202",
       .breaks = {"jsonrpc.batch-empty-refused"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_batching,
       .reply =
           [](const transport::HttpHead&, std::string_view body, transport::HttpReply& reply) {
             if (is_empty_array(body)) reply = {202, {}, "", nullptr};
           }},
      {.id = "empty-batch-answered-with-array",
       .description = "Answers an empty batch with HTTP 200 and an empty array",
       .breaks = {"jsonrpc.batch-empty-refused"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_batching,
       .reply =
           [](const transport::HttpHead&, std::string_view body, transport::HttpReply& reply) {
             if (!is_empty_array(body)) return;
             reply = {200, {{"Content-Type", "application/json"}}, "[]", nullptr};
           }},
  };
}

std::vector<Fault> whole_batch_faults() {
  return {
      {.id = "batches-refused",
       .description = "Refuses batches in the revision that has them",
       .breaks = {"jsonrpc.batch-receive"},
       .concerns = &Revision::has_batching,
       .inside = Switch::kRefusesBatches},
      {.id = "batches-ignored",
       .description = "Ignores batches in the revision that has them",
       .breaks = {"jsonrpc.batch-receive"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &Revision::has_batching,
       .batch = [](Json& members) { members.clear(); }},
      {.id = "batch-answers-split",
       .description = "Answers the requests of a batch one by one",
       .breaks = {"jsonrpc.batch-array-response"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &Revision::has_batching,
       .splits_batches = true},
      {.id = "batch-answer-lost",
       .description = "Answers all requests of a batch but the last",
       .breaks = {"jsonrpc.batch-receive"},
       .concerns = &Revision::has_batching,
       .batch =
           [](Json& members) {
             if (members.size() > 1) members.erase(members.size() - 1);
           }},
      {.id = "batch-answer-doubled",
       .description = "Answers the last request of a batch twice",
       .breaks = {"jsonrpc.request-answered-once"},
       .concerns = &Revision::has_batching,
       .batch =
           [](Json& members) {
             if (members.size() > 1) members.push_back(members.back());
           }},
      {.id = "batch-of-one-unwrapped",
       .description = "Answers a batch of one request without an array",
       .breaks = {"jsonrpc.batch-array-response"},
       .concerns = &Revision::has_batching,
       .unwraps_batches_of_one = true},
      {.id = "batch-of-notifications-answered",
       .description = "Answers a batch of notifications with an empty array",
       .breaks = {"jsonrpc.batch-no-requests-unanswered"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &Revision::has_batching,
       .arrival =
           [](Arrival& a) {
             if (is_batch_of(a, {MessageKind::kNotification})) a.send(Json::array());
           }},
      {.id = "batch-of-responses-refused",
       .description = "Answers a batch of responses with an error",
       .breaks = {"jsonrpc.batch-no-requests-unanswered"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &Revision::has_batching,
       .arrival =
           [](Arrival& a) {
             if (is_batch_of(a, {MessageKind::kResult, MessageKind::kError})) {
               a.send(wire::make_error(std::nullopt, wire::kInvalidRequest, "No requests"));
             }
           }},
      {.id = "mixed-batch-refused",
       .description = "Refuses a whole batch for one bad member",
       .breaks = {"jsonrpc.batch-invalid-member"},
       .concerns = &Revision::has_batching,
       .inside = Switch::kRefusesMixedBatches},
      {.id = "empty-batch-answered",
       .description = "Answers an empty batch with an empty array",
       .breaks = {"jsonrpc.batch-empty-refused"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &Revision::has_batching,
       .arrival =
           [](Arrival& a) {
             const bool is_batch = a.message().kind() == MessageKind::kBatch;
             if (is_batch && a.message().members().empty()) a.send(Json::array());
           }},
      {.id = "empty-batch-other-code",
       .description = "Refuses an empty batch with -32603",
       .breaks = {"jsonrpc.batch-empty-refused"},
       .concerns = &Revision::has_batching,
       .departure =
           [](Departure& d) {
             const bool is_refusal = d.has_error_code(wire::kInvalidRequest) &&
                                     d.json()["error"].value("message", "") == "An empty batch";
             if (is_refusal) d.set_error_code(wire::kInternalError);
           }},
  };
}

}  // namespace

std::vector<Fault> batch_faults() {
  std::vector<Fault> all = whole_batch_faults();
  for (const auto table : {batch_member_faults, http_batch_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
