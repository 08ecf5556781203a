// Protected servers that do what the text leaves open, or that have no time for us, are not
// accused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/runner.h"
#include "reference/server/faults/tokens.h"
#include "reference/transport/http_fetch.h"
#include "reference/wire/form.h"
#include "reference/wire/pkce.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using model::Revision;
using reports::Outcome;
using transport::HttpHead;
using transport::HttpReply;

constexpr const char* kServed = "authorization.server-metadata-served";
constexpr const char* kRegisters = "authorization.dynamic-registration-server";
constexpr std::string_view kMetadataPlace = "/.well-known/oauth-authorization-server";

// What was found of the rules of authorization in all runs.
std::map<std::string, std::set<Outcome>> outcomes(
    harness::TargetAccess access, std::vector<Revision> revisions,
    std::function<bool(std::string_view scenario)> wants = [](std::string_view scenario) {
      return scenario.starts_with("authorization_");
    }) {
  harness::CertifyOptions options;
  options.revisions = std::move(revisions);
  options.accesses = {std::move(access)};
  options.wants = std::move(wants);
  NoEvents events;
  std::map<std::string, std::set<Outcome>> found;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      if (!verdict.requirement.starts_with("authorization.")) continue;
      found[verdict.requirement].insert(verdict.outcome);
    }
  }
  return found;
}

std::set<std::string> rules_with(const std::map<std::string, std::set<Outcome>>& found,
                                 Outcome outcome) {
  std::set<std::string> rules;
  for (const auto& [rule, all] : found) {
    if (all.contains(outcome)) rules.insert(rule);
  }
  return rules;
}

using Reply = void (*)(const HttpHead&, std::string_view, HttpReply&);

server::Fault behaviour_of(Reply reply) {
  return {.id = "sound", .description = "", .breaks = {}, .reply = reply};
}

// Of who is its own authorization server, from outside.
std::map<std::string, std::set<Outcome>> outcomes_of_office(
    bool has_metadata, Reply reply, const std::vector<transport::UserHeader>& headers = {}) {
  const server::Fault behaviour = behaviour_of(reply);
  const ReferenceOverHttp reference(ReferenceOverHttp::OwnOffice{.has_metadata = has_metadata},
                                    {&behaviour});
  return outcomes(reference.http(headers), {Revision::v2025_03_26});
}

HttpReply json_with(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}}, std::move(body), nullptr};
}

bool is_for(const HttpHead& request, std::string_view path) {
  return std::string_view(request.target).substr(0, request.target.find('?')) == path;
}

std::map<std::string, std::set<Outcome>> outcomes_with_tokens(Reply reply,
                                                              std::vector<Revision> revisions) {
  const server::Fault behaviour = behaviour_of(reply);
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&behaviour},
                                    "127.0.0.1", true);
  return outcomes(reference.http_with(reference_tokens()), std::move(revisions));
}

const std::vector<Revision> kProtected = {Revision::v2025_03_26, Revision::v2025_06_18,
                                          Revision::v2025_11_25, Revision::v2026_07_28};

// Patience asked of who is refused often, or of everybody, is about no token.
TEST(Authorization, WhoAsksForPatienceIsNotBlamed) {
  const std::vector<Reply> throttles = {
      [](const HttpHead&, std::string_view, HttpReply& reply) {
        if (reply.status == 401) reply = json_with(429, "{}");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool shows_something = server::credentials_of(request).has_value();
        if (shows_something && reply.status / 100 == 4) reply.status = 503;
      },
      [](const HttpHead& request, std::string_view body, HttpReply& reply) {
        const bool is_later = body.find("initialize") == body.npos;
        const bool is_bare = !server::credentials_of(request).has_value();
        if (is_bare && is_later && reply.status == 401) reply.status = 502;
      }};
  for (const Reply throttle : throttles) {
    const auto found = outcomes_with_tokens(throttle, kProtected);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  }
}

