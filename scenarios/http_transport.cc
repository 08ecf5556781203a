// Scenarios about the endpoint of Streamable HTTP: its methods, and what it accepts.
//
// Specification: basic/transports, "Streamable HTTP", "Protocol Version
// Header".
#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "reference/wire/compose.h"
#include "scenarios/http_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using model::Revision;

// Dates on which no version was published: a server that takes any later date than some takes them.
constexpr const char* kBetweenVersions = "2025-06-17";
constexpr const char* kAfterAllVersions = "2099-12-31";

// One path takes POST and GET; a GET gives an event stream, or 405 says that there is none.
SCENARIO(http_offers_one_endpoint, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.single-endpoint", "http.get-answer"})) {
  Connection& session = script.session();
  const HttpAnswer reply = get_stream(session);
  if (reply.status == 0 || !session.fence()) {
    script.unclear("http.single-endpoint", "the GET was not answered", reply.events);
    script.unclear("http.get-answer", "the GET was not answered", reply.events);
    return;
  }
  const bool has_get = reply.status != 404 && reply.status != 501;
  script.check("http.single-endpoint", has_get, reply.events,
               fmt::format("the path that takes POST answers GET with HTTP {}", reply.status));
  const bool is_about_us = reply.status == 401 || reply.status == 403 || reply.status >= 500;
  if (!has_get || is_about_us) {
    script.unclear("http.get-answer", fmt::format("GET was answered with HTTP {}", reply.status),
                   reply.events);
    return;
  }
  script.check("http.get-answer", reply.is_stream() || reply.status == 405, reply.events,
               fmt::format("GET was answered with HTTP {} and Content-Type {}", reply.status,
                           transport::media_type(reply.headers)));
}

// A version that was never published, and one that is none, are refused with 400.
SCENARIO(http_refuses_wrong_protocol_versions, own_session(), over_http(),
         in_revisions(&Revision::has_protocol_version_header),
         judges({"http.version-header-invalid-400"})) {
  Connection& session = script.session();
  const bool has_get_stream = get_stream(session).is_stream();
  for (const char* version : {"1999-12-31", "not-a-version", "2025-11-25x", "2025-06-31",
                              kBetweenVersions, kAfterAllVersions}) {
    const transport::Headers headers = {{"MCP-Protocol-Version", version}};
    const HttpAnswer ping = post_probe(session, headers);
    const HttpAnswer stream = get_stream(session, headers);
    const HttpAnswer notified =
        post(session, wire::make_notification("notifications/assay/unknown"), headers);
    if (!post_probe(session).is_served() || ping.status == 0) {
      script.unclear("http.version-header-invalid-400", "the pings around it were not served",
                     ping.events);
      return;
    }
    std::vector<HttpAnswer> replies = {ping, notified};
    for (const Json& request : harmless_requests(script, session)) {
      replies.push_back(post(session, request, headers));
    }
    // A server without GET streams need not look at the headers of a GET.
    if (has_get_stream) replies.push_back(stream);
    for (const HttpAnswer& reply : replies) {
      if (reply.status == 405 || reply.status == 0) continue;
      script.check("http.version-header-invalid-400", reply.status == 400, reply.events,
                   fmt::format("a request with MCP-Protocol-Version: {} was answered with {}",
                               version, reply.describe()));
    }
  }
}

// The same of what ends a session, which goes on.
SCENARIO(http_ends_no_session_of_a_wrong_protocol_version, own_session(), over_http(),
         in_revisions(&Revision::has_protocol_version_header),
         judges({"http.version-header-invalid-400"})) {
  Connection& session = script.open_session();
  if (!session.http()->session_id() || !post_probe(session).is_served()) return;
  for (const char* version : {"1999-12-31", kBetweenVersions, kAfterAllVersions}) {
    transport::HttpRequest removal;
    removal.method = "DELETE";
    removal.headers = {{"MCP-Protocol-Version", version}};
    const HttpAnswer reply = exchange(session, std::move(removal));
    // Who has no DELETE need not look at the headers of one.
    if (reply.status == 0 || reply.status == 405 || reply.status == 501) return;
    script.check("http.version-header-invalid-400", reply.status == 400, reply.events,
                 fmt::format("a DELETE with MCP-Protocol-Version: {} was answered with {}", version,
                             reply.describe()));
    // What ended the session leaves nothing to end.
    if (!reply.is_refusal()) return;
  }
}

// A request that does not name its version is one of 2025-03-26, or of the session's.
SCENARIO(http_assumes_a_version_without_the_header, own_session(), over_http(),
         in_revisions(&Revision::has_protocol_version_header),
         judges({"http.version-header-absent"})) {
  constexpr catalogue::RequirementId kRule("http.version-header-absent");
  Connection& session = script.session();
  const HttpAnswer reply = post_probe(session, {{"MCP-Protocol-Version", ""}});
  if (!post_probe(session).is_served() || reply.status == 0) {
    script.unclear(kRule, "the ping after it was not served", reply.events);
  } else if (!reply.is_served() && session.http()->session_id()) {
    script.unclear(kRule, "the server knows the version by the session, and wants the header too",
                   reply.events);
  } else {
    script.check(kRule, reply.is_served(), reply.events,
                 fmt::format("a request without MCP-Protocol-Version, to a server that has no "
                             "sessions, was answered with {}",
                             reply.describe()));
  }
}

// Notifications and responses are accepted with 202, or refused with an error status.
SCENARIO(http_answers_what_asks_for_nothing, own_session(), over_http(),
         in_revisions(&Revision::has_streamable_http),
         judges({"http.accepted-202", "http.not-accepted-error-status"})) {
  Connection& session = script.session();
  const Json unknown = wire::make_notification("notifications/assay/unknown", Json::object());
  std::vector<HttpAnswer> replies = {
      post(session, unknown),
      post(session, wire::make_result(wire::Id::of_string("never-asked"), Json::object())),
      post(session, {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", 7}})};
  if (session.revision().has_protocol_version_header()) {
    replies.push_back(post(session, unknown, {{"MCP-Protocol-Version", "1999-12-31"}}));
  }
  if (session.http()->session_id()) {
    replies.push_back(post(session, unknown, {{"Mcp-Session-Id", "assay-never-issued"}}));
  }
  bool is_any_refused = false;
  for (const HttpAnswer& reply : replies) is_any_refused = is_any_refused || reply.is_refusal();
  // What each answer must look like is judged by the monitor, which sees all of them.
  if (!is_any_refused) {
    script.not_exercised("http.not-accepted-error-status", "the server accepted whatever was sent");
  }
}

}  // namespace
}  // namespace assay::scenarios
