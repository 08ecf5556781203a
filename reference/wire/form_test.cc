#include "reference/wire/form.h"

#include <gtest/gtest.h>

#include "reference/wire/pkce.h"

namespace assay::wire {
namespace {

TEST(Form, ReadsWhatItWrites) {
  const Form form = {{"resource", "http://localhost:1/mcp?a=b&c"}, {"scope", "a b"}, {"empty", ""}};
  EXPECT_EQ(write_form(form),
            "resource=http%3A%2F%2Flocalhost%3A1%2Fmcp%3Fa%3Db%26c&scope=a%20b&empty=");
  EXPECT_EQ(read_form(write_form(form)), form);
}

TEST(Form, TakesAPlusForABlank) {
  EXPECT_EQ(form_value(read_form("scope=a+b"), "scope"), "a b");
}

TEST(Form, LeavesBadEncodingAsItIs) {
  EXPECT_EQ(form_value(read_form("a=%G1%4"), "a"), "%G1%4");
}

TEST(Form, KeepsPairsWithoutValueAndTheFirstOfSeveral) {
  const Form form = read_form("&a&b=1&b=2&&");
  EXPECT_EQ(form, (Form{{"a", ""}, {"b", "1"}, {"b", "2"}}));
  EXPECT_EQ(form_value(form, "b"), "1");
  EXPECT_EQ(form_value(form, "c"), std::nullopt);
}

TEST(Form, ReadsNoMoreThanItsBound) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a=1&";
  EXPECT_EQ(read_form(text).size(), kMostFormFields);
}

TEST(Form, FindsPathAndQueryOfATarget) {
  EXPECT_EQ(path_in("/authorize?a=b#c"), "/authorize");
  EXPECT_EQ(query_in("/authorize?a=b#c"), "a=b");
  EXPECT_EQ(query_in("/authorize"), "");
  EXPECT_EQ(authority_in("/authorize?to=http://a/"), "");
}

TEST(Form, FindsThePartsOfATargetInAbsoluteForm) {
  EXPECT_EQ(path_in("http://localhost:80/mcp?a=b"), "/mcp");
  EXPECT_EQ(path_in("http://localhost?a=b"), "/");
  EXPECT_EQ(query_in("http://localhost:80/mcp?a=b"), "a=b");
  EXPECT_EQ(authority_in("HTTP://localhost:80/mcp"), "localhost:80");
  EXPECT_EQ(authority_in("localhost:80"), "");
}

// RFC 7636, appendix B.
TEST(Pkce, MakesTheChallengeOfTheRfc) {
  EXPECT_EQ(s256_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST(Pkce, KnowsAVerifier) {
  EXPECT_TRUE(is_code_verifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
  EXPECT_FALSE(is_code_verifier("too-short"));
  EXPECT_FALSE(is_code_verifier("dBjftJeZ4CVP/mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
}

}  // namespace
}  // namespace assay::wire
