#include "reports/vault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/result_testing.h"
#include "reports/writer.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string redacted(const Vault& vault, std::string text) {
  vault.redact(text);
  return text;
}

TEST(Vault, HidesACredentialWithoutItsScheme) {
  Vault vault;
  vault.add_field("Authorization", "Bearer abcdefgh-1");
  EXPECT_EQ(redacted(vault, "no such token: abcdefgh-1"), "no such token: token#1");
  EXPECT_EQ(redacted(vault, "got 'Bearer abcdefgh-1'"), "got 'Bearer token#1'");
}

TEST(Vault, TellsEqualFromDifferent) {
  Vault vault;
  EXPECT_EQ(vault.mask_field("Authorization", "Bearer one"), "Bearer token#1");
  EXPECT_EQ(vault.mask_field("Authorization", "Bearer two"), "Bearer token#2");
  EXPECT_EQ(vault.mask_field("X-Api-Key", "one"), "token#1");
}

TEST(Vault, MasksEachValueOfACookie) {
  Vault vault;
  EXPECT_EQ(vault.mask_field("Cookie", "sid=a; theme=b; a"), "sid=token#1; theme=token#2; token#1");
  EXPECT_EQ(vault.mask_field("Set-Cookie", "sid=a; Path=/; HttpOnly"),
            "sid=token#1; Path=/; HttpOnly");
}

TEST(Vault, ShowsANameThatTheUserKnows) {
  Vault vault;
  vault.add("s3cret-value", "${TOKEN}");
  vault.add_field("Authorization", "Bearer s3cret-value");
  EXPECT_EQ(vault.mask_field("Authorization", "Bearer s3cret-value"), "Bearer ${TOKEN}");
}

TEST(Vault, HidesCredentialsOfAUrlByTheirNames) {
  Vault vault;
  vault.add_query("https://example.org/mcp?page=overview&access_token=abcdefgh&key=ijklmnop");
  EXPECT_EQ(
      redacted(vault, "https://example.org/mcp?page=overview&access_token=abcdefgh&key=ijklmnop"),
      "https://example.org/mcp?page=overview&access_token=token#1&key=token#2");
}

TEST(Vault, HidesAValueInEveryFormThatItTakes) {
  Vault vault;
  vault.add("p\"ss word/1");
  EXPECT_EQ(redacted(vault, R"(p"ss word/1 {"a":"p\"ss word/1"} ?a=p%22ss%20word%2F1)"),
            R"(token#1 {"a":"token#1"} ?a=token#1)");
}

// A server may send `X-Token: protocol`, and no report must lack that word for it.
TEST(Vault, DoesNotSearchForShortValuesOfAPeer) {
  Vault vault;
  EXPECT_EQ(vault.mask_field("X-Token", "protocolVersion"), "token#1");
  EXPECT_EQ(redacted(vault, "protocolVersion"), "protocolVersion");
  vault.mask_field("Set-Cookie", "sid=0123456789abcdef");
  EXPECT_EQ(redacted(vault, "sid 0123456789abcdef"), "sid token#2");
}

TEST(Vault, IsBounded) {
  Vault vault;
  for (int i = 0; i < 3000; ++i) vault.mask_field("Set-Cookie", "sid=value-" + std::to_string(i));
  EXPECT_EQ(vault.mask_field("Set-Cookie", "sid=value-0"), "sid=token#1");
  EXPECT_EQ(vault.mask_field("Set-Cookie", "sid=another"), "sid=[masked]");
  EXPECT_EQ(vault.mask_field("X-Secret", std::string(1u << 20, 'x')), "[masked]");
}

TEST(Vault, HidesPartsAtTheEndsOfAPiece) {
  Vault vault;
  vault.add("abcdefgh-ijklmnop");
  std::string first = "token: abcdefgh-";
  std::string second = "ijklmnop is wrong";
  vault.redact_piece(first);
  vault.redact_piece(second);
  EXPECT_EQ(first, "token: token#1");
  EXPECT_EQ(second, "token#1 is wrong");
}

TEST(Vault, HidesThePartsThatAreLeftWhereAQuotationWasCut) {
  Vault vault;
  vault.add("abcdefgh-ijklmnop");
  std::string text =
      "abcdefgh-i [cut: 7 more bytes]; abcdefgh [cut: 9 more bytes], abcdefgh-ijklmnop";
  vault.redact_quoted(text);
  EXPECT_EQ(text, "token#1 [cut: 7 more bytes]; token#1 [cut: 9 more bytes], token#1");
}

TEST(Vault, HidesTheEndOfAValueWhereLastWordsBegin) {
  Vault vault;
  vault.add("abcdefgh-ijklmnop");
  std::string text = "it exited with status 1; its last words: h-ijklmnop was refused";
  vault.redact_quoted(text);
  EXPECT_EQ(text, "it exited with status 1; its last words: token#1 was refused");
}

TEST(Vault, NoFormatShowsABareCredentialThatTheTargetQuotes) {
  const std::string bare = "kX7-bare-credential";
  Vault vault;
  vault.add_field("Authorization", "Bearer " + bare);
  Result result = testing::sample();
  result.target.name = "server of " + bare;
  result.target.url = "http://127.0.0.1/?t=" + bare;
  result.runs.back().reason = "HTTP 401: " + bare + "\nstderr ends with:\n-bare-credential";
  for (auto& run : result.runs) {
    for (Verdict& verdict : run.verdicts) {
      verdict.detail = "answered: " + bare + ", " + bare.substr(0, 12) + " [cut: 9 more bytes]";
      verdict.hint = bare;
      verdict.reproduce = "curl -H 'Authorization: Bearer " + bare + "'";
      for (Evidence& evidence : verdict.evidence) {
        evidence.text = R"({"error":")" + bare + R"("})";
        evidence.pointer = "/" + bare;
      }
    }
  }
  vault.redact(result);
  for (const Format& format : formats()) {
    EXPECT_THAT(format.render(result), Not(HasSubstr("bare-cred"))) << format.name;
    EXPECT_THAT(format.render(result), Not(HasSubstr("kX7-"))) << format.name;
  }
}

TEST(Vault, KnowsWhatALabelStandsFor) {
  Vault vault;
  const std::string label = vault.mask_field("credential", "undefined");
  EXPECT_NE(label, "undefined");
  EXPECT_EQ(vault.value_of(label), "undefined");
  EXPECT_EQ(vault.value_of("no label"), "no label");
}

}  // namespace
}  // namespace assay::reports
