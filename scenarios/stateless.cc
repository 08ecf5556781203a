// Scenarios about requests that stand alone: what each must carry, and what a server may not
// remember.
//
// Specification of 2026-07-28: basic/index, "Statelessness" and "_meta"; basic/versioning;
// server/discover.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr int kNotFoundStatus = 404;

// A server that lists a version serves it, and it lists itself what this run speaks.
SCENARIO(stateless_discovery_is_answered, stateless(),
         judges({"discover.implemented", "versioning.implemented"})) {
  Connection& session = script.session();
  const Reply reply = session.request("server/discover");
  const bool is_whole = is_complete(reply) &&
                        member(reply.result(), "supportedVersions").is_array() &&
                        member(reply.result(), "capabilities").is_object();
  script.check(
      "discover.implemented", is_whole, reply,
      fmt::format("server/discover was answered with {}",
                  reply.is_result() ? "a result that is not a DiscoverResult" : reply.describe()));
  constexpr RequirementId kImplemented("versioning.implemented");
  if (!is_whole) {
    if (!reply.is_result()) script.check(kImplemented, false, reply);
    return;
  }
  const std::string method = cheap_method(script);
  const Reply served = ask(session, request_as_sent(session, method));
  if (served.is_result() && member(reply.result(), "supportedVersions").empty()) {
    script.check("discover.implemented", false, reply,
                 fmt::format("server/discover lists no version, and {} is served in {}", method,
                             script.revision().text()),
                 "/result/supportedVersions");
  }
  script.check(kImplemented, served.is_result(), served,
               fmt::format("{} in a version that the server lists was answered with {}", method,
                           served.describe()));
}

// Something that every request must carry in its `_meta` is missing: a field, or all of it.
void judge_missing(Script& script, const Json& sane, const char* what,
                   const std::function<void(Json& params)>& spoil, bool has_both_eras) {
  constexpr RequirementId kRejected("meta.missing-field-rejected");
  Connection& session = script.session();
  Json request = once_more(session, sane);
  spoil(request["params"]);
  const bool is_versionless = !member(request["params"], "_meta").contains(kProtocolVersion);
  const Reply reply = session.await(start_with_fields_of(session, sane, request));
  const std::string told = fmt::format("{} without {}", text_member(sane, "method"), what);
  const bool is_right = reply.is_error(wire::kInvalidParams);
  if (is_versionless && !is_right && is_other_refusal(script, reply, has_both_eras)) return;
  script.check(kRejected, is_right, reply,
               fmt::format("{} was answered with {}", told, reply.describe()));
  if (is_right) judge_status(script, "meta.missing-field-400", kBadRequest, reply, told);
}

SCENARIO(stateless_missing_fields_are_refused, stateless(),
         judges({"meta.missing-field-rejected", "meta.missing-field-400"})) {
  if (!serves(script, {"meta.missing-field-rejected", "meta.missing-field-400"})) return;
  const std::vector<Json> requests = served_requests(script);
  const bool has_both_eras = has_older_era(script);
  for (const Json& sane : requests) {
    judge_missing(
        script, sane, "clientCapabilities in its _meta",
        [](Json& params) { params["_meta"].erase(kClientCapabilities); }, has_both_eras);
    judge_missing(
        script, sane, "protocolVersion in its _meta",
        [](Json& params) { params["_meta"].erase(kProtocolVersion); }, has_both_eras);
    judge_missing(
        script, sane, "_meta", [](Json& params) { params.erase("_meta"); }, has_both_eras);
  }
  script.tried({"meta.missing-field-rejected", "meta.missing-field-400"}, requests.size(),
               "methods");
}

// Who the client says it is may be left out, and changes nothing.
SCENARIO(stateless_client_info_is_optional, stateless(), judges({"meta.info-no-behavior"})) {
  constexpr RequirementId kRule("meta.info-no-behavior");
  if (!serves(script, {kRule})) return;
  Connection& session = script.session();
  const std::string method = cheap_method(script);
  Json anonymous = request_as_sent(session, method);
  anonymous["params"]["_meta"].erase(kClientInfo);
  Json stranger = request_as_sent(session, method);
  stranger["params"]["_meta"][kClientInfo] = {{"name", "assay-somebody-else"}, {"version", "9"}};
  for (const Json& request : {anonymous, stranger}) {
    const Reply reply = ask(session, request);
    script.check(kRule, reply.is_result(), reply,
                 fmt::format("{} from a client {} was answered with {}", method,
                             request == anonymous ? "that gives no name" : "of another name",
                             reply.describe()));
  }
}

