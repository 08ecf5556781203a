// The page on which a person agrees, or refuses.
#include <gtest/gtest.h>

#include <string>

#include "reference/authorization/server_testing.h"

namespace assay::authorization {
namespace {

using transport::HttpReply;
using wire::Form;

Knobs with_consent() {
  Knobs knobs;
  knobs.asks_for_consent = true;
  knobs.sent_issuer = kOrigin;
  return knobs;
}

std::string ticket_in(const std::string& page) {
  const std::string before = "name=\"ticket\" value=\"";
  const std::size_t begin = page.find(before) + before.size();
  return page.substr(begin, page.find('"', begin) - begin);
}

HttpReply decide(Visitor& visitor, const std::string& ticket, const std::string& decision) {
  return visitor.post("/consent", "application/x-www-form-urlencoded",
                      wire::write_form({{"ticket", ticket}, {"decision", decision}}));
}

Form response_in(const HttpReply& reply) {
  const std::string location(transport::find_header(reply.headers, "Location").value_or(""));
  return wire::read_form(wire::query_in(location));
}

TEST(AuthorizationConsent, IsAskedForOnAPageThatNobodyFrames) {
  Visitor visitor(with_consent());
  const HttpReply page = visitor.authorize(visitor.register_plainly());
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(transport::media_type(page.headers), "text/html");
  EXPECT_FALSE(transport::find_header(page.headers, "Location"));
  const auto policy = transport::find_header(page.headers, "Content-Security-Policy");
  ASSERT_TRUE(policy);
  EXPECT_NE(policy->find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_NE(page.body.find("<dd id=\"scope\">a b</dd>"), std::string::npos) << page.body;
  EXPECT_NE(page.body.find("<dd id=\"host\">localhost:3000</dd>"), std::string::npos) << page.body;
}

TEST(AuthorizationConsent, GivesACodeToWhomAPersonAgrees) {
  Visitor visitor(with_consent());
  const std::string id = visitor.register_plainly();
  const HttpReply reply = decide(visitor, ticket_in(visitor.authorize(id).body), "approve");
  EXPECT_EQ(reply.status, 303);
  const Form response = response_in(reply);
  EXPECT_EQ(wire::form_value(response, "state"), "state-1");
  EXPECT_EQ(wire::form_value(response, "iss"), kOrigin);
  const auto code = wire::form_value(response, "code");
  ASSERT_TRUE(code);
  const HttpReply tokens = visitor.ask_token({{"grant_type", "authorization_code"},
                                              {"code", *code},
                                              {"client_id", id},
                                              {"redirect_uri", kCallback},
                                              {"code_verifier", kVerifier}});
  EXPECT_EQ(tokens.status, 200) << tokens.body;
}

TEST(AuthorizationConsent, SendsAnErrorWhereAPersonRefuses) {
  Visitor visitor(with_consent());
  const HttpReply page = visitor.authorize(visitor.register_plainly());
  const Form response = response_in(decide(visitor, ticket_in(page.body), "deny"));
  EXPECT_EQ(wire::form_value(response, "error"), "access_denied");
  EXPECT_EQ(wire::form_value(response, "state"), "state-1");
  EXPECT_FALSE(wire::form_value(response, "code"));
}

TEST(AuthorizationConsent, IsGivenOnceAndByThePageAlone) {
  Visitor visitor(with_consent());
  const HttpReply page = visitor.authorize(visitor.register_plainly());
  const std::string ticket = ticket_in(page.body);
  EXPECT_EQ(decide(visitor, "made-up", "approve").status, 400);
  EXPECT_EQ(decide(visitor, ticket, "perhaps").status, 400);
  EXPECT_EQ(decide(visitor, ticket, "approve").status, 303);
  EXPECT_EQ(decide(visitor, ticket, "approve").status, 400);
  Visitor without((Knobs()));
  EXPECT_EQ(decide(without, ticket, "approve").status, 404);
}

// Whoever leaves pages without a decision keeps nobody else out.
TEST(AuthorizationConsent, ForgetsTheOldestPage) {
  Visitor visitor(with_consent());
  const std::string id = visitor.register_plainly();
  const std::string oldest = ticket_in(visitor.authorize(id).body);
  const std::string second = ticket_in(visitor.authorize(id).body);
  for (std::size_t i = 1; i < Server::kMost; ++i) EXPECT_EQ(visitor.authorize(id).status, 200);
  EXPECT_EQ(decide(visitor, oldest, "approve").status, 400);
  EXPECT_EQ(decide(visitor, second, "approve").status, 303);
}

TEST(AuthorizationConsent, ShowsNothingAsMarkup) {
  Visitor visitor(with_consent());
  const HttpReply page =
      visitor.authorize(visitor.register_plainly(), {{"scope", "<script>'\"&</script>"}});
  EXPECT_EQ(page.body.find("<script>"), std::string::npos);
  EXPECT_NE(page.body.find("&lt;script&gt;&#39;&quot;&amp;&lt;/script&gt;"), std::string::npos)
      << page.body;
}

}  // namespace
}  // namespace assay::authorization
