// Scenarios about the sessions of Streamable HTTP: how they are named, asked for and ended.
//
// Specification: basic/transports, "Session Management".
#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/guessing.h"
#include "scenarios/http_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using model::Revision;

constexpr std::string_view kNoSessions = "the server assigns no session id";

// Even if every character were drawn from all of visible ASCII, a shorter id holds fewer than 64
// bits, which can be tried out.
constexpr std::size_t kShortestUnguessable = 10;
// Ids that count up differ by little.
constexpr std::uint64_t kCounterStep = 1000;

std::optional<std::uint64_t> as_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_counter(std::string_view first, std::string_view second) {
  const auto a = as_number(first);
  const auto b = as_number(second);
  return a && b && (*a > *b ? *a - *b : *b - *a) <= kCounterStep;
}

transport::HttpRequest bare(std::string_view method) {
  transport::HttpRequest request;
  request.method = method;
  return request;
}

const transport::Headers kWithoutId = {{"Mcp-Session-Id", ""}};

// With an error status, or with an error in what is called a success.
bool is_turned_away(const HttpAnswer& reply) {
  const wire::Message* answer = reply.answer();
  const bool is_error = answer != nullptr && answer->kind() == wire::MessageKind::kError;
  return reply.is_refusal() || (reply.is_success() && is_error);
}

// The answers to requests that are served with the session id, and are turned away without it.
std::vector<HttpAnswer> turned_away_without_id(Script& script, Connection& session) {
  std::vector<HttpAnswer> turned_away;
  for (Json& request : quick_requests(script, session)) {
    const HttpAnswer reply = post(session, request, kWithoutId);
    if (!is_turned_away(reply)) continue;
    request["id"] = wire::to_json(session.next_id());
    if (post(session, request).is_served()) turned_away.push_back(reply);
  }
  return turned_away;
}

// A request of a client that forgot its session id, whatever its method, is refused with 400.
SCENARIO(http_wants_the_session_id, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"http.session-id-missing-400"})) {
  constexpr catalogue::RequirementId kRule("http.session-id-missing-400");
  Connection& session = script.session();
  if (!session.http()->session_id()) {
    script.not_exercised(kRule, std::string(kNoSessions));
    return;
  }
  const HttpAnswer ping = post_probe(session, kWithoutId);
  if (!post_probe(session).is_served() || ping.status == 0) {
    script.unclear(kRule, "the pings around it were not served", ping.events);
    return;
  }
  const std::vector<HttpAnswer> turned_away = turned_away_without_id(script, session);
  if (turned_away.empty()) {
    script.not_exercised(kRule, "the server does not require the session id that it assigns");
    return;
  }
  for (const HttpAnswer& reply : turned_away) {
    script.check(kRule, reply.status == 400, reply.events,
                 fmt::format("a request without its session id was answered with {}, and is served "
                             "with it",
                             reply.describe()));
  }
  transport::HttpRequest removal = bare("DELETE");
  removal.headers = kWithoutId;
  const Json notification = wire::make_notification("notifications/assay/unknown");
  const Json response = wire::make_result(wire::Id::of_string("never-asked"), Json::object());
  for (const HttpAnswer& reply :
       {ping, post(session, notification, kWithoutId), post(session, response, kWithoutId),
        get_stream(session, kWithoutId), exchange(session, std::move(removal))}) {
    // Who has no such method need not look at the headers.
    const bool has_method = reply.status != 405 && reply.status != 501;
    if (!reply.is_refusal() || !has_method) continue;
    script.check(
        kRule, reply.status == 400, reply.events,
        fmt::format("a request without its session id was answered with {}", reply.describe()));
  }
}

// Ids that the server never issued, one of them almost that of the session.
std::vector<std::string> never_issued(const std::string& id) {
  std::string neighbour = id;
  neighbour.back() = neighbour.back() == '0' ? '1' : '0';
  return {"assay-never-issued", neighbour};
}

