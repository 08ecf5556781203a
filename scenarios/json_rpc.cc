// Scenarios about requests, answers and errors as JSON-RPC 2.0 defines them.
//
// Specification: basic/messages (2024-11-05), basic/index (later).
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>

#include "harness/runner/scenario.h"

namespace assay::scenarios {
namespace {

using namespace harness;

bool is_answer_without_id(const Event& event) {
  if (event.is_sent() || event.message() == nullptr) return false;
  const auto kind = event.message()->kind();
  const auto& id = event.message()->id();
  return kind == wire::MessageKind::kError && (!id || id->kind() == wire::Id::Kind::kNull);
}

// A notification is not answered, whether the receiver knows it or not.
SCENARIO(json_rpc_leaves_notifications_unanswered, judges({"jsonrpc.notification-no-response"})) {
  Connection& session = script.session();
  const std::size_t from = session.mark();
  session.notify("notifications/assay/unknown", {{"about", "nothing"}});
  session.notify("notifications/cancelled", {{"requestId", "never-sent"}, {"reason", "a test"}});
  if (!session.barrier()) {
    script.unclear("jsonrpc.notification-no-response", "the ping that followed was not answered");
    return;
  }
  for (const EventPtr& event : session.transcript().events(from)) {
    if (!is_answer_without_id(*event)) continue;
    script.check("jsonrpc.notification-no-response", false, {event},
                 "an answer came to a notification");
    return;
  }
  script.check("jsonrpc.notification-no-response", true, {}, "");
}

// Whatever id a request has, its answer carries exactly that.
SCENARIO(json_rpc_returns_every_kind_of_id,
         judges({"jsonrpc.response-id", "jsonrpc.result-response-id"})) {
  const std::array ids = {
      wire::Id::of(0),
      wire::Id::of(-7),
      wire::Id::of((std::int64_t{1} << 53) - 1),
      wire::Id::of_string("assay"),
      wire::Id::of_string(""),
      wire::Id::of_string("1"),
      wire::Id::of_string("h\xc3\xa9llo \xe2\x9c\x93"),
  };
  for (const wire::Id& id : ids) {
    const Reply reply = script.session().request_with_id(id, "ping");
    const std::string detail =
        fmt::format("a ping with the id {} was answered with {}", id.json_text(), reply.describe());
    if (reply.kind() == Reply::Kind::kSilence || reply.kind() == Reply::Kind::kGone) {
      script.check("jsonrpc.response-id", false, reply, detail);
      script.check("jsonrpc.result-response-id", false, reply, detail);
      return;
    }
  }
  // What the answers carry is judged by the monitor, which sees each of them.
}

}  // namespace
}  // namespace assay::scenarios