void judge_version(Script& script, const Json& sane, const std::string& version) {
  constexpr RequirementId kRule("versioning.unsupported-version-error");
  Connection& session = script.session();
  Json request = once_more(session, sane);
  request["params"]["_meta"][kProtocolVersion] = version;
  const Reply reply = ask(session, request);
  const std::string what =
      fmt::format("{} for the version {}", text_member(sane, "method"), version);
  script.check(kRule, reply.is_error(kUnsupportedVersion), reply,
               fmt::format("{} was answered with {}", what, reply.describe()));
  if (!reply.is_error(kUnsupportedVersion)) return;
  const Json& supported = member(member(reply.message()->error(), "data"), "supported");
  const bool is_listed = supported.is_array() && !supported.empty() &&
                         std::find(supported.begin(), supported.end(),
                                   std::string(script.revision().text())) != supported.end();
  script.check(kRule, is_listed, reply,
               fmt::format("the error that answers {} does not list {} among the supported ones",
                           what, script.revision().text()),
               "/error/data/supported");
  judge_status(script, "http.version-unsupported-400", kBadRequest, reply, what);
}

// Versions that do not exist, some of them much like one, and those that are known but that the
// server does not list.
SCENARIO(stateless_other_versions_are_refused, stateless(),
         judges({"versioning.unsupported-version-error", "http.version-unsupported-400"})) {
  if (!serves(script, {"versioning.unsupported-version-error", "http.version-unsupported-400"})) {
    return;
  }
  const std::string own(script.revision().text());
  std::vector<std::string> versions = {"1900-01-01", "2999-12-31", own + "-assay",
                                       own.substr(0, own.rfind('-'))};
  const auto listed = listed_versions(script.session());
  // An older version names no era of this kind: a server of both may have ways of its own for it.
  if (!has_older_era(script)) {
    for (const model::Revision known : model::Revision::handshake())
      versions.emplace_back(known.text());
  }
  std::erase_if(versions, [&](const std::string& each) {
    return std::find(listed.begin(), listed.end(), each) != listed.end();
  });
  if (versions.empty()) {
    for (const RequirementId rule : {RequirementId("versioning.unsupported-version-error"),
                                     RequirementId("http.version-unsupported-400")}) {
      script.not_exercised(rule, "the server lists every version that could be tried");
    }
    return;
  }
  std::vector<Json> requests = served_requests(script);
  // Discovery is how a client learns which versions there are.
  std::erase_if(requests, [](const Json& each) { return each["method"] == "server/discover"; });
  if (requests.empty()) requests.push_back(request_as_sent(script.session(), "server/discover"));
  for (const std::string& version : versions) judge_version(script, requests.front(), version);
  for (std::size_t i = 1; i < requests.size(); ++i) judge_version(script, requests[i], versions[0]);
  script.tried({"versioning.unsupported-version-error", "http.version-unsupported-400"},
               versions.size(), "unlisted versions");
}

// What no server implements, and what this era took away.
SCENARIO(stateless_unknown_methods_are_refused, stateless(),
         judges({"http.unknown-method-404", "jsonrpc.unknown-method-refused"})) {
  if (!serves(script, {"http.unknown-method-404"})) return;
  Connection& session = script.session();
  for (const char* method : {"assay/no-such-method", "assay"}) {
    const Reply reply = ask(session, request_as_sent(session, method));
    const std::string what = fmt::format("a request for the unknown method {}", method);
    script.check("jsonrpc.unknown-method-refused", reply.is_error(wire::kMethodNotFound), reply,
                 fmt::format("{} was answered with {}", what, reply.describe()));
    if (!script.transport().is_streamable_http()) continue;
    script.check("http.unknown-method-404",
                 reply.is_error(wire::kMethodNotFound) && reply.http_status() == kNotFoundStatus,
                 reply,
                 fmt::format("{} was answered with HTTP {} and {}", what, reply.http_status(),
                             reply.describe()));
  }
}