// Tokens have no audience in 2025-03-26: one for another server may be good, or not suffice.
TEST(Authorization, TokensForOthersMayBeGoodWhereTheyHaveNoAudience) {
  server::Fault taking = behaviour_of(nullptr);
  taking.mishears = [](const Json&, HttpHead& request) {
    if (server::shows(request, server::kForeignToken)) {
      server::take_for(request, server::kReferenceToken);
    }
  };
  const server::Fault forbidding =
      behaviour_of([](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_foreign = server::shows(request, server::kForeignToken);
        if (is_foreign && reply.status == 401) reply.status = 403;
      });
  for (const server::Fault* behaviour : std::vector<const server::Fault*>{&taking, &forbidding}) {
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {behaviour},
                                      "127.0.0.1", true);
    const auto found = outcomes(reference.http_with(reference_tokens()), {Revision::v2025_03_26});
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  }
}

// Who wants a key of a manner of its own for every path has no authorization server.
TEST(Authorization, WhoWantsAKeyEverywhereIsNoAuthorizationServer) {
  const std::vector<Reply> guards = {
      [](const HttpHead&, std::string_view, HttpReply& reply) {
        if (reply.status >= 400) reply = json_with(401, R"({"error":"Unauthorized"})");
      },
      [](const HttpHead&, std::string_view, HttpReply& reply) {
        if (reply.status >= 400) reply = json_with(401, R"({"error":"invalid_request"})");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_busy = is_for(request, "/token") || is_for(request, "/authorize");
        if (is_busy) reply = json_with(429, R"({"error":"invalid_request"})");
      }};
  for (const Reply guard : guards) {
    const server::Fault behaviour = behaviour_of(guard);
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&behaviour},
                                      "127.0.0.1", true);
    const auto found = outcomes(reference.http(), {Revision::v2025_03_26});
    std::set<std::string> violated = rules_with(found, Outcome::kViolated);
    violated.erase("authorization.failure-per-oauth");  // its 401 names no scheme
    EXPECT_EQ(violated, std::set<std::string>{});
    EXPECT_FALSE(rules_with(found, Outcome::kSatisfied).contains(kRegisters));
  }
}

// A gateway in front of an authorization server is shown the user's header fields with each
// request.
TEST(Authorization, AGatewayIsShownTheUsersHeaders) {
  const Reply gateway = [](const HttpHead& request, std::string_view, HttpReply& reply) {
    if (transport::find_header(request.headers, "X-Gateway") == "open") return;
    reply = json_with(401, R"({"error":"invalid_client"})");
  };
  const auto found = outcomes_of_office(true, gateway, {{"X-Gateway", "open", true}});
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  const auto held = rules_with(found, Outcome::kSatisfied);
  EXPECT_TRUE(held.contains(kRegisters));
  EXPECT_TRUE(held.contains("authorization.token-rotation"));
}

// Who has no time for the request for its metadata, or points elsewhere, may have some.
TEST(Authorization, MetadataThatWereNotRefusedMayBeThere) {
  const std::vector<Reply> busy = {[](const HttpHead& request, std::string_view, HttpReply& reply) {
                                     if (is_for(request, kMetadataPlace))
                                       reply = json_with(503, "{}");
                                   },
                                   [](const HttpHead& request, std::string_view, HttpReply& reply) {
                                     if (is_for(request, kMetadataPlace))
                                       reply = json_with(429, "{}");
                                   },
                                   [](const HttpHead& request, std::string_view, HttpReply& reply) {
                                     if (is_for(request, kMetadataPlace))
                                       reply = {302, {{"Location", "/metadata"}}, "", nullptr};
                                   },
                                   [](const HttpHead& request, std::string_view, HttpReply& reply) {
                                     const bool is_below =
                                         request.target == std::string(kMetadataPlace) + "/mcp";
                                     if (is_below) reply = json_with(503, "{}");
                                   }};
  for (const Reply reply : busy) {
    const auto found = outcomes_of_office(false, reply);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  }
}

// Nor is it blamed that they were found below the path of the endpoint.
TEST(Authorization, MetadataInTwoPlacesMayBeSeenInOne) {
  server::Fault behaviour =
      behaviour_of([](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, kMetadataPlace)) reply = json_with(503, "{}");
      });
  behaviour.mishears = [](const Json&, HttpHead& request) {
    if (request.target == std::string(kMetadataPlace) + "/mcp") request.target = kMetadataPlace;
  };
  const ReferenceOverHttp reference(ReferenceOverHttp::OwnOffice{}, {&behaviour});
  const auto found = outcomes(reference.http(), {Revision::v2025_03_26});
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
}

