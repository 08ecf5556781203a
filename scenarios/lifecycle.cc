// Scenarios about the beginning of a session.
//
// Specification: basic/lifecycle.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/handshake_connection.h"
#include "harness/script/json_member.h"
#include "reference/model/revision.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// A version that no specification has, and none will.
constexpr std::string_view kNeverPublished = "1999-12-31";
// One that none has for a long time to come.
constexpr std::string_view kNotYetPublished = "2099-12-31";

Json params_for(const Connection& connection, std::string_view version) {
  Json params = initialize_params(connection.revision());
  params["protocolVersion"] = version;
  return params;
}

// The answer to `initialize` for this version, on a connection of its own.
Reply ask_for(Script& script, std::string_view version) {
  Connection& connection = script.open_connection();
  Reply reply = connection.await(connection.start("initialize", params_for(connection, version)),
                                 connection.patience().start);
  if (reply.is_result()) script.hand_on(connection);
  return reply;
}

// The version that the result of `initialize` names; empty if it names none.
std::string version_in(const Json& result) {
  return std::string(text_member(result, "protocolVersion"));
}

// A server that supports the requested version answers with just that version, in each session.
SCENARIO(lifecycle_echoes_a_supported_version, in_turn(),
         judges({"lifecycle.version-supported-echo"})) {
  const std::string_view asked = script.revision().text();
  Connection& session = script.session();
  const std::string version = version_in(session.server());
  const EventPtr answer = session.wait_for(
      0,
      [&](const Event& event) {
        return event.is_from_server() && event.message() != nullptr &&
               event.message()->kind() == wire::MessageKind::kResult &&
               event.message()->result() == session.server();
      },
      session.patience().request);
  script.check("lifecycle.version-supported-echo", version == asked, {answer},
               fmt::format("asked for {}, the server answered with {}", asked,
                           version.empty() ? "no version" : version));
}

Reply initialize_again(Connection& session, std::string_view version) {
  return session.await_before_fence(session.start("initialize", params_for(session, version)));
}

// Whether each initialize is looked at: two of them are answered with two versions.
bool decides_again(Connection& session) {
  std::string first;
  for (const model::Revision revision : model::Revision::handshake()) {
    const std::string version = version_in(initialize_again(session, revision.text()).result());
    if (version.empty()) return false;
    if (!first.empty() && version != first) return true;
    first = version;
  }
  return false;
}

// What is offered for this version, where an earlier scenario asked for another before the session
// had begun. Nothing if it is no offer: a server may have no answer to a second initialize, or the
// one that it gave to the first.
std::optional<Reply> ask_once_more(Script& script, std::string_view version) {
  if (!script.has_session() || !decides_again(script.session())) return std::nullopt;
  Reply reply = initialize_again(script.session(), version);
  const std::string offered = version_in(reply.result());
  if (offered.empty() || offered == version) return std::nullopt;
  return reply;
}

// Asks for a version that the server cannot know, and returns what it answers.
Reply judge_offer(Script& script, std::string_view asked) {
  std::optional<Reply> offer = ask_once_more(script, asked);
  Reply reply = offer ? *std::move(offer) : ask_for(script, asked);
  script.check("lifecycle.handles-version-mismatch", reply.is_answered(), reply,
               fmt::format("to initialize with an unknown version came {}", reply.describe()));
  if (!reply.is_answered()) {
    script.unclear("lifecycle.version-unsupported-other", "initialize was not answered",
                   reply.events());
    return reply;
  }
  if (reply.is_error()) {
    // The page shows an error for an unsupported version beside the sentence that asks for an
    // offer.
    script.unclear(
        "lifecycle.version-unsupported-other",
        fmt::format("the server refused with {}, as an example of the page does", reply.describe()),
        reply.events());
    return reply;
  }
  const std::string version = version_in(reply.result());
  script.check("lifecycle.version-unsupported-other", !version.empty() && version != asked, reply,
               fmt::format("asked for the unknown version {}, the server answered with {}", asked,
                           version.empty() ? reply.describe() : version));
  return reply;
}

// What a server offers for a version that it does not know is the latest that it supports.
void judge_lateness(Script& script, const Reply& offer) {
  const auto offered = model::Revision::parse(version_in(offer.result()));
  if (!offered) {
    script.unclear("lifecycle.version-unsupported-latest", "the server offered no known version",
                   offer.events());
    return;
  }
  for (const model::Revision later : model::Revision::handshake()) {
    if (later <= *offered) continue;
    const Reply reply = ask_for(script, later.text());
    if (version_in(reply.result()) != later.text()) continue;
    script.check(
        "lifecycle.version-unsupported-latest", false, reply,
        fmt::format("the server offered {}, but supports {}", offered->text(), later.text()));
    return;
  }
  script.check("lifecycle.version-unsupported-latest", true, offer);
}