// An id that was never issued opens no session. No sentence forbids to serve one, so who does is
// not accused. Only a list tells: a ping may be answered before there is a session.
SCENARIO(http_refuses_session_ids_that_it_never_issued, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"http.session-id-secure"})) {
  constexpr catalogue::RequirementId kRule("http.session-id-secure");
  Connection& session = script.session();
  const auto id = session.http()->session_id();
  if (!id || id->empty()) {
    script.not_exercised(kRule, std::string(kNoSessions));
    return;
  }
  for (const Listing& listing : script.survey().listings()) {
    if (!listing.is_complete) continue;
    const auto ask = [&](const transport::Headers& headers) {
      return post(session, wire::make_request(session.next_id(), listing.method), headers);
    };
    // Who serves everybody does not tell sessions apart by their ids.
    if (!ask(kWithoutId).is_refusal()) return;
    for (const std::string& other : never_issued(*id)) {
      const HttpAnswer reply = ask({{"Mcp-Session-Id", other}});
      if (reply.status == 0 || !ask({}).is_served()) return;
      if (reply.is_served()) {
        script.unclear(
            kRule,
            fmt::format("{} was served to a session id that the server never issued, and "
                        "is refused without an id",
                        listing.method),
            reply.events);
        return;
      }
      script.check(kRule, true, reply.events, "");
    }
    return;
  }
}

// Whatever a request with the id of an ended session asks for, it is answered with 404. A second
// DELETE is left out: it asks for what is already so, and servers may say that it is done.
void judge_ended(Script& script, Connection& session, int ended_with) {
  constexpr catalogue::RequirementId kRule("http.session-terminated-404");
  const Json notification = wire::make_notification("notifications/assay/unknown");
  const Json response = wire::make_result(wire::Id::of_string("never-asked"), Json::object());
  struct Late {
    const char* what;
    std::function<HttpAnswer()> ask;
  };
  std::vector<Late> all = {{"a GET", [&] { return get_stream(session); }},
                           {"a notification", [&] { return post(session, notification); }},
                           {"a response", [&] { return post(session, response); }}};
  for (const Json& request : harmless_requests(script, session)) {
    all.push_back({"a request", [&session, request] { return post(session, request); }});
  }
  for (const Late& late : all) {
    const HttpAnswer reply = late.ask();
    if (reply.status == 0 || reply.status == 405) continue;
    script.check(kRule, reply.status == 404, reply.events,
                 fmt::format("after DELETE was answered with HTTP {}, {} of the session was "
                             "answered with {}",
                             ended_with, late.what, reply.describe()));
    if (!reply.is_refusal()) return;
  }
}

// A session that was ended with DELETE is gone: 404, and the sessions of others go on.
SCENARIO(http_forgets_ended_sessions, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.session-terminated-404", "http.session-delete-405"})) {
  constexpr catalogue::RequirementId kRule("http.session-terminated-404");
  Connection& bystander = script.open_session();
  Connection& session = script.open_session();
  const auto id = session.http()->session_id();
  if (!id) {
    script.not_exercised(kRule, std::string(kNoSessions));
    return;
  }
  const bool was_sane = post_probe(session).is_served();
  const HttpAnswer ended = exchange(session, bare("DELETE"));
  if (!ended.is_success()) {
    script.not_exercised(kRule, fmt::format("DELETE was answered with {}", ended.describe()));
    return;
  }
  const HttpAnswer reply = post_probe(session);
  if (!was_sane || !bystander.fence() || reply.status == 0) {
    script.unclear(kRule, "the sessions did not answer", reply.events);
    return;
  }
  script.check(kRule, reply.status == 404, reply.events,
               fmt::format("after DELETE was answered with HTTP {}, a request of the session was "
                           "answered with {}",
                           ended.status, reply.describe()));
  if (reply.is_refusal()) judge_ended(script, session, ended.status);
}

// These ids, and those of further clients: few show no pattern. Empty if one has none.
std::vector<std::string> further_ids(Script& script, std::vector<std::string> ids) {
  while (ids.size() < kFewestIds) {
    const auto id = script.open_session().http()->session_id();
    if (!id) return {};
    ids.push_back(*id);
  }
  return ids;
}