// A query behind the URL of the endpoint is no part of the places where metadata may be.
TEST(Authorization, MetadataAreLookedForBesideTheQueryOfTheEndpoint) {
  const std::vector<Reply> busy = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_below = request.target == std::string(kMetadataPlace) + "/mcp";
        if (is_below) reply = json_with(503, "{}");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_below = request.target == "/mcp" + std::string(kMetadataPlace);
        if (is_below) reply = json_with(503, "{}");
      }};
  for (const Reply reply : busy) {
    const server::Fault behaviour = behaviour_of(reply);
    const ReferenceOverHttp reference(ReferenceOverHttp::OwnOffice{.has_metadata = false},
                                      {&behaviour});
    const auto found = outcomes(reference.http({}, "?tenant=1"), {Revision::v2025_03_26});
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  }
}

// Clients of 2025-03-26 say their revision when they ask for metadata, so that a server can answer
// by it.
TEST(Authorization, MetadataMayBeGivenByRevision) {
  const auto found =
      outcomes_of_office(true, [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const auto revision = transport::find_header(request.headers, "MCP-Protocol-Version");
        if (is_for(request, kMetadataPlace) && revision != "2025-03-26") {
          reply = json_with(404, "{}");
        }
      });
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  EXPECT_TRUE(rules_with(found, Outcome::kSatisfied).contains(kServed));
}

// A registration may be for those who have a token (RFC 7591, section 3).
TEST(Authorization, ARegistrationMayBeProtected) {
  const std::vector<Reply> protections = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, "/register"))
          reply = {401, {{"WWW-Authenticate", "Bearer"}}, "", nullptr};
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, "/register")) reply = json_with(403, "{}");
      }};
  for (const Reply reply : protections) {
    const auto found = outcomes_of_office(false, reply);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{kServed});
    EXPECT_EQ(found.at(kRegisters), std::set<Outcome>{Outcome::kInconclusive});
  }
}

// Metadata need not name the endpoint (RFC 8414), and what is at the default path may be protected,
// or say nothing now.
TEST(Authorization, ARegistrationMayBeProtectedOrSilentWhereMetadataNameNone) {
  static const auto name_none = [](const HttpHead& request, HttpReply& reply) {
    if (!is_for(request, kMetadataPlace) || reply.status != 200) return;
    Json document = Json::parse(reply.body);
    document.erase("registration_endpoint");
    reply.body = document.dump();
  };
  const std::vector<Reply> registrations = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        name_none(request, reply);
        if (is_for(request, "/register"))
          reply = {401, {{"WWW-Authenticate", "Bearer"}}, "", nullptr};
      },
      // More than a client reads.
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        name_none(request, reply);
        if (is_for(request, "/register")) reply = json_with(200, std::string(2u << 20, ' '));
      }};
  for (const Reply reply : registrations) {
    const auto found = outcomes_of_office(true, reply);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
    EXPECT_EQ(found.at(kRegisters), std::set<Outcome>{Outcome::kInconclusive});
  }
}

// What the metadata name has to be an endpoint, or nothing is known.
TEST(Authorization, ARegistrationThatIsNamedByNoUrlIsNotBelieved) {
  const auto found =
      outcomes_of_office(true, [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (!is_for(request, kMetadataPlace) || reply.status != 200) return;
        Json document = Json::parse(reply.body);
        document["registration_endpoint"] = "/register";
        reply.body = document.dump();
      });
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  EXPECT_EQ(found.at(kRegisters), std::set<Outcome>{Outcome::kInconclusive});
}

// A refresh token that is taken again beside another one may be so for a moment, or for ever.
TEST(Authorization, AnotherRefreshTokenDoesNotProveThatTheOldOneIsNoLongerGood) {
  const std::vector<Reply> others = {
      [](const HttpHead& request, std::string_view body, HttpReply& reply) {
        const bool is_renewal = body.find("grant_type=refresh_token") != body.npos;
        if (!is_for(request, "/token") || !is_renewal || reply.status == 200) return;
        reply = json_with(200, R"({"access_token":"another","token_type":"Bearer",)"
                               R"("refresh_token":"yet-another-refresh-token"})");
      },
      [](const HttpHead& request, std::string_view body, HttpReply& reply) {
        const bool is_renewal = body.find("grant_type=refresh_token") != body.npos;
        const bool is_refused = is_for(request, "/token") && is_renewal && reply.status != 200;
        if (is_refused) reply = json_with(503, "{}");
      }};
  for (const Reply reply : others) {
    const auto found = outcomes_of_office(true, reply);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
    EXPECT_EQ(found.at("authorization.token-rotation"), std::set<Outcome>{Outcome::kInconclusive});
  }
}

