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
  if (!ping.is_refusal()) {
    script.not_exercised(kRule, "the server does not require the session id that it assigns");
    return;
  }
  transport::HttpRequest removal = bare("DELETE");
  removal.headers = kWithoutId;
  for (const HttpAnswer& reply :
       {ping, get_stream(session, kWithoutId), exchange(session, std::move(removal))}) {
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

// Whatever a request with the id of an ended session asks for, it is answered with 404. What ends a
// session comes last: who takes the id for another session's would end that.
void judge_ended(Script& script, Connection& session, int ended_with) {
  constexpr catalogue::RequirementId kRule("http.session-terminated-404");
  const Json notification = wire::make_notification("notifications/assay/unknown");
  const Json response = wire::make_result(wire::Id::of_string("never-asked"), Json::object());
  struct Late {
    const char* what;
    std::function<HttpAnswer()> ask;
  };
  const std::vector<Late> all = {
      {"a GET", [&] { return get_stream(session); }},
      {"a notification", [&] { return post(session, notification); }},
      {"a response", [&] { return post(session, response); }},
      {"a second DELETE", [&] { return exchange(session, bare("DELETE")); }}};
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
    script.check(kRule, first->size() >= kShortestUnguessable, events,
                 fmt::format("a session id of {} characters can be guessed", first->size()));
  }
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
