// Logins that are sound, though they are not what most clients do: no scenario may blame them; and
// next to each is what it does blame.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "harness/host/office.h"
#include "scenarios/sound_clients_testing.h"

namespace assay::scenarios {
namespace {

using harness::Finding;
using harness::Traffic;
using model::Revision;
using transport::Observation;

// What passes while a client logs in.
class LoginTraffic {
 public:
  struct Ask {
    const char* method = "GET";
    std::string target;
    transport::Headers headers = {};
    std::string body = "";
  };
  struct Answer {
    int status = 200;
    std::string body = "";
  };

  // At the authorization server of that number; 0: at the server.
  LoginTraffic& pass(int office, const Ask& ask, const Answer& answer) {
    const std::uint64_t number =
        static_cast<std::uint64_t>(office) * harness::Office::kLanes + ++exchanges_;
    const transport::Lane lane{transport::Lane::Kind::kHttp, number};
    const auto see = [&](Observation::Kind kind, transport::Party party, transport::HttpHead head,
                         const std::string& body) {
      Observation observation;
      observation.kind = kind;
      observation.speaker = party;
      observation.lane = lane;
      observation.http = std::move(head);
      observation.bytes = body;
      traffic_.saw(observation);
    };
    see(Observation::Kind::kHttpRequest, transport::Party::kClient,
        {ask.method, ask.target, 0, ask.headers}, ask.body);
    const transport::HttpHead head{"", "", answer.status, {{"Content-Type", "application/json"}}};
    see(Observation::Kind::kHttpResponse, transport::Party::kServer, head, "");
    if (!answer.body.empty()) {
      see(Observation::Kind::kHttpBody, transport::Party::kServer, head, answer.body);
    }
    return *this;
  }
  LoginTraffic& gets_token(int office, const std::string& token) {
    return pass(office,
                {"POST",
                 "/token",
                 {{"Content-Type", "application/x-www-form-urlencoded"}},
                 "grant_type=authorization_code&code=c&client_id=client-1"},
                {200, R"({"access_token":")" + token + R"(","token_type":"Bearer"})"});
  }
  LoginTraffic& shows(const std::string& authorization, int status) {
    return pass(0,
                {"POST",
                 "/mcp",
                 {{"Authorization", authorization}, {"Content-Type", "application/json"}},
                 R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"},
                {status});
  }
  // The last exchange, which has no body, began and ended then.
  LoginTraffic& at(std::chrono::milliseconds begin, std::chrono::milliseconds end) {
    const auto events = traffic_.transcript().events();
    std::const_pointer_cast<harness::Event>(events[events.size() - 2])->at = begin;
    std::const_pointer_cast<harness::Event>(events.back())->at = end;
    return *this;
  }
  // `crash`: how the client ended.
  bool is_told(std::string_view play, const std::string& rule, Finding::Kind kind,
               const std::string& crash = "") const {
    return told(play, Revision::v2026_07_28, traffic_, kind, crash).contains(rule);
  }

 private:
  Traffic traffic_{Revision::v2026_07_28};
  std::uint64_t exchanges_ = 0;
};

bool is_unregistered(const std::string& registered) {
  const std::string uris = R"("redirect_uris":)" + registered + "}";
  LoginTraffic login;
  login.pass(1, {"POST", "/register", {{"Content-Type", "application/json"}}, "{" + uris},
             {201, R"({"client_id":"client-1",)" + uris});
  login.pass(1, {"GET", "/authorize?response_type=code&client_id=client-1&state=s"}, {302});
  return login.is_told("auth/basic-cimd", "authorization.redirects-registered",
                       Finding::Kind::kBroke);
}

TEST(SoundLogins, MayLeaveOutTheOnlyRedirectUri) {
  EXPECT_FALSE(is_unregistered(R"(["http://localhost:3000/callback"])"));
  EXPECT_TRUE(is_unregistered(R"(["http://localhost:3000/callback","https://app.example/"])"));
}

// Transcripts keep labels of tokens, in the order in which these were shown.
std::set<std::string> told_of_bearer(const std::string& authorization, Finding::Kind kind) {
  LoginTraffic login;
  login.gets_token(1, "token#1").shows(authorization, 200);
  std::set<std::string> rules;
  for (const char* rule : {"authorization.bearer-header", "authorization.foreign-token-not-sent",
                           "authorization.token-in-every-request"}) {
    if (login.is_told("auth/basic-cimd", rule, kind)) rules.insert(rule);
  }
  return rules;
}

TEST(SoundLogins, MayWriteTheSchemeInAnyCase) {
  EXPECT_EQ(told_of_bearer("bearer 0123456789abcdef", Finding::Kind::kBroke),
            std::set<std::string>());
  EXPECT_TRUE(told_of_bearer("bearer 0123456789abcdef", Finding::Kind::kHeld)
                  .contains("authorization.bearer-header"));
}

// A client may renew where it knows the authorization server, before it looks whether there is
// another one.
TEST(SoundLogins, MayTryTheFormerAuthorizationServerOnce) {
  constexpr const char* kPlay = "auth/authorization-server-migration";
  constexpr const char* kRule = "authorization.foreign-token-not-sent";
  LoginTraffic login;
  login.gets_token(1, "token#1").shows("Bearer first-token-0123456789", 200);
  login.shows("Bearer first-token-0123456789", 401);
  login.gets_token(1, "token#2").shows("Bearer second-token-0123456789", 401);
  EXPECT_FALSE(login.is_told(kPlay, kRule, Finding::Kind::kBroke));
  login.gets_token(1, "token#3").shows("Bearer third-token-0123456789", 401);
  EXPECT_TRUE(login.is_told(kPlay, kRule, Finding::Kind::kBroke));
}

constexpr const char* kExpired = "Bearer first-token-0123456789";

// The client was let in, and is refused when its token has expired.
void expire_token(LoginTraffic& login) {
  login.shows("", 401).gets_token(1, "token#1");
  login.shows(kExpired, 200).shows(kExpired, 401);
}

// It may log in when it is started again.
TEST(SoundLogins, MayLeaveWhenATokenThatTheyCannotRenewHasExpired) {
  const std::string rule = "authorization.client-responds-to-401";
  LoginTraffic left;
  expire_token(left);
  EXPECT_FALSE(left.is_told("auth/token-expired", rule, Finding::Kind::kBroke));
  EXPECT_TRUE(left.is_told("auth/token-expired", rule, Finding::Kind::kUnclear));
  EXPECT_TRUE(left.is_told("auth/token-refresh", rule, Finding::Kind::kBroke));
  LoginTraffic stays;
  expire_token(stays);
  stays.shows(kExpired, 401).at(std::chrono::seconds(1), std::chrono::seconds(1));
  EXPECT_TRUE(stays.is_told("auth/token-expired", rule, Finding::Kind::kBroke));
}

// What is said of a client that guesses an authorization server at the server itself, and asks for
// the metadata of the resource so much later; the guess is answered after 10 ms.
bool is_blamed_for_guess(std::chrono::milliseconds later) {
  using std::chrono::milliseconds;
  LoginTraffic login;
  login.shows("", 401).at(milliseconds(1), milliseconds(2));
  login.pass(0, {"GET", "/.well-known/oauth-authorization-server"}, {404})
      .at(milliseconds(5), milliseconds(15));
  login.pass(0, {"GET", "/.well-known/oauth-protected-resource/mcp"}, {200})
      .at(milliseconds(5) + later, milliseconds(20) + later);
  return login.is_told("auth/basic-cimd", "authorization.client-uses-resource-metadata",
                       Finding::Kind::kBroke);
}

TEST(SoundLogins, MayAskForBothMetadataSideBySide) {
  EXPECT_FALSE(is_blamed_for_guess(std::chrono::milliseconds(1)));
  EXPECT_TRUE(is_blamed_for_guess(std::chrono::milliseconds(100)));
}

// The challenge names a place of its own. The client asks at the well-known place before or after
// it saw the challenge, and then at that place.
bool is_blamed_for_well_known(bool saw_challenge) {
  using std::chrono::milliseconds;
  LoginTraffic login;
  login.shows("", 401).at(milliseconds(5), milliseconds(10));
  const milliseconds first(saw_challenge ? 20 : 8);
  login.pass(0, {"GET", "/.well-known/oauth-protected-resource/mcp"}, {404})
      .at(first, first + milliseconds(5));
  login.pass(0, {"GET", "/.well-known/oauth-protected-resource"}, {404})
      .at(milliseconds(30), milliseconds(35));
  login.pass(0, {"GET", "/custom/metadata/location.json"}, {200})
      .at(milliseconds(40), milliseconds(45));
  return login.is_told("auth/metadata-var3", "authorization.client-uses-challenge-location",
                       Finding::Kind::kBroke);
}

TEST(SoundLogins, MayFinishALookAtWellKnownPlacesThatTheyBeganBeforeTheChallenge) {
  EXPECT_FALSE(is_blamed_for_well_known(false));
  EXPECT_TRUE(is_blamed_for_well_known(true));
}

// What is said of a client whose call was refused so many times because a scope was missing.
bool is_told_after_refusals(int refusals, Finding::Kind kind, const std::string& crash = "") {
  LoginTraffic login;
  login.shows("", 401).gets_token(1, "token#1");
  for (int i = 0; i < refusals; ++i) login.shows("Bearer first-token-0123456789", 403);
  return login.is_told("auth/scope-step-up", "authorization.scope-error-answered", kind, crash);
}

TEST(SoundLogins, MayTellTheUserThatAScopeIsMissing) {
  EXPECT_FALSE(is_told_after_refusals(1, Finding::Kind::kBroke));
  EXPECT_TRUE(is_told_after_refusals(1, Finding::Kind::kUnclear));
  EXPECT_TRUE(is_told_after_refusals(11, Finding::Kind::kBroke));
  EXPECT_TRUE(is_told_after_refusals(1, Finding::Kind::kBroke, "aborted"));
}

// What is said of an authorization request whose query ends so, where no server names a scope.
bool is_told_of_scope(const std::string& scope, Finding::Kind kind) {
  LoginTraffic login;
  login.pass(1, {"GET", "/authorize?response_type=code&client_id=client-1&state=s" + scope}, {302});
  return login.is_told("auth/scope-omitted-when-undefined", "authorization.scope-left-out", kind);
}

TEST(SoundLogins, MaySendAScopeWithoutAValueForNone) {
  EXPECT_TRUE(is_told_of_scope("", Finding::Kind::kHeld));
  EXPECT_TRUE(is_told_of_scope("&scope=", Finding::Kind::kUnclear));
  EXPECT_FALSE(is_told_of_scope("&scope=", Finding::Kind::kHeld));
  EXPECT_TRUE(is_told_of_scope("&scope=everything", Finding::Kind::kBroke));
}

}  // namespace
}  // namespace assay::scenarios