// Challenges may name scopes in another way than tokens do.
TEST(Authorization, ScopesMayHaveTwoNames) {
  const server::Fault behaviour =
      behaviour_of([](const HttpHead& request, std::string_view, HttpReply& reply) {
        const auto long_name = [](const std::string& name) { return "api://server/" + name; };
        if (request.target.starts_with(transport::kResourceMetadataPath) && reply.status == 200) {
          Json document = Json::parse(reply.body);
          const Json names = document["scopes_supported"];
          for (const Json& name : names) document["scopes_supported"].push_back(long_name(name));
          reply.body = document.dump();
        }
        if (reply.status != 403) return;
        server::change_challenge(reply, [&](wire::Challenge& challenge) {
          std::string named;
          for (const auto& name :
               authorization::Server::words_in(challenge.parameter("scope").value_or(""))) {
            named += (named.empty() ? "" : " ") + long_name(name);
          }
          server::leave_out(challenge, "scope");
          challenge.parameters.emplace_back("scope", named);
        });
      });
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{}, {&behaviour});
  const auto found =
      outcomes(reference.http_with_issuer(), {Revision::v2025_11_25, Revision::v2026_07_28});
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  EXPECT_TRUE(found.at("authorization.needed-scopes-included").contains(Outcome::kInconclusive));
}

bool token_says(const HttpHead& request, std::string_view scope) {
  const std::string shown = server::credentials_of(request).value_or("");
  const std::size_t begin = shown.find('.') + 1;
  const auto claims = wire::decode_base64url(shown.substr(begin, shown.rfind('.') - begin));
  return claims && claims->find(scope) != std::string::npos;
}

std::map<std::string, std::set<Outcome>> outcomes_of_scopes(Reply reply) {
  const server::Fault behaviour = behaviour_of(reply);
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{}, {&behaviour});
  return outcomes(reference.http_with_issuer(), {Revision::v2025_11_25, Revision::v2026_07_28},
                  [](std::string_view scenario) {
                    return scenario == "authorization_challenges_name_what_is_needed";
                  });
}

// Scopes may be made for one request: each refusal of the tool names another, and a broad one does.
TEST(Authorization, ScopesMayBeMadeForOneRequest) {
  const auto found =
      outcomes_of_scopes([](const HttpHead& request, std::string_view body, HttpReply& reply) {
        static std::atomic<int> payments = 0;
        if (request.target.starts_with(transport::kResourceMetadataPath) && reply.status == 200) {
          Json document = Json::parse(reply.body);
          document["scopes_supported"].push_back("pay:all");
          reply.body = document.dump();
        }
        const bool is_payment =
            body.find("\"tools/call\"") != body.npos && body.find(server::kScopedTool) != body.npos;
        if (!is_payment || reply.status / 100 == 5 || token_says(request, "pay:all")) return;
        const std::string scope = fmt::format("mcp:use tools:text pay:txn-{}", ++payments);
        wire::Challenge challenge;
        challenge.scheme = "Bearer";
        challenge.parameters = {{"error", "insufficient_scope"}, {"scope", scope}};
        reply = {403, {{"WWW-Authenticate", wire::write_challenge(challenge)}}, "", nullptr};
      });
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
}

// Who asks for patience when a request is refused again tells nothing of the scopes.
TEST(Authorization, RefusalsThatAreNotRepeatedTellNothingOfScopes) {
  const auto found =
      outcomes_of_scopes([](const HttpHead& request, std::string_view, HttpReply& reply) {
        static std::mutex mutex;
        static std::set<std::string> refused;  // guarded by it
        if (reply.status != 403) return;
        const std::lock_guard lock(mutex);
        const bool is_first = refused.insert(server::credentials_of(request).value_or("")).second;
        if (!is_first) reply.status = 429;
      });
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  EXPECT_EQ(found.at("authorization.scope-strategy-consistent"),
            std::set<Outcome>{Outcome::kInconclusive});
  EXPECT_TRUE(
      rules_with(found, Outcome::kSatisfied).contains("authorization.needed-scopes-included"));
}

