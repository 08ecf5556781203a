// Protected servers that answer near misses, odd fields and questions about their metadata in ways
// that the text leaves open are not accused.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/tokens.h"
#include "reference/wire/challenge.h"
#include "reference/wire/pkce.h"
#include "scenarios/authorization_sound_testing.h"

namespace assay::scenarios {
namespace {

using model::Revision;
using reports::Outcome;
using transport::HttpHead;
using transport::HttpReply;

// Who reads tokens by their form first: what is no token at all is a malformed request to him.
void refuse_odd_letters(const HttpHead& request, std::string_view, HttpReply& reply) {
  const std::string shown = server::credentials_of(request).value_or("");
  const bool is_odd = shown.find_first_of("'*%") != std::string::npos || shown == "Bearer";
  if (is_odd && reply.status == 401) reply = json_with(400, "{}");
}

// Who knows only tokens of its own form says so of others.
void call_unknown_malformed(const HttpHead& request, std::string_view, HttpReply& reply) {
  const bool is_unknown = !server::shows(request, server::kExpiredToken) &&
                          !server::shows(request, server::kForeignToken);
  if (!is_unknown || reply.status != 401) return;
  server::change_challenge(reply, [](wire::Challenge& challenge) {
    server::leave_out(challenge, "error");
    challenge.parameters.emplace_back("error", "invalid_request");
  });
}

// Two fields, one of another scheme with what only that scheme has, and letters of the other case.
void offer_two_schemes(const HttpHead&, std::string_view, HttpReply& reply) {
  for (auto& [name, value] : reply.headers) {
    if (name != "WWW-Authenticate") continue;
    value = "bearer" + value.substr(value.find(' '));
    reply.headers.emplace_back("WWW-Authenticate", "Negotiate YII/abc==");
    return;
  }
}

// Where the challenge says that the metadata are, there is the way to them.
void redirect_to_metadata(const HttpHead& request, std::string_view, HttpReply& reply) {
  const std::string place = std::string(transport::kResourceMetadataPath) + "/mcp";
  if (request.target != place || reply.status != 200) return;
  reply = {307, {{"Location", std::string(transport::kResourceMetadataPath)}}, "", nullptr};
}

// A client that says it comes by a proxy is refused for that.
void refuse_forwarded(const HttpHead& request, std::string_view, HttpReply& reply) {
  const bool is_forwarded =
      transport::find_header(request.headers, "X-Forwarded-For").has_value() ||
      transport::find_header(request.headers, "X-Original-URL").has_value();
  if (is_forwarded) reply = json_with(400, "{}");
}

// The metadata are on another host, also for tokens that lack a scope.
void place_metadata_elsewhere(const HttpHead& request, std::string_view, HttpReply& reply) {
  if (server::is_resource_metadata(request, reply)) reply = {404, {}, "", nullptr};
  server::change_challenge(reply, [](wire::Challenge& challenge) {
    server::leave_out(challenge, "resource_metadata");
    challenge.parameters.emplace_back("resource_metadata",
                                      "https://elsewhere.assay.invalid/metadata");
  });
}

TEST(Authorization, NearMissesMayBeAnsweredInSeveralWays) {
  for (const ReplyChange reply :
       {refuse_odd_letters, call_unknown_malformed, offer_two_schemes, redirect_to_metadata,
        refuse_forwarded, place_metadata_elsewhere}) {
    const server::Fault behaviour = behaviour_of(reply);
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&behaviour},
                                      "127.0.0.1", true);
    const auto found =
        outcomes(reference.http_with(reference_tokens()),
                 {Revision::v2025_03_26, Revision::v2025_11_25, Revision::v2026_07_28});
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
    EXPECT_TRUE(rules_with(found, Outcome::kSatisfied).contains("authorization.token-validated"));
  }
}

// Who knows tokens of the type JWT alone is shown such, and judged by them.
TEST(Authorization, TokensMayHaveToBePlainJwt) {
  server::Fault behaviour = behaviour_of(nullptr);
  behaviour.mishears = [](const Json&, HttpHead& request) {
    constexpr std::string_view kScheme = "Bearer ";
    const std::string shown = server::credentials_of(request).value_or("");
    if (!shown.starts_with(kScheme)) return;
    const std::string_view token = std::string_view(shown).substr(kScheme.size());
    const auto header = wire::decode_base64url(token.substr(0, token.find('.')));
    if (header && header->find("at+jwt") != std::string::npos) server::take_for(request, "unknown");
  };
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{}, {&behaviour});
  const auto found = outcomes(reference.http_with_issuer(), {Revision::v2025_11_25});
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  EXPECT_TRUE(rules_with(found, Outcome::kSatisfied).contains("authorization.audience-validated"));
}

}  // namespace
}  // namespace assay::scenarios
