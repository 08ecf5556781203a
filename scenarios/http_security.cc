// Scenarios about who may reach a server over HTTP: pages of foreign origins, other machines,
// clients without credentials.
//
// Specification: basic/transports, "Security Warning", of both HTTP transports.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/local_listeners.h"
#include "reference/wire/message.h"
#include "scenarios/token_places.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using transport::Headers;

Trait over_http_sse() {
  return only_over({TransportKind::kHttpSse});
}

// No page in the world has this origin: the domain is reserved to never exist.
const Headers kForeignOrigin = {{"Origin", "http://attacker.assay.invalid"}};
// Nor these, which look like a page of this machine to who compares only their beginning, their end
// or a part.
const std::vector<Headers> kLookalikes = {
    {{"Origin", "http://localhost.attacker.assay.invalid"}},
    {{"Origin", "http://127.0.0.1.attacker.assay.invalid"}},
    {{"Origin", "http://attacker.assay.invalid/?localhost"}},
    {{"Origin", "http://attacker-localhost"}},
};
// What a page has that is of no origin: in a sandbox, or in a file. Whether that is an invalid one,
// the text does not say.
const Headers kNullOrigin = {{"Origin", "null"}};

void judge_refusal_of_origin(Script& script, const HttpAnswer& reply) {
  const bool is_served = reply.is_served() || reply.is_stream();
  script.check("http.origin-validated", !is_served, reply.events,
               "a request with a foreign Origin was served");
  if (is_served) {
    script.unclear("http.origin-invalid-403", "the request was served: see http.origin-validated",
                   reply.events);
  } else if (reply.status != 0) {
    script.check("http.origin-invalid-403", reply.status == 403, reply.events,
                 fmt::format("a foreign Origin was refused with {}", reply.describe()));
  }
  const wire::Message* answer = reply.answer();
  if (answer != nullptr && (!answer->id() || answer->id()->kind() == wire::Id::Kind::kNull)) {
    script.check("http.origin-invalid-body", true, reply.events, "");
  }
}

void judge_null_origin(Script& script, const HttpAnswer& reply) {
  if (reply.status == 403) return judge_refusal_of_origin(script, reply);
  if (!reply.is_served()) return;
  script.unclear("http.origin-validated",
                 "a request with the Origin null was served, and the text does not say whether "
                 "that one is invalid",
                 reply.events);
}

// What a page of a foreign origin sends is refused, whatever its method.
SCENARIO(http_refuses_foreign_origins, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.origin-validated", "http.origin-invalid-403", "http.origin-invalid-body"})) {
  Connection& session = script.session();
  std::vector<HttpAnswer> replies = {post_probe(session, kForeignOrigin)};
  for (const Headers& lookalike : kLookalikes) replies.push_back(post_probe(session, lookalike));
  // The stream of a foreign page is tried first: a server may have but one for each session, and
  // takes its time to see that an earlier one is gone.
  const bool has_streams = session.revision().has_sessions();
  const HttpAnswer stream = has_streams ? get_stream(session, kForeignOrigin) : HttpAnswer();
  if (has_streams && (stream.is_stream() || get_stream(session).is_stream())) {
    replies.push_back(stream);
  }
  if (has_streams) {
    Connection& stranger = script.open_connection();
    replies.push_back(post(stranger, opening_request(stranger), kForeignOrigin));
  }
  const HttpAnswer of_no_origin = has_streams ? HttpAnswer() : post_probe(session, kNullOrigin);
  const bool is_sane = post_probe(session).is_served();
  if (is_sane) judge_null_origin(script, of_no_origin);
  for (const HttpAnswer& reply : replies) {
    if (is_sane && (reply.status != 0 || reply.is_broken)) {
      judge_refusal_of_origin(script, reply);
    } else {
      script.unclear("http.origin-validated", "the requests around it were not served",
                     reply.events);
    }
  }
}

// A server that routes by methods may look at the Origin of some of them only.
SCENARIO(http_refuses_foreign_origins_of_each_method, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.origin-validated", "http.origin-invalid-403"})) {
  Connection& session = script.session();
  if (!post_probe(session, kForeignOrigin).is_refusal()) return;
  for (const TokenPlace& place : request_places(script, session)) {
    const HttpAnswer control = place.ask({});
    if (!is_let_in(control)) continue;
    const HttpAnswer reply = place.ask(kForeignOrigin);
    if (reply.status == 0) continue;
    const bool is_served = is_let_in_like(reply, control);
    script.check("http.origin-validated", !is_served, reply.events,
                 fmt::format("{} with a foreign Origin was served", place.name));
    if (is_served || !reply.is_refusal()) continue;
    script.check(
        "http.origin-invalid-403", reply.status == 403, reply.events,
        fmt::format("{} with a foreign Origin was refused with {}", place.name, reply.describe()));
  }
}

