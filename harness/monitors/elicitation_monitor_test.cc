// What the monitor of elicitations lets pass on hand-made transcripts, and what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/traffic_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

Json by_url(const char* url) {
  return {{"mode", "url"}, {"message", "Please"}, {"url", url}, {"elicitationId", "e"}};
}

TEST(ElicitationMonitor, LetsFormsAndUrlsPass) {
  Traffic traffic;
  traffic.handshake(Json::object(), {{"elicitation", {{"url", Json::object()}}}});
  traffic.asked("elicitation/create", by_url("https://example.com/e"));
  traffic.notified("notifications/elicitation/complete", {{"elicitationId", "e"}});
  traffic.asked("elicitation/create",
                {{"message", "Who?"},
                 {"requestedSchema",
                  {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}}}});
  EXPECT_THAT(traffic.broken("elicitation_monitor"), IsEmpty());
  EXPECT_THAT(traffic.held("elicitation_monitor"),
              IsSupersetOf(Rules{"elicitation.completion-to-initiator",
                                 "elicitation.form-parameters", "elicitation.url-is-https"}));
}

TEST(ElicitationMonitor, SeesSecretsInFormsAndUrlsThatAreUnsafe) {
  Traffic traffic;
  traffic.handshake();
  traffic.asked("elicitation/create", by_url("http://ada:secret@example.com/"));
  traffic.notified("notifications/elicitation/complete", {{"elicitationId", "another"}});
  traffic.asked("elicitation/create",
                {{"message", "Who?"},
                 {"requestedSchema",
                  {{"type", "object"}, {"properties", {{"api_key", {{"type", "string"}}}}}}}});
  EXPECT_THAT(
      traffic.broken("elicitation_monitor"),
      IsSupersetOf(Rules{"elicitation.url-is-https", "elicitation.url-without-personal-data",
                         "elicitation.completion-names-elicitation",
                         "elicitation.no-sensitive-information"}));
}

// The rules of elicitations by URL that one to this URL breaks, once our side has given an address.
Rules broken_by_url(const char* url) {
  Traffic traffic;
  traffic.handshake();
  traffic.exchange("tools/call", {{"name", "a"}, {"arguments", {{"mail", "ada@example.com"}}}},
                   {{"content", Json::array()}});
  traffic.asked("elicitation/create", by_url(url));
  return traffic.broken("elicitation_monitor");
}

TEST(ElicitationMonitor, ReadsUrlsToTheEndOfTheirHosts) {
  EXPECT_THAT(broken_by_url("http://localhost:8080/e"), IsEmpty());
  EXPECT_THAT(broken_by_url("http://127.0.0.1/e"), IsEmpty());
  EXPECT_EQ(broken_by_url("http://localhost.example.com/e"), Rules{"elicitation.url-is-https"});
  EXPECT_EQ(broken_by_url("ftp://example.com/e"), Rules{"elicitation.url-is-https"});
  EXPECT_EQ(broken_by_url("https://example.com/e?user=ada@example.com"),
            Rules{"elicitation.url-without-personal-data"});
}

TEST(ElicitationMonitor, KnowsFieldsThatAreNamedAfterASecret) {
  const auto broken_by_field = [](const char* name, const Json& description) {
    Traffic traffic(Revision::v2025_06_18);
    traffic.handshake();
    traffic.asked(
        "elicitation/create",
        {{"message", "Who?"},
         {"requestedSchema", {{"type", "object"}, {"properties", {{name, description}}}}}});
    return traffic.broken("elicitation_monitor");
  };
  const Json text = {{"type", "string"}};
  EXPECT_EQ(broken_by_field("database_password", text),
            Rules{"elicitation.no-sensitive-information"});
  EXPECT_THAT(broken_by_field("forgot_password", {{"type", "boolean"}}), IsEmpty());
  EXPECT_THAT(broken_by_field("password_hint_shown", text), IsEmpty());
  // How to pay, and what to reset: neither takes a secret.
  EXPECT_THAT(broken_by_field("credit_card", {{"type", "boolean"}}), IsEmpty());
  EXPECT_THAT(broken_by_field("password", {{"type", "string"}, {"enum", {"keep", "reset"}}}),
              IsEmpty());
}