// A server that does not know the requested version offers another one: the latest that it
// supports.
SCENARIO(lifecycle_offers_another_version, in_turn("offers"),
         judges({"lifecycle.version-unsupported-other", "lifecycle.handles-version-mismatch",
                 "lifecycle.version-unsupported-latest"})) {
  judge_lateness(script, judge_offer(script, kNeverPublished));
}

// The same where what is asked for does not even look like a version.
SCENARIO(lifecycle_offers_another_version_for_a_word, in_turn("offers"),
         judges({"lifecycle.version-unsupported-other", "lifecycle.handles-version-mismatch"})) {
  judge_offer(script, "latest");
}

// The same where it is later than any that the server can know.
SCENARIO(lifecycle_offers_another_version_for_a_later_one, in_turn("offers"),
         judges({"lifecycle.version-unsupported-other", "lifecycle.handles-version-mismatch"})) {
  judge_offer(script, kNotYetPublished);
}

// Over Streamable HTTP each initialize is the beginning of another session.
Trait in_one_session() {
  return only_over({TransportKind::kStdio, TransportKind::kHttpSse});
}

// The session goes on after a request that is not for the receiver to accept.
void judge_survival(Script& script, Connection& connection, std::string_view what) {
  const Reply ping = connection.request("ping");
  script.check("jsonrpc.bad-message-survived", ping.is_answered(), ping,
               fmt::format("after {} a ping was answered with {}", what, ping.describe()));
}

// Whatever is answered to a second initialize, the session goes on.
SCENARIO(lifecycle_survives_a_second_initialize, last_in_turn("client without capabilities"),
         in_one_session(), judges({"jsonrpc.bad-message-survived"})) {
  Connection& session = script.session();
  session.await_before_fence(
      session.start("initialize", initialize_params(session.revision(), Json::object())));
  judge_survival(script, session, "a second initialize");
}

// An initialize without its params is refused, and a sound one still begins the session.
SCENARIO(lifecycle_survives_a_bad_initialize, first_in_turn("exit"), in_one_session(),
         judges({"jsonrpc.bad-message-survived"})) {
  Connection& connection = script.open_connection();
  {
    const auto on_purpose = connection.malformed_on_purpose();
    const Reply refused = connection.request("initialize", Json::object());
    if (refused.is_result()) {
      script.not_exercised("jsonrpc.bad-message-survived",
                           "an initialize without params was accepted");
      return;
    }
  }
  const Reply reply = connection.begin();
  if (connection.has_begun()) script.hand_on(connection);
  script.check("jsonrpc.bad-message-survived", reply.is_answered(), reply,
               fmt::format("after an initialize without its params a sound one was answered "
                           "with {}",
                           reply.describe()));
}

// A batch is no place for initialize. What a server makes of it is its own affair, but it goes on.
SCENARIO(lifecycle_survives_a_batched_initialize, in_turn("client without capabilities"),
         in_revisions(&model::Revision::has_batching), judges({"jsonrpc.bad-message-survived"})) {
  Connection& session = script.session();
  const wire::Id id = session.next_id();
  const Json batch = Json::array({wire::make_request(
      id, "initialize", initialize_params(session.revision(), Json::object()))});
  session.await_before_fence(session.send_line(wire::encode(batch), id));
  judge_survival(script, session, "a batch with initialize");
}

bool is_early_request(const Event& event) {
  return event.is_from_server() && event.message() != nullptr &&
         event.message()->kind() == wire::MessageKind::kRequest &&
         event.message()->method() != "ping";
}

// Before the client says that it is initialized, a server sends no request but ping: one that waits
// for nothing asks in the pause between the answer to initialize and that notification. A ping of
// the client's is answered as at any other time.
SCENARIO(lifecycle_server_waits_for_initialized, first_in_turn(),
         judges({"lifecycle.server-waits-for-initialized", "ping.answered"})) {
  constexpr catalogue::RequirementId kRule = "lifecycle.server-waits-for-initialized";
  Connection& connection = script.open_connection();
  const std::size_t from = connection.mark();
  std::optional<Reply> ping;
  EventPtr early;
  connection.before_initialized([&] {
    ping = connection.request("ping");
    early = connection.wait_for(from, is_early_request, connection.patience().grace);
  });
  const Reply reply = connection.begin();
  if (!ping) {
    script.unclear(kRule, "initialize was not answered with a result", reply.events());
    return;
  }
  script.hand_on(connection);
  script.check("ping.answered", ping->is_result(), *ping,
               fmt::format("a ping between initialize and notifications/initialized was answered "
                           "with {}",
                           ping->describe()));
  if (early) {
    script.check(kRule, false, {reply.events().back(), early},
                 fmt::format("the server sent {} before notifications/initialized",
                             early->message()->method()));
  } else if (ping->is_answered()) {
    script.check(kRule, true, reply);
  }
}

}  // namespace
}  // namespace assay::scenarios