bool stays_with_the_server(std::string_view scenario) {
  return scenario == "authorization_tokens_stay_with_the_server";
}

void ask(const std::string& url, transport::Headers headers) {
  transport::HttpMessage message;
  message.method = "GET";
  message.headers = std::move(headers);
  transport::fetch(url, std::move(message), std::chrono::seconds(5));
}

// The API is asked who shows a token, by a path that only its author knows.
class TokenCheck {
 public:
  void ask_at(const std::string& url) {
    const std::lock_guard lock(mutex_);
    url_ = url;
  }
  void check(const HttpHead& request) {
    const auto shown = server::credentials_of(request);
    const std::lock_guard lock(mutex_);
    if (!shown || url_.empty()) return;
    ask(url_ + "/whoami", {{"Authorization", *shown}});
  }

 private:
  std::mutex mutex_;  // guards the one below
  std::string url_;
};

// Who asks the API about every token passes none on.
TEST(Authorization, WhoChecksTokensByTheApiIsNotBlamed) {
  static TokenCheck check;
  server::Fault always = behaviour_of(nullptr);
  always.mishears = [](const Json&, HttpHead& request) { check.check(request); };
  server::Fault by_calls = behaviour_of(nullptr);
  by_calls.mishears = [](const Json& body, HttpHead& request) {
    if (server::method_of(body) == "tools/call") check.check(request);
  };
  for (server::Fault* behaviour : std::vector<server::Fault*>{&always, &by_calls}) {
    behaviour->needs_upstream = true;
    const ReferenceOverHttp trusting(ReferenceOverHttp::Trusting{.has_upstream = true},
                                     {behaviour});
    const ReferenceOverHttp told({}, ReferenceOverHttp::Answers::kAuto, {behaviour}, "127.0.0.1",
                                 true);
    for (const harness::TargetAccess& access :
         {trusting.http_with_issuer(), told.http_with(reference_tokens())}) {
      check.ask_at(access.upstream->url());
      const auto found =
          outcomes(access, {Revision::v2025_11_25, Revision::v2026_07_28}, stays_with_the_server);
      check.ask_at("");
      EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
    }
  }
}

// A request that comes once, and not again when the same is done, may be another's.
TEST(Authorization, OneRequestToTheApiProvesNothing) {
  static std::mutex mutex;
  static std::string url;  // guarded by it; empty once it was asked
  server::Fault behaviour = behaviour_of(nullptr);
  behaviour.mishears = [](const Json& body, HttpHead&) {
    const std::lock_guard lock(mutex);
    const bool is_call = server::method_of(body) == "tools/call" && !url.empty() &&
                         body["params"].value("name", "") == server::kScopedTool;
    if (is_call) ask(std::exchange(url, ""), {});
  };
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{}, {&behaviour});
  harness::TargetAccess access = reference.http_with_issuer();
  access.upstream = std::make_shared<harness::Upstream>();
  ASSERT_EQ(access.upstream->start(), std::nullopt);
  url = access.upstream->url() + "/v1/once";
  const auto found = outcomes(access, {Revision::v2025_11_25}, stays_with_the_server);
  EXPECT_EQ(access.upstream->count(), 1u);
  EXPECT_EQ(found.at("authorization.no-token-passthrough"),
            std::set<Outcome>{Outcome::kInconclusive});
}

// What reached the API with another token of ours is not said to be nothing.
TEST(Authorization, WhatReachedTheApiWithOurTokenIsNotDenied) {
  const server::Fault* const fault = server::find_fault("token-passed-on");
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{.has_upstream = true}, {fault});
  harness::CertifyOptions options;
  options.revisions = {Revision::v2025_11_25};
  options.accesses = {reference.http_with_issuer()};
  options.wants = stays_with_the_server;
  NoEvents events;
  bool was_said = false;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.requirement != "authorization.other-tokens-not-forwarded") continue;
      EXPECT_EQ(verdict.outcome, Outcome::kNotExercised);
      was_said = verdict.detail.find("another token of ours") != verdict.detail.npos;
    }
  }
  EXPECT_TRUE(was_said);
}

