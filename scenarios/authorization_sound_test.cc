// Protected servers that do what the text leaves open, or that have no time for us, are not
// accused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/server/faults/tokens.h"
#include "reference/wire/form.h"
#include "reference/wire/pkce.h"
#include "scenarios/authorization_sound_testing.h"

namespace assay::scenarios {
namespace {

using model::Revision;
using reports::Outcome;
using transport::HttpHead;
using transport::HttpReply;

Outcomes outcomes_with_tokens(ReplyChange reply, std::vector<Revision> revisions) {
  const server::Fault behaviour = behaviour_of(reply);
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&behaviour},
                                    "127.0.0.1", true);
  return outcomes(reference.http_with(reference_tokens()), std::move(revisions));
}

const std::vector<Revision> kProtected = {Revision::v2025_03_26, Revision::v2025_06_18,
                                          Revision::v2025_11_25, Revision::v2026_07_28};

// Patience asked of who is refused often, or of everybody, is about no token.
TEST(Authorization, WhoAsksForPatienceIsNotBlamed) {
  const std::vector<ReplyChange> throttles = {
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
  for (const ReplyChange throttle : throttles) {
    const auto found = outcomes_with_tokens(throttle, kProtected);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  }
}

// A library's message with quotes in it, put between quotes: what stands after it is there, though
// it cannot be read.
TEST(Authorization, MetadataMayStandAfterQuotesWithinQuotes) {
  const ReplyChange quotes = [](const HttpHead& request, std::string_view, HttpReply& reply) {
    if (!server::credentials_of(request)) return;
    for (auto& [name, value] : reply.headers) {
      constexpr std::string_view kScheme = "Bearer ";
      if (name != "WWW-Authenticate" || !value.starts_with(kScheme)) continue;
      value =
          R"(Bearer error_description=""exp" claim check failed", )" + value.substr(kScheme.size());
    }
  };
  const auto found = outcomes_with_tokens(quotes, kProtected);
  EXPECT_FALSE(rules_with(found, Outcome::kViolated)
                   .contains("authorization.challenge-names-resource-metadata"));
}

// Who ends no sessions, reads no batches, takes no notifications, or has no streams, says so to
// everybody: the token is not why.
TEST(Authorization, WhoServesNothingInAPlaceIsNotBlamedForIt) {
  const std::vector<ReplyChange> lacks = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (request.method != "POST" && request.method != "GET") reply = json_with(405, "{}");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_document = request.target.starts_with("/.well-known/");
        if (request.method == "GET" && !is_document) reply = json_with(405, "{}");
      },
      [](const HttpHead&, std::string_view body, HttpReply& reply) {
        const bool is_odd = body.starts_with('[') || body.find("notifications/c") != body.npos;
        if (is_odd) reply = json_with(400, "{}");
      }};
  for (const ReplyChange lack : lacks) {
    const auto found = outcomes_with_tokens(lack, kProtected);
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
  }
}

// A login page for browsers, at other paths and for other methods, is none for clients.
TEST(Authorization, OtherPathsMayBeOpenToEverybody) {
  const auto found = outcomes_with_tokens(
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (is_for(request, "/mcp") || request.target.starts_with("/.well-known/")) return;
        reply = {200, {{"Content-Type", "text/html"}}, "<h1>Welcome</h1>", nullptr};
      },
      kProtected);
  EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
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
  // The token is of a user who has no such session.
  const server::Fault binding =
      behaviour_of([](const HttpHead& request, std::string_view, HttpReply& reply) {
        const bool is_foreign = server::shows(request, server::kForeignToken);
        if (is_foreign && reply.status == 401) reply.status = 404;
      });
  for (const server::Fault* behaviour : {&std::as_const(taking), &forbidding, &binding}) {
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {behaviour},
                                      "127.0.0.1", true);
    const auto found = outcomes(reference.http_with(reference_tokens()), {Revision::v2025_03_26});
    EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
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

Outcomes outcomes_of_scopes(ReplyChange reply) {
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

// No sentence forbids a server to take a token from the query of a URI, or from a cookie.
TEST(Authorization, ATokenElsewhereMayBeTakenOrNot) {
  const auto wants = [](std::string_view scenario) {
    return scenario == "authorization_tokens_elsewhere_count_for_nothing";
  };
  const server::Fault refusing = behaviour_of(nullptr);
  server::Fault from_query = behaviour_of(nullptr);
  from_query.mishears = [](const Json&, HttpHead& request) {
    const auto token =
        wire::form_value(wire::read_form(wire::query_in(request.target)), "access_token");
    if (token) server::take_for(request, *token);
  };
  server::Fault from_cookie = behaviour_of(nullptr);
  from_cookie.mishears = [](const Json&, HttpHead& request) {
    const std::string cookies(transport::find_header(request.headers, "Cookie").value_or(""));
    const std::string_view name = "access_token=";
    const std::size_t begin = cookies.find(name);
    if (begin == cookies.npos) return;
    const std::size_t from = begin + name.size();
    server::take_for(request, cookies.substr(from, cookies.find(';', from) - from));
  };
  const auto outcomes_of = [&](const server::Fault& behaviour) {
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&behaviour},
                                      "127.0.0.1", true);
    return outcomes(reference.http_with(reference_tokens()), kProtected, wants)
        .at("authorization.unauthenticated-401");
  };
  EXPECT_EQ(outcomes_of(refusing), std::set<Outcome>{Outcome::kSatisfied});
  // It is asked for in the other place.
  for (const server::Fault* behaviour : {&from_query, &from_cookie}) {
    EXPECT_FALSE(outcomes_of(*behaviour).contains(Outcome::kViolated));
  }
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
                                       "authorization.offline-access-not-in-metadata",
                                       "authorization.resource-metadata-implemented"};
  const std::map<Outcome, ReplyChange> replies = {
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
    // Tools that no profile knows are explored before.
    const bool is_explored = tool.starts_with("test_app_");
    if (tool == server::kScopedTool || is_explored) continue;
    EXPECT_EQ(times, 1) << tool;
  }
}

}  // namespace
}  // namespace assay::scenarios
