#include "harness/transcript/credential_mask.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(answer.bytes, "[too long to be kept: a credential may stand in it]");
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