// No sentence forbids a server to take a token from the query of a URI.
TEST(Authorization, ATokenInTheQueryMayBeTakenOrNot) {
  const auto wants = [](std::string_view scenario) {
    return scenario == "authorization_tokens_in_queries_count_for_nothing";
  };
  const server::Fault refusing = behaviour_of(nullptr);
  server::Fault taking = behaviour_of(nullptr);
  taking.mishears = [](const Json&, HttpHead& request) {
    const auto token =
        wire::form_value(wire::read_form(wire::query_in(request.target)), "access_token");
    if (token) server::take_for(request, *token);
  };
  const auto outcomes_of = [&](const server::Fault& behaviour) {
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&behaviour},
                                      "127.0.0.1", true);
    return outcomes(reference.http_with(reference_tokens()), kProtected, wants)
        .at("authorization.unauthenticated-401");
  };
  EXPECT_EQ(outcomes_of(refusing), std::set<Outcome>{Outcome::kSatisfied});
  EXPECT_EQ(outcomes_of(taking), std::set<Outcome>{Outcome::kInconclusive});
}

// Each place where metadata are served may be where a client looks: what they say of one resource
// has to agree; those of another resource are no matter of ours.
TEST(Authorization, MetadataAreReadAtEachPlace) {
  static const auto change_at_root = [](const HttpHead& request, HttpReply& reply, bool is_other) {
    if (request.target != transport::kResourceMetadataPath || reply.status != 200) return;
    Json document = Json::parse(reply.body);
    document["authorization_servers"] = {"https://elsewhere.assay.invalid"};
    if (is_other) document["resource"] = "https://another-server.assay.invalid";
    reply.body = document.dump();
  };
  const std::set<std::string> rules = {"authorization.authorization-servers-listed",
                                       "authorization.resource-metadata-implemented"};
  const std::map<Outcome, Reply> replies = {
      {Outcome::kInconclusive, [](const HttpHead& request, std::string_view,
                                  HttpReply& reply) { change_at_root(request, reply, false); }},
      {Outcome::kSatisfied, [](const HttpHead& request, std::string_view, HttpReply& reply) {
         change_at_root(request, reply, true);
       }}};
  for (const auto& [outcome, reply] : replies) {
    const auto found = outcomes_with_tokens(
        reply, {Revision::v2025_06_18, Revision::v2025_11_25, Revision::v2026_07_28});
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
    for (const std::string& rule : rules) EXPECT_EQ(found.at(rule), std::set<Outcome>{outcome});
  }
}

// How often each tool was called.
class Calls {
 public:
  void note(const Json& body) {
    if (server::method_of(body) != "tools/call") return;
    const std::lock_guard lock(mutex_);
    ++count_[body["params"]["name"].get<std::string>()];
  }
  std::map<std::string, int> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(count_, {});
  }

 private:
  std::mutex mutex_;  // guards the one below
  std::map<std::string, int> count_;
};

// Who serves a token of few scopes is not asked again.
TEST(Authorization, ToolsThatNeedNoFurtherScopeAreCalledOnce) {
  static Calls calls;
  server::Fault behaviour = behaviour_of(nullptr);
  behaviour.mishears = [](const Json& body, HttpHead&) { calls.note(body); };
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{}, {&behaviour});
  const auto wants = [](std::string_view scenario) {
    return scenario == "authorization_challenges_name_what_is_needed";
  };
  const auto found = outcomes(reference.http_with_issuer(), {Revision::v2025_11_25}, wants);
  EXPECT_TRUE(
      rules_with(found, Outcome::kSatisfied).contains("authorization.needed-scopes-included"));
  const std::map<std::string, int> count = calls.take();
  EXPECT_GT(count.size(), 3u);
  for (const auto& [tool, times] : count) {
    if (tool == server::kScopedTool) continue;
    EXPECT_EQ(times, 1) << tool;
  }
}

}  // namespace
}  // namespace assay::scenarios
