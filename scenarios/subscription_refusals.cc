// Scenarios about requests to listen that are refused like all other requests.
//
// Specification of 2026-07-28: basic/index, "_meta"; basic/versioning;
// basic/transports/streamable-http, "Request Metadata".
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/listening.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// What is wrong with a request to listen, and the code of the error that says so.
struct Flaw {
  RequirementId rule;
  const char* what;
  std::int64_t code;
  void (*spoil)(Json& meta);
};

constexpr Flaw kFlaws[] = {
    {"versioning.unsupported-version-error", "in version 1900-01-01", kUnsupportedVersion,
     [](Json& meta) { meta[kProtocolVersion] = "1900-01-01"; }},
    {"meta.missing-field-rejected", "without a version", wire::kInvalidParams,
     [](Json& meta) { meta.erase(kProtocolVersion); }},
    {"meta.missing-field-rejected", "without clientCapabilities", wire::kInvalidParams,
     [](Json& meta) { meta.erase(kClientCapabilities); }},
};

// The server acknowledges this subscription now. It may be slow to see that one has ended.
bool is_acknowledged(Connection& session, const Json& filter) {
  const Listening listening = listen_for(session, filter);
  if (!await_acknowledgement(session, listening)) return false;
  end_listening(session, listening);
  return true;
}

void judge_flaw(Script& script, const Json& filter, const Flaw& flaw, bool has_both_eras) {
  Connection& session = script.session();
  const Json sane = listen_request(session, filter);
  Json request = sane;
  flaw.spoil(request["params"]["_meta"]);
  // A header field that is missing is another breach.
  const bool names_version = request["params"]["_meta"].contains(kProtocolVersion);
  const Listening listening = {
      request["id"], start_with_fields_of(session, names_version ? request : sane, request)};
  const EventPtr first = await_first(session, listening);
  if (!first) return;
  const std::string what = fmt::format("subscriptions/listen {}", flaw.what);
  if (first->message()->method() == kAcknowledged) {
    end_listening(session, listening);
    script.check(flaw.rule, false, session.transcript().events(listening.pending.from),
                 fmt::format("{} was acknowledged", what));
    return;
  }
  const Reply reply = session.await(listening.pending);
  const bool is_right = reply.is_error(flaw.code);
  if (!names_version && !is_right && is_other_refusal(script, reply, has_both_eras)) return;
  const std::string detail = fmt::format("{} was answered with {}", what, reply.describe());
  if (!is_right && !is_acknowledged(session, filter)) {
    return script.unclear(flaw.rule, detail + ", and so was one without a flaw", reply.events());
  }
  script.check(flaw.rule, is_right, reply, detail);
  if (flaw.code == wire::kInvalidParams && is_right) {
    judge_status(script, "meta.missing-field-400", kBadRequest, reply, what);
  }
}

SCENARIO(subscriptions_are_refused_like_all_else, stateless(), in_turn(),
         judges({"meta.missing-field-rejected", "meta.missing-field-400",
                 "versioning.unsupported-version-error"})) {
  const auto topics = declared_topics(script);
  if (topics.empty()) return;
  const Json filter = {{topics.front()->filter, true}};
  if (!is_acknowledged(script.session(), filter)) return;
  const bool has_both_eras = has_older_era(script);
  for (const Flaw& flaw : kFlaws) judge_flaw(script, filter, flaw, has_both_eras);
}

// Begins to listen with these header fields; what came until the acknowledgement, or an answer.
HttpAnswer listen_with(Connection& session, const Json& request, transport::Headers headers) {
  transport::HttpRequest post;
  post.headers = std::move(headers);
  post.body = wire::encode(request);
  post.with_session_headers = false;
  session.await_turn();
  const std::size_t from = session.mark();
  const transport::Lane lane = session.http()->start(std::move(post));
  const auto is_enough = [&](const HttpAnswer& answer) {
    return has_answer(answer) ||
           (!answer.streamed.empty() && is_told_to(*answer.streamed.back(), request["id"]));
  };
  HttpAnswer answer = follow(session, lane, from, is_enough);
  if (!is_over(answer)) abandon(session, lane);
  return answer;
}

// Whether it was served or refused; what did not come says nothing.
bool is_settled(const HttpAnswer& answer) {
  return is_refused(answer) || !answer.streamed.empty();
}

// Refused, and one without a flaw was acknowledged after it: the flaw is why. Or served.
bool is_to_be_judged(Script& script, const Json& filter, RequirementId rule,
                     const HttpAnswer& answer) {
  if (!is_settled(answer)) return false;
  if (!is_refused(answer) || is_acknowledged(script.session(), filter)) return true;
  script.unclear(rule, "subscriptions/listen was refused without a flaw as well", answer.events);
  return false;
}

using Spoil = transport::Headers (*)(transport::Headers);

void judge_fields(Script& script, const Json& filter, RequirementId rule, const char* flaw,
                  Spoil spoil) {
  const Json request = listen_request(script.session(), filter);
  const HttpAnswer answer = listen_with(script.session(), request, spoil(fields_of(request)));
  if (!is_to_be_judged(script, filter, rule, answer)) return;
  judge_field_refusal(script, rule, answer, fmt::format("subscriptions/listen {}", flaw));
}

void judge_other_version(Script& script, const Json& filter) {
  const Json request = listen_request(script.session(), filter);
  const HttpAnswer answer =
      listen_with(script.session(), request, with(fields_of(request), kVersionField, "1900-01-01"));
  if (!is_to_be_judged(script, filter, "http.version-mismatch-rejected", answer)) return;
  judge_version_refusal(
      script, answer,
      fmt::format("subscriptions/listen for {} with MCP-Protocol-Version: 1900-01-01",
                  script.revision().text()));
}

SCENARIO(subscriptions_are_refused_for_their_headers, stateless(), in_turn(), over_http(),
         judges({"http.header-body-mismatch-rejected", "http.version-mismatch-rejected",
                 "http.version-header-absent-rejected", "http.header-failure-400",
                 "http.header-failure-error"})) {
  constexpr RequirementId kMismatch("http.header-body-mismatch-rejected");
  const auto topics = declared_topics(script);
  if (topics.empty()) return;
  const Json filter = {{topics.front()->filter, true}};
  if (!is_acknowledged(script.session(), filter)) return;
  judge_fields(script, filter, kMismatch, "with Mcp-Method: tools/list",
               [](auto fields) { return with(std::move(fields), kMethodField, "tools/list"); });
  judge_fields(script, filter, kMismatch, "without Mcp-Method",
               [](auto fields) { return without(std::move(fields), kMethodField); });
  judge_other_version(script, filter);
  if (has_older_era(script)) return;
  judge_fields(script, filter, "http.version-header-absent-rejected",
               "without MCP-Protocol-Version",
               [](auto fields) { return without(std::move(fields), kVersionField); });
}

}  // namespace
}  // namespace assay::scenarios
