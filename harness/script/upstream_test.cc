#include "harness/script/upstream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "reference/transport/http_fetch.h"
#include "reference/wire/base64.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kToken = "opaque/token+of=alice";

class UpstreamTest : public testing::Test {
 protected:
  UpstreamTest() {
    EXPECT_EQ(upstream_.start(), std::nullopt);
    upstream_.look_for(kToken);
  }

  // Asks the API, and gives how it was seen.
  Upstream::Visit visit(const std::string& target, transport::Headers headers,
                        const std::string& body = "") {
    transport::HttpMessage message;
    message.method = body.empty() ? "GET" : "POST";
    message.headers = std::move(headers);
    message.body = body;
    const auto answer =
        transport::fetch(upstream_.url() + target, std::move(message), std::chrono::seconds(5));
    EXPECT_TRUE(std::holds_alternative<transport::Fetched>(answer));
    const auto visits = upstream_.visits();
    return visits.empty() ? Upstream::Visit() : visits.back();
  }

  Upstream upstream_;
};

TEST_F(UpstreamTest, SeesWhoShowsNothing) {
  const Upstream::Visit seen = visit("/v1/weather", {{"Authorization", "Bearer key-of-its-own"}});
  EXPECT_EQ(seen.token, "");
  EXPECT_FALSE(seen.is_about_tokens);
  EXPECT_EQ(seen.event->observation.http()->target, "/v1/weather");
  EXPECT_TRUE(seen.event->is_from_server());
}

TEST_F(UpstreamTest, FindsTheTokenInEveryPart) {
  const std::string token = kToken;
  EXPECT_EQ(visit("/", {{"Authorization", "Bearer " + token}}).place, "its Authorization field");
  EXPECT_EQ(visit("/", {{"X-Forwarded", "for " + token}}).place, "a header field");
  EXPECT_EQ(visit("/v1?key=opaque%2Ftoken%2Bof%3Dalice", {}).place, "its URL");
  EXPECT_EQ(visit("/v1?key=opaque%2ftoken%2bof%3dalice", {}).place, "its URL");
  EXPECT_EQ(visit("/", {}, R"({"token":"opaque\/token+of=alice"})").place, "its body");
  for (const Upstream::Visit& seen : upstream_.visits()) {
    EXPECT_EQ(seen.token, kToken);
    EXPECT_EQ(seen.is_in_body, seen.place == "its body");
  }
}

// A token is a password to many an API, and may stand between quotes or other things.
TEST_F(UpstreamTest, FindsTheTokenInFurtherWritings) {
  upstream_.look_for("dev-token");
  const auto basic = [](const std::string& pair) {
    return transport::Headers{{"Authorization", "Basic " + wire::encode_base64(pair)}};
  };
  const transport::Headers form = {{"Content-Type", "application/x-www-form-urlencoded"}};
  EXPECT_EQ(visit("/", basic("x:" + std::string(kToken))).place, "its Authorization field");
  EXPECT_EQ(visit("/", basic("dev-token:x-oauth-basic")).token, "dev-token");
  EXPECT_EQ(visit("/", {{"authorization", "basic " + wire::encode_base64(":dev-token")}}).token,
            "dev-token");
  EXPECT_EQ(visit("/", {{"X-Keys", "{%22key%22:%22dev-token%22}"}}).token, "dev-token");
  EXPECT_EQ(visit("/", form, "keys=%22dev-token%22&x=1").token, "dev-token");
  EXPECT_EQ(visit("/", form, "q=see+dev-token+there").place, "its body");
  EXPECT_EQ(visit("/", basic("x:my-dev-token")).token, "");
  EXPECT_EQ(visit("/", {{"Authorization", "Basic dev%token"}}).token, "");
  EXPECT_EQ(visit("/", form, "keys=%22dev-token%2Fof-another%22").token, "");
}

// What contains a token is another one, and may be the server's own.
TEST_F(UpstreamTest, FindsNoTokenInALongerOne) {
  upstream_.look_for("dev-token");
  for (const char* other : {"dev-token-upstream", "my.dev-token", "dev-token=", "dev-token/2",
                            "x+dev-token", "xdev-token", "dev-token2 xdev-token"}) {
    EXPECT_EQ(visit("/", {{"Authorization", std::string("Bearer ") + other}}).token, "") << other;
  }
  EXPECT_EQ(visit("/v1?key=dev-token%2Fupstream", {}).token, "");
  EXPECT_EQ(visit("/v1?key=dev-token-2", {}).token, "");
  EXPECT_EQ(visit("/", {{"X-Auth", "dev-token-2, dev-token"}}).token, "dev-token");
  EXPECT_EQ(visit("/", {{"Cookie", "t=dev-token; u=1"}}).token, "dev-token");
  EXPECT_EQ(visit("/v1?key=dev-token&x=1", {}).token, "dev-token");
  EXPECT_EQ(visit("/v1?auth=Bearer%20dev-token", {}).token, "dev-token");
}

