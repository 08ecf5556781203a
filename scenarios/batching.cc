// Scenarios about JSON-RPC batches: 2025-03-26 has them, later revisions took them out.
//
// Specification: basic/index, "Batching" (2025-03-26); changelog (2025-06-18).
#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/runner/scenario.h"

namespace assay::scenarios {
namespace {

using namespace harness;

std::string batch_of_pings(const std::vector<wire::Id>& ids) {
  Json batch = Json::array();
  for (const wire::Id& id : ids) batch.push_back(wire::make_request(id, "ping"));
  return wire::encode(batch);
}

// A batch of requests is answered, each request with its own id.
SCENARIO(batching_answers_every_request, in_revisions(&model::Revision::has_batching),
         own_session(), judges({"jsonrpc.batch-receive"})) {
  Connection& session = script.session();
  const std::vector<wire::Id> ids = {wire::Id::of_string("one"), wire::Id::of_string("two")};
  const Pending first = session.send_line(batch_of_pings(ids), ids[0]);
  Pending second = first;
  second.id = ids[1];
  for (const Pending& pending : {first, second}) {
    const Reply reply = session.await(pending);
    script.check("jsonrpc.batch-receive", reply.is_result(), reply,
                 fmt::format("the ping {} in a batch was answered with {}", pending.id.json_text(),
                             reply.describe()));
    if (!reply.is_result()) return;
  }
}

// Where batches were taken out, no array comes back to one.
SCENARIO(batching_is_gone, in_revisions(&model::Revision::has_no_batches), own_session(),
         judges({"schema.no-batches"})) {
  Connection& session = script.session();
  const Pending pending =
      session.send_line(batch_of_pings({wire::Id::of_string("a"), wire::Id::of_string("b")}));
  session.barrier();
  for (const EventPtr& event : session.transcript().events(pending.from)) {
    const bool is_array = !event->is_sent() && event->message() != nullptr &&
                          event->message()->kind() == wire::MessageKind::kBatch;
    if (!is_array) continue;
    script.check("schema.no-batches", false, {pending.sent, event}, "the answer is an array");
    return;
  }
  script.check("schema.no-batches", true, {}, "");
}

}  // namespace
}  // namespace assay::scenarios