TEST(ElicitationMonitor, TellsLinksFromTextsThatSpeakOfThem) {
  const auto is_link = [](const char* key, const char* text) {
    const Json field = {{"type", "string"}, {key, text}};
    Traffic traffic;
    traffic.handshake();
    traffic.asked("elicitation/create",
                  {{"message", "Where?"},
                   {"requestedSchema", {{"type", "object"}, {"properties", {{"base", field}}}}}});
    return traffic.broken("elicitation_monitor").contains("elicitation.form-without-links");
  };
  EXPECT_TRUE(is_link("title", "https://example.com/pay"));
  EXPECT_FALSE(is_link("description", "https:// and http:// addresses are taken"));
  EXPECT_FALSE(is_link("description", "https://"));
  EXPECT_FALSE(is_link("default", "https://gitlab.example"));  // for the user to change
}

// A parameter may be called what it likes; what our side gave is known again.
TEST(ElicitationMonitor, JudgesUrlsByTheirUserAndByWhatWeGave) {
  const auto is_broken = [](const char* url, bool is_given) {
    Traffic traffic;
    traffic.handshake();
    if (is_given) traffic.asks("tools/call", {{"arguments", {{"to", "ada@example.com"}}}});
    traffic.asked("elicitation/create", by_url(url));
    return traffic.broken("elicitation_monitor").contains("elicitation.url-without-personal-data");
  };
  EXPECT_TRUE(is_broken("https://ada:secret@example.com/", false));
  EXPECT_TRUE(is_broken("https://example.com/?to=ada@example.com", true));
  EXPECT_TRUE(is_broken("https://example.com/for/ada%40example.com", true));
  EXPECT_FALSE(is_broken("https://example.com/?to=ada@example.com", false));
  EXPECT_FALSE(is_broken("https://example.com/reset?password=forgotten&pwd=1", true));
  EXPECT_FALSE(is_broken("https://example.com/@team?from=a@b", true));
}

// Over HTTP it may be the elicitation of another client that was announced to this one.
TEST(ElicitationMonitor, SeesTheEndOfAnElicitationThatThisClientNeverHad) {
  Traffic traffic(model::Revision::v2025_11_25, TransportKind::kHttp);
  traffic.handshake();
  traffic.notified("notifications/elicitation/complete", {{"elicitationId", "another"}});
  EXPECT_EQ(traffic.broken("elicitation_monitor"), Rules{"elicitation.completion-to-initiator"});
}

TEST(ElicitationMonitor, KnowsThatASecretIsAskedForByUrl) {
  Traffic traffic;
  traffic.handshake();
  Json question = by_url("https://example.com/e");
  question["message"] = "Please enter your API key on this page";
  traffic.asked("elicitation/create", question);
  EXPECT_THAT(traffic.held("elicitation_monitor"),
              Contains("elicitation.sensitive-information-by-url"));
}

TEST(ElicitationMonitor, KnowsWhatNoElicitationCanBeNeededFor) {
  const char* const error =
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"Visit","data":{"elicitations":)"
      R"([{"mode":"url","message":"Please","url":"https://example.com/","elicitationId":"e"}]}}})";
  Traffic tool_call;
  tool_call.sent(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}})");
  tool_call.came(error);
  EXPECT_THAT(tool_call.broken("elicitation_monitor"), IsEmpty());
  EXPECT_THAT(tool_call.held("elicitation_monitor"),
              Contains("elicitation.required-error-only-then"));
  for (const char* method : {"ping", "assay/unknown"}) {
    Traffic traffic;
    traffic.sent(wire::encode(wire::make_request(wire::Id::of(1), method)));
    traffic.came(error);
    EXPECT_EQ(traffic.broken("elicitation_monitor"), Rules{"elicitation.required-error-only-then"})
        << method;
  }
  const char* const other = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"No"}})";
  Traffic unknown;
  unknown.sent(R"({"jsonrpc":"2.0","id":1,"method":"assay/unknown"})").came(other);
  EXPECT_EQ(unknown.held("elicitation_monitor"), Rules{"elicitation.required-error-only-then"});
  Traffic refused_call;
  refused_call.sent(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}})");
  refused_call.came(other);
  EXPECT_THAT(refused_call.held("elicitation_monitor"), IsEmpty());
}

}  // namespace
}  // namespace assay::harness
