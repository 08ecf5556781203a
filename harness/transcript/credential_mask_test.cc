#include "harness/transcript/credential_mask.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace assay::harness {
namespace {

using transport::Observation;

struct Kept : transport::Observer {
  void observe(const Observation& observation) override { all.push_back(observation); }
  std::vector<Observation> all;
};

struct Masked {
  Observation operator()(Observation::Kind kind, transport::Headers headers, std::string target,
                         std::string bytes) {
    Observation observation;
    observation.kind = kind;
    observation.lane = {transport::Lane::Kind::kHttp, 1};
    observation.http.emplace();
    observation.http->headers = std::move(headers);
    observation.http->target = std::move(target);
    observation.bytes = std::move(bytes);
    mask.observe(observation);
    return kept.all.back();
  }
  std::shared_ptr<reports::Vault> vault = std::make_shared<reports::Vault>();
  Kept kept;
  CredentialMask mask{kept, vault, 100};
};

constexpr std::size_t kMostBodyThatIsMasked = 256u << 10;
const transport::Headers kForm = {{"Content-Type", "application/x-www-form-urlencoded"}};
const transport::Headers kJson = {{"Content-Type", "application/json"}};

TEST(CredentialMask, HasTheSameLabelForTheSameValueInEachPlace) {
  Masked masked;
  const Observation redirect =
      masked(Observation::Kind::kHttpResponse,
             {{"Location", "http://localhost/callback?code=abcdefghijklmnopqrst&state=s"}}, "", "");
  EXPECT_EQ(redirect.http->headers[0].second, "http://localhost/callback?code=token#1&state=s");
  const Observation request =
      masked(Observation::Kind::kHttpRequest, kForm, "/token",
             "grant_type=authorization_code&code=%61bcdefghijklmnopqrst&code_verifier=xyz");
  EXPECT_EQ(request.bytes, "grant_type=authorization_code&code=token#1&code_verifier=token#2");
  const Observation answer = masked(Observation::Kind::kHttpBody, kJson, "",
                                    R"({"access_token":"0123456789abcdef0123","scope":"a"})");
  EXPECT_EQ(answer.bytes, R"({"access_token":"token#3","scope":"a"})");
  const Observation query =
      masked(Observation::Kind::kHttpRequest, {}, "/mcp?access_token=0123456789abcdef0123&a=b", "");
  EXPECT_EQ(query.http->target, "/mcp?access_token=token#3&a=b");
}

TEST(CredentialMask, LooksBehindEachMarkOfAUrl) {
  Masked masked;
  const Observation redirect =
      masked(Observation::Kind::kHttpResponse,
             {{"Location", "http://localhost/callback?state=x#access_token=abcdefghijklmnopqrst"}},
             "", "");
  EXPECT_EQ(redirect.http->headers[0].second,
            "http://localhost/callback?state=x#access_token=token#1");
}

TEST(CredentialMask, KeepsNoLongBodyThatRepeatsItsRedirect) {
  Masked masked;
  std::string body;
  for (int i = 0; i < 100'000; ++i) body += "?code=a";
  const Observation answer =
      masked(Observation::Kind::kHttpBody, {{"Location", "?code=a"}}, "", body);
  EXPECT_EQ(answer.bytes, "[too long to be kept: it may contain a credential]");
}

// Compared byte by byte at each place, each of these would take minutes.
TEST(CredentialMask, SearchesALongBodyForALongPlaceInTimeThatIsBounded) {
  Masked masked;
  const std::string body(16u << 20, 'a');
  transport::Headers headers;
  headers.emplace_back("Location", std::string(60'000, 'a') + "?code=x");
  EXPECT_EQ(masked(Observation::Kind::kHttpBody, headers, "", body).bytes.size(), body.size());
  headers[0].second = "?code=" + std::string(60'000, 'a');
  EXPECT_EQ(masked(Observation::Kind::kHttpBody, headers, "", body).bytes.size(), body.size());
  const std::string short_body(kMostBodyThatIsMasked, 'a');
  headers[0].second = std::string(60'000, 'a') + "&b?code=x";
  EXPECT_EQ(masked(Observation::Kind::kHttpBody, headers, "", short_body).bytes, short_body);
}

TEST(CredentialMask, SearchesALongBodyForOnePlaceOnly) {
  Masked masked;
  const std::string body(1u << 20, 'a');
  transport::Headers headers{{"Location", "?code=x"}};
  EXPECT_EQ(masked(Observation::Kind::kHttpBody, headers, "", body).bytes, body);
  headers.emplace_back("Location", "?code=y");
  EXPECT_EQ(masked(Observation::Kind::kHttpBody, headers, "", body).bytes,
            "[too long to be kept: it may contain a credential]");
}

TEST(CredentialMask, MasksAPlaceThatABodyRepeatsInHtml) {
  Masked masked;
  EXPECT_EQ(masked(Observation::Kind::kHttpBody, {{"Location", "/back?a=b&code=x"}}, "",
                   R"(<a href="/back?a=b&amp;code=x">/back?a=b&code=x</a>)")
                .bytes,
            R"(<a href="/back?a=b&amp;code=token#1">/back?a=b&code=token#1</a>)");
}

// To copy it, or to write it again, would take the stack away.
TEST(CredentialMask, KeepsNothingOfWhatIsNestedTooDeep) {
  Masked masked;
  const std::string deep =
      R"({"access_token":"0123456789abcdef0123","z":)" + std::string(100'000, '[');
  const Observation answer =
      masked(Observation::Kind::kHttpBody, kJson, "", deep + std::string(100'000, ']') + "}");
  EXPECT_EQ(answer.bytes, "[nested too deep to be kept]");
}

TEST(CredentialMask, LooksWhereAPageRefreshesTo) {
  const std::pair<const char*, const char*> fields[] = {
      {"0;url=http://localhost/callback?code=aB3_short&state=s",
       "0;url=http://localhost/callback?code=token#1&state=s"},
      {"5 ; URL = 'http://localhost/callback?code=aB3_short'",
       "5 ; URL = 'http://localhost/callback?code=token#1'"},
      {"0, /go?to_url=x#access_token=aB3_short", "0, /go?to_url=x#access_token=token#1"},
      {"0;url=\"/url?code=aB3_short\"", "0;url=\"/url?code=token#1\""},
      {"0;url=/callback?state=s", "0;url=/callback?state=s"},
      {"10", "10"},
      {"0;url=\"", "0;url=\""},
      {"", ""}};
  for (const auto& [bare, shown] : fields) {
    Masked masked;
    const Observation head = masked(Observation::Kind::kHttpResponse, {{"Refresh", bare}}, "", "");
    EXPECT_EQ(head.http->headers[0].second, shown);
  }
}

TEST(CredentialMask, MasksThePlaceInThePageThatRefreshesToIt) {
  Masked masked;
  const Observation page = masked(
      Observation::Kind::kHttpBody, {{"refresh", "0;url=http://localhost/?state=s&code=aB3_short"}},
      "",
      "<meta http-equiv=refresh content=\"0;url=http://localhost/?state=s&amp;code=aB3_short\">");
  EXPECT_EQ(
      page.bytes,
      "<meta http-equiv=refresh content=\"0;url=http://localhost/?state=s&amp;code=token#1\">");
}

Observation observation_of(Observation::Kind kind, transport::HttpHead head = {},
                           std::string bytes = "") {
  Observation observation;
  observation.kind = kind;
  observation.lane = {transport::Lane::Kind::kHttp, 1};
  observation.http = std::move(head);
  observation.bytes = std::move(bytes);
  return observation;
}

// Whether a body of that type is hidden that answers such a request.
bool is_hidden(transport::HttpHead request, const std::string& sent, const std::string& type,
               int status = 200, const std::string& body = "<p>Hello") {
  using Kind = Observation::Kind;
  CodePages pages;
  EXPECT_FALSE(pages.hides(observation_of(Kind::kHttpRequest, std::move(request), sent)));
  transport::HttpHead answer{"", "", status, {}};
  if (!type.empty()) answer.headers = {{"Content-Type", type}};
  EXPECT_FALSE(pages.hides(observation_of(Kind::kHttpResponse, answer)));
  const bool hides = pages.hides(observation_of(Kind::kHttpBody, answer, body));
  EXPECT_FALSE(pages.hides(observation_of(Kind::kClosed)));
  EXPECT_FALSE(pages.hides(observation_of(Kind::kHttpBody, answer, body)));
  return hides;
}

TEST(CodePages, AreThoseThatAnswerAuthorizationRequests) {
  const transport::HttpHead request{"GET", "/authorize?response_type=code&client_id=a", 0, {}};
  EXPECT_TRUE(is_hidden(request, "", "text/html; charset=utf-8"));
  EXPECT_TRUE(is_hidden(request, "", "text/html", 400));
  EXPECT_TRUE(is_hidden(request, "", ""));
  EXPECT_TRUE(is_hidden({"GET", "/go?client_id=a&request_uri=urn%3Aa", 0, {}}, "", "text/html"));
  EXPECT_TRUE(is_hidden({"POST", "/authorize", 0, kForm}, "response_type=code", "text/html"));
  EXPECT_FALSE(is_hidden(request, "", "application/json"));
  EXPECT_FALSE(is_hidden(request, "", "text/plain", 400));
  EXPECT_FALSE(is_hidden(request, "", "text/html", 200, ""));
  EXPECT_FALSE(is_hidden({"GET", "/mcp?tenant=1", 0, {}}, "", "text/html"));
  EXPECT_FALSE(is_hidden({"POST", "/mcp", 0, {}}, R"({"a":"&response_type=x"})", "text/html"));
}

TEST(CredentialMask, KeepsOfAPageWithACodeItsLengthOnly) {
  Masked masked;
  masked(Observation::Kind::kHttpRequest, {}, "/authorize?response_type=code", "");
  const Observation page = masked(Observation::Kind::kHttpBody, {{"Content-Type", "text/html"}}, "",
                                  R"(<input name="code" value="aB3_short">)");
  EXPECT_EQ(page.bytes, "[a page of 37 bytes, not kept: it may contain a code]");
}

TEST(CredentialMask, HasTheVaultHideThemEverywhere) {
  Masked masked;
  masked(Observation::Kind::kHttpBody, kJson, "", R"({"client_secret":"0123456789abcdef0123"})");
  std::string text = "the secret is 0123456789abcdef0123.";
  masked.vault->redact(text);
  EXPECT_EQ(text, "the secret is token#1.");
}

// It would be found in every other word.
TEST(CredentialMask, HidesAShortOneOnlyWhereItStands) {
  Masked masked;
  masked(Observation::Kind::kHttpRequest, kForm, "/token", "code=a");
  std::string text = "a word";
  masked.vault->redact(text);
  EXPECT_EQ(text, "a word");
}

TEST(CredentialMask, LeavesMessagesOfTheProtocolAlone) {
  Masked masked;
  const std::string message =
      R"({"jsonrpc":"2.0","id":1,"result":{"code":"x"},"access_token":"0123456789abcdef0123"})";
  EXPECT_EQ(masked(Observation::Kind::kHttpBody, kJson, "", message).bytes, message);
}

TEST(CredentialMask, NumbersLanesFromItsOwnOn) {
  Masked masked;
  EXPECT_EQ(masked(Observation::Kind::kHttpRequest, {}, "/", "").lane.number, 101u);
}

}  // namespace
}  // namespace assay::harness