// A page of a foreign origin ends nobody's session: its DELETE is refused, and the session goes on.
SCENARIO(http_lets_no_foreign_page_end_a_session, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.origin-validated", "http.origin-invalid-403"})) {
  Connection& session = script.session();
  if (!session.http()->session_id() || !post_probe(session).is_served()) return;
  transport::HttpRequest removal;
  removal.method = "DELETE";
  removal.headers = kForeignOrigin;
  const HttpAnswer reply = exchange(session, std::move(removal));
  // Who has no DELETE need not look at the headers of one.
  if (reply.status == 0 || reply.status == 405 || reply.status == 501) return;
  if (reply.is_refusal()) {
    judge_refusal_of_origin(script, reply);
    return;
  }
  script.check(
      "http.origin-validated", false, reply.events,
      fmt::format("a DELETE with a foreign Origin was answered with {}", reply.describe()));
}

// The same for the older pair, at both of its endpoints.
SCENARIO(http_sse_refuses_foreign_origins, own_session(), over_http_sse(),
         in_revisions(&Revision::has_http_sse), judges({"http-sse.origin-validated"})) {
  constexpr RequirementId kRule("http-sse.origin-validated");
  Connection& session = script.session();
  const HttpAnswer stream = get_stream(session, kForeignOrigin);
  std::vector<HttpAnswer> replies = {stream, post_probe(session, kForeignOrigin)};
  for (const Headers& lookalike : kLookalikes) replies.push_back(post_probe(session, lookalike));
  const bool is_sane = session.fence();
  for (const HttpAnswer& reply : replies) {
    if (is_sane && (reply.status != 0 || reply.is_broken)) {
      script.check(kRule, !reply.is_success(), reply.events,
                   "a request with a foreign Origin was served");
    } else {
      script.unclear(kRule, "the requests around it were not served", reply.events);
    }
  }
}

// A server on this machine listens on the loopback only.
void judge_binding(Script& script, RequirementId rule) {
  Connection& session = script.session();
  const transport::HttpUrl& url = url_of(session);
  const bool is_local =
      url.host == "localhost" || url.host == "::1" || url.host.starts_with("127.");
  if (!is_local) {
    script.not_applicable(rule, "the server is reached over a network");
    return;
  }
  const std::vector<Listener> listeners = local_listeners(url.port);
  if (listeners.empty()) {
    script.not_exercised(rule, "this machine does not tell who listens on the port",
                         "run the server and mcp-assay on one Linux machine");
    return;
  }
  const bool is_bound = std::any_of(listeners.begin(), listeners.end(),
                                    [](const Listener& listener) { return listener.is_loopback; });
  script.check(rule, is_bound, {session.transcript().events().front()},
               fmt::format("the server is reached at {} and listens on {}", url.authority(),
                           listeners.front().address));
}

SCENARIO(http_listens_on_localhost_only, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"http.localhost-binding"})) {
  judge_binding(script, "http.localhost-binding");
}

SCENARIO(http_sse_listens_on_localhost_only, own_session(), over_http_sse(),
         in_revisions(&Revision::has_http_sse), judges({"http-sse.localhost-binding"})) {
  judge_binding(script, "http-sse.localhost-binding");
}

// A server that we were given credentials for refuses who comes without them.
void judge_authentication(Script& script, RequirementId rule) {
  Connection& session = script.session();
  const EventPtr first = session.transcript().events().front();
  if (!transport::find_header(first->observation.http()->headers, "Authorization")) {
    script.not_exercised(rule, "no credentials were given, so no request can lack them",
                         "--header 'Authorization: ...'");
    return;
  }
  Connection& other = script.open_connection();
  const Headers without = {{"Authorization", ""}};
  const HttpAnswer reply = script.transport().is_http_sse()
                               ? get_stream(other, without)
                               : post(other, opening_request(other), without);
  if (reply.status == 0 || !session.fence()) {
    script.unclear(rule, "the requests around it were not served", reply.events);
    return;
  }
  script.check(rule, !reply.is_served() && !reply.is_stream(), reply.events,
               "a client without credentials was served");
}

SCENARIO(http_authenticates_connections, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http), judges({"http.connections-authenticated"})) {
  judge_authentication(script, "http.connections-authenticated");
}

SCENARIO(http_sse_authenticates_connections, own_session(), over_http_sse(),
         in_revisions(&Revision::has_http_sse), judges({"http-sse.connections-authenticated"})) {
  judge_authentication(script, "http-sse.connections-authenticated");
}

}  // namespace
}  // namespace assay::scenarios