// Each client has a session id of its own, which nobody can guess.
SCENARIO(http_gives_each_client_its_own_session, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"http.session-id-secure"})) {
  constexpr catalogue::RequirementId kRule("http.session-id-secure");
  Connection& one = script.open_session();
  Connection& other = script.open_session();
  const auto first = one.http()->session_id();
  const auto second = other.http()->session_id();
  if (!first || !second) {
    script.not_exercised(kRule, std::string(kNoSessions));
    return;
  }
  const auto begun = [](Connection& connection) {
    return connection.transcript().events().front();
  };
  const std::vector<EventPtr> events = {begun(one), begun(other)};
  if (*first == *second) {
    script.check(kRule, false, events, "two clients were given the same session id");
  } else if (is_counter(*first, *second)) {
    script.check(kRule, false, events, "session ids are numbers that follow one another");
  } else {
    const auto more = further_ids(script, {*first, *second});
    if (more.empty()) return;
    const std::size_t varying = varying_characters(more);
    script.check(kRule, varying >= kShortestUnguessable, events,
                 fmt::format("of session ids of {} characters, {} differ from client to client",
                             first->size(), varying));
  }
}

// What one client wants to have logged is not what another wants.
SCENARIO(http_keeps_log_levels_apart, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"logging.session-level-respected"})) {
  const auto tool = script.tool_with(Ability::kLogsEveryLevel);
  Connection& one = script.open_session();
  Connection& other = script.open_session();
  if (!tool || !one.http()->session_id() || !one.has_capability("logging")) return;
  if (!one.request("logging/setLevel", {{"level", "error"}}).is_result()) return;
  if (!other.request("logging/setLevel", {{"level", "debug"}}).is_result()) return;
  one.fence();
  // The monitor judges what is logged.
  one.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  one.fence();
}

// Who has subscribed to nothing is told of no update, whatever another client is told of.
SCENARIO(http_keeps_subscriptions_apart, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"resources.updates-only-subscribed"})) {
  const auto update = script.tool_with(Ability::kUpdatesResource);
  Connection& one = script.open_session();
  Connection& other = script.open_session();
  if (!update || !one.http()->session_id() || !one.has_capability("resources.subscribe")) return;
  if (!one.listen() || !other.listen()) return;
  if (!one.request("resources/subscribe", {{"uri", update->resource}}).is_result()) return;
  const std::size_t from = one.mark();
  one.request("tools/call", {{"name", update->name}, {"arguments", update->arguments}});
  one.wait_for_notification(from, "notifications/resources/updated", one.patience().request);
  // The monitor judges what the other one hears.
  other.fence();
}

// Each client has ids of its own: who cancels one cancels nothing of another's with the same id.
SCENARIO(http_keeps_cancellations_apart, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"cancellation.unknown-ignored"})) {
  constexpr int kLongCall = 4;
  const wire::Id id = wire::Id::of_string("assay-of-one-client");
  const auto tool = script.tool_with(Ability::kTakesTime);
  Connection& one = script.open_session();
  Connection& other = script.open_session();
  // Who has no sessions cannot tell clients apart.
  if (!tool || !one.http()->session_id()) return;
  const auto patience = kLongCall * one.patience().request;
  const Json params = {{"name", tool->name}, {"arguments", tool->arguments}};
  const Pending call = one.start_with_id(id, "tools/call", params);
  if (!one.fence()) return;
  other.notify("notifications/cancelled", {{"requestId", wire::to_json(id)}});
  other.fence();
  const Reply reply = one.await(call, patience);
  if (!reply.is_answered() && !one.await(one.start("tools/call", params), patience).is_answered()) {
    script.unclear("cancellation.unknown-ignored", "a call that was not cancelled was not answered",
                   reply.events());
    return;
  }
  script.check("cancellation.unknown-ignored", reply.is_answered(), reply,
               fmt::format("a call was answered with {} after another client had cancelled the "
                           "same id",
                           reply.describe()));
}

// The answers of two clients who ask at the same time are not mixed up.
SCENARIO(http_keeps_clients_apart, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"jsonrpc.response-id"})) {
  Connection& one = script.open_session();
  Connection& other = script.open_session();
  const Pending first = one.start_with_id(wire::Id::of_string("of-the-one"), "ping");
  const Pending second = other.start_with_id(wire::Id::of_string("of-the-other"), "ping");
  const bool is_first = one.await(first).is_answered();
  const bool is_second = other.await(second).is_answered();
  // Whose answers they are is judged by the monitor, which sees each client by itself.
  if (!is_first || !is_second) {
    script.unclear("jsonrpc.response-id", "one of the clients was not answered");
  }
}

}  // namespace
}  // namespace assay::scenarios