// A segment of the path is whole: "/" stands in tokens, and between segments.
TEST_F(UpstreamTest, FindsATokenThatIsASegmentOfThePath) {
  upstream_.look_for("dev-token");
  for (const char* target : {"/v1/dev-token/weather", "/dev-token", "/v1/dev-token?x=1",
                             "/v1/dev%2Dtoken/", "/v1/key=dev-token/weather"}) {
    const Upstream::Visit seen = visit(target, {});
    EXPECT_EQ(seen.token, "dev-token") << target;
    EXPECT_EQ(seen.place, "its URL") << target;
    EXPECT_FALSE(seen.is_about_tokens) << target;
  }
  EXPECT_EQ(visit("/v1/opaque%2Ftoken%2Bof%3Dalice/weather", {}).token, kToken);
  for (const char* other :
       {"/v1/dev-token%2Fupstream", "/v1/my-dev-token/weather", "/v1/dev-token-2"}) {
    EXPECT_EQ(visit(other, {}).token, "") << other;
  }
  EXPECT_TRUE(visit("/oauth/v1/access-tokens/dev-token", {}).is_about_tokens);
  EXPECT_TRUE(visit("/Sessions/dev-token?x=1", {}).is_about_tokens);
  EXPECT_TRUE(visit("/verify/dev-token", {}).is_about_tokens);
  upstream_.look_for("alice");
  EXPECT_EQ(visit("/users/alice/orders", {}).token, "");
}

std::string kept_of(const Upstream::Visit& seen) {
  std::string kept = seen.event->observation.http()->target;
  for (const auto& [name, value] : seen.event->observation.http()->headers) {
    kept += "\n" + name + ": " + value;
  }
  return kept + "\n" + std::string(seen.event->observation.bytes());
}

// Whatever is kept of a request shows a label in the token's place.
TEST_F(UpstreamTest, KeepsNoToken) {
  const std::string token = kToken;
  const std::string kept =
      kept_of(visit("/v1?key=opaque%2ftoken%2bof%3dalice&auth=Bearer%20" + token,
                    {{"Authorization", "Bearer " + token}, {"X-For", token}},
                    R"({"token":"opaque\/token+of=alice"})"));
  EXPECT_THAT(kept, Not(HasSubstr("alice")));
  EXPECT_THAT(kept, HasSubstr("/v1?key=token#1&auth=[masked] token#1\n"));
  EXPECT_THAT(kept, HasSubstr("Authorization: Bearer token#1"));
  EXPECT_THAT(kept, HasSubstr("X-For: token#1"));
  EXPECT_THAT(kept, HasSubstr("bytes, in which token#1 stands]"));
  EXPECT_THAT(kept_of(visit("/v1/opaque%2Ftoken%2Bof%3Dalice/weather", {})),
              HasSubstr("/v1/token#1/weather\n"));
}

// The target has a key of its own for the API, wherever it shows that.
TEST_F(UpstreamTest, KeepsNothingThatTheTargetComesBy) {
  const std::string kept = kept_of(
      visit("/v1/bot123456:R3al-KEY/R3alKEY9/weather?appid=R3al-KEY&R3al-KEY",
            {{"X-Auth-Key", "R3al-KEY"}, {"Authorization", "R3al-KEY"}, {"Accept", "text/plain"}},
            R"({"key":"R3al-KEY"})"));
  EXPECT_THAT(kept, Not(HasSubstr("R3al")));
  EXPECT_THAT(kept, HasSubstr("/v1/[masked]/[masked]/weather?appid=[masked]&[masked]\n"));
  EXPECT_THAT(kept, HasSubstr("X-Auth-Key: [masked]"));
  EXPECT_THAT(kept, HasSubstr("Accept: text/plain"));
  EXPECT_THAT(kept, HasSubstr("[18 bytes, in which no token of ours stands]"));
}

TEST_F(UpstreamTest, KnowsWhatAnAuthorizationServerIsAsked) {
  const std::string form = "application/x-www-form-urlencoded";
  EXPECT_TRUE(visit("/oauth", {{"Content-Type", form}},
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange")
                  .is_about_tokens);
  EXPECT_TRUE(visit("/check", {{"Content-Type", form}}, "hint=x&token=opaque").is_about_tokens);
  EXPECT_TRUE(visit("/v2/introspect?x=1", {}).is_about_tokens);
  EXPECT_TRUE(visit("/.well-known/openid-configuration", {}).is_about_tokens);
  EXPECT_TRUE(visit("/o/introspect/?x=1", {}).is_about_tokens);
  EXPECT_TRUE(visit("/check?hint=x&token=opaque", {}).is_about_tokens);
  EXPECT_TRUE(visit("/?Action=AssumeRoleWithWebIdentity&WebIdentityToken=x", {}).is_about_tokens);
  EXPECT_FALSE(visit("/search", {{"Content-Type", form}}, "mytoken=1").is_about_tokens);
  EXPECT_FALSE(visit("/search?mytoken=1&access_token=x", {}).is_about_tokens);
}

TEST_F(UpstreamTest, WaitsForWhatIsYetToCome) {
  EXPECT_FALSE(upstream_.await_more(0, std::chrono::milliseconds(1)));
  std::thread later([this] { visit("/later", {}); });
  EXPECT_TRUE(upstream_.await_more(0, std::chrono::seconds(10)));
  later.join();
  EXPECT_TRUE(upstream_.await_more(0, std::chrono::milliseconds(0)));
}

TEST_F(UpstreamTest, FindsTheTokenBehindMuchElse) {
  EXPECT_EQ(visit("/", {}, std::string(100'000, 'x') + " " + kToken).place, "its body");
  EXPECT_FALSE(upstream_.is_full());
}

}  // namespace
}  // namespace assay::harness