// A server of this era alone tells a client that begins with `initialize` what it speaks.
SCENARIO(stateless_initialize_names_versions, stateless(), in_turn(),
         judges({"versioning.initialize-error-names-versions"})) {
  constexpr RequirementId kRule("versioning.initialize-error-names-versions");
  if (has_older_era(script)) {
    script.not_applicable(kRule, "the server also serves clients that begin with initialize");
    return;
  }
  const Reply reply = answer_to_initialize(script);
  if (!reply.is_error()) {
    script.unclear(kRule, fmt::format("initialize was answered with {}", reply.describe()),
                   reply.events());
    return;
  }
  const std::string words = reply.message()->error().dump();
  script.check(
      kRule, words.find(script.revision().text()) != std::string::npos, reply,
      fmt::format("the error that answers initialize does not name {}", script.revision().text()),
      "/error");
}

// --- What is not remembered ---

// A connection that nobody has used before serves as well as any.
SCENARIO(stateless_a_fresh_connection_serves, stateless(), own_session(),
         judges({"stateless.no-prior-context", "stateless.connection-not-required"})) {
  const std::string method = cheap_method(script);
  const Reply before = script.session().request(method);
  if (!before.is_result()) return;
  Connection& fresh = script.open_connection();
  const Reply reply = fresh.request(method);
  script.check("stateless.no-prior-context", reply.is_result(), reply,
               fmt::format("{} as the first request of a connection was answered with {}", method,
                           reply.describe()));
  script.check(
      "stateless.connection-not-required", reply.is_result(), reply,
      fmt::format("{} on another connection was answered with {}", method, reply.describe()));
}

// Cursors are good on any connection.
SCENARIO(stateless_cursors_hold_on_every_connection, stateless(), own_session(),
         judges({"stateless.connection-not-required"})) {
  constexpr RequirementId kRule("stateless.connection-not-required");
  for (const Listing& listing : script.survey().listings()) {
    if (listing.pages < 2) continue;
    const Reply first = script.session().request(listing.method);
    const Json& cursor = member(first.result(), "nextCursor");
    if (!cursor.is_string()) continue;
    const Json page = script.session().request(listing.method, {{"cursor", cursor}}).result();
    const Reply elsewhere = script.open_connection().request(listing.method, {{"cursor", cursor}});
    const bool is_same = elsewhere.is_result() &&
                         member(elsewhere.result(), listing.member) == member(page, listing.member);
    script.check(kRule, is_same, elsewhere,
                 fmt::format("a cursor of {} gave another page on another connection: {}",
                             listing.method, elsewhere.describe()));
    return;
  }
  script.not_exercised(kRule, "no list of the server came in pages",
                       "a list long enough for two pages");
}

// Two conversations on one connection do not disturb each other.
SCENARIO(stateless_conversations_interleave, stateless(),
         judges({"stateless.interleaved-conversations"})) {
  constexpr RequirementId kRule("stateless.interleaved-conversations");
  if (!serves(script, {kRule})) return;
  Connection& session = script.session();
  const std::string method = cheap_method(script);
  std::vector<Pending> pending;
  for (int i = 0; i < 6; ++i) {
    Json request = request_as_sent(session, i % 2 == 0 ? method : "server/discover", Json::object(),
                                   i % 3 == 0 ? std::optional<Json>(Json::object()) : std::nullopt);
    request["params"]["_meta"][kClientInfo] = {{"name", i % 2 == 0 ? "assay-a" : "assay-b"},
                                               {"version", "1"}};
    pending.push_back(session.start_as_is(request));
  }
  for (const Pending& each : pending) {
    const Reply reply = session.await(each);
    if (reply.kind() == Reply::Kind::kGone && reply.is_absent()) {
      return script.unclear(kRule,
                            fmt::format("one of {} connections was closed without an answer: the "
                                        "server may take fewer at once",
                                        pending.size()),
                            reply.events());
    }
    script.check(kRule, reply.is_result(), reply,
                 fmt::format("of requests of two clients, interleaved, one was answered with {}",
                             reply.describe()));
  }
}

}  // namespace
}  // namespace assay::scenarios
