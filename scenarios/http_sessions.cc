// Scenarios about the sessions of Streamable HTTP: how they are named, asked for and ended.
//
// Specification: basic/transports, "Session Management".
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

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

// The request of a client that forgot its session id is refused with 400.
SCENARIO(http_wants_the_session_id, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"http.session-id-missing-400"})) {
  constexpr catalogue::RequirementId kRule("http.session-id-missing-400");
  Connection& session = script.session();
  if (!session.http()->session_id()) {
    script.not_exercised(kRule, std::string(kNoSessions));
    return;
  }
  const HttpReply reply = post_ping(session, {{"Mcp-Session-Id", ""}});
  if (!post_ping(session).is_served() || reply.status == 0) {
    script.unclear(kRule, "the pings around it were not served", reply.events);
  } else if (!reply.is_refusal()) {
    script.not_exercised(kRule, "the server does not require the session id that it assigns");
  } else {
    script.check(
        kRule, reply.status == 400, reply.events,
        fmt::format("a request without its session id was answered with {}", reply.describe()));
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
  transport::HttpRequest request;
  request.method = "DELETE";
  const bool was_sane = post_ping(session).is_served();
  const HttpReply ended = exchange(session, std::move(request));
  if (!ended.is_success()) {
    script.not_exercised(kRule, fmt::format("DELETE was answered with {}", ended.describe()));
    return;
  }
  const HttpReply reply = post_ping(session);
  if (!was_sane || !bystander.barrier() || reply.status == 0) {
    script.unclear(kRule, "the sessions did not answer", reply.events);
    return;
  }
  script.check(kRule, reply.status == 404, reply.events,
               fmt::format("after DELETE was answered with HTTP {}, a request of the session was "
                           "answered with {}",
                           ended.status, reply.describe()));
  const HttpReply stream = get_stream(session);
  if (stream.status == 0 || stream.status == 405) return;
  script.check(kRule, stream.status == 404, stream.events,
               fmt::format("after DELETE was answered with HTTP {}, a GET of the session was "
                           "answered with {}",
                           ended.status, stream.describe()));
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
