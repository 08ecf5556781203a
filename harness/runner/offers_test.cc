#include "harness/runner/offers.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/vocabulary.h"
#include "harness/runner/runner_testing.h"
#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

// A server that declares these capabilities, and whose only list is that of its tools.
TargetAccess server_of(Json capabilities, Json tools, bool has_more = false) {
  return scripted_target(
      [tools = std::move(tools), has_more](const wire::Message& message, const auto& say) {
        if (!message.id()) return;
        if (message.method() == "tools/list" && !message.params().contains("cursor")) {
          Json result = {{"tools", tools}};
          if (has_more) result["nextCursor"] = "more";
          return say(wire::encode(wire::make_result(*message.id(), result)));
        }
        say(wire::encode(wire::make_error(message.id(), wire::kMethodNotFound, "unknown")));
      },
      std::move(capabilities));
}

Offers offers_of(const TargetAccess& access) {
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  EXPECT_FALSE(connection.open());
  connection.begin();
  return Offers(Survey::take(connection), connection);
}

const Json kPlainTool = {{"name", "plain"}, {"inputSchema", {{"type", "object"}}}};

TEST(Offers, NothingIsRuledOutOfAServerThatNobodyAsked) {
  for (const std::string_view need : catalogue::kNeeds) EXPECT_EQ(Offers().lack_of(need), "");
}

TEST(Offers, AServerOfOnePlainToolLacksWhatItDoesNotList) {
  const Offers offers =
      offers_of(server_of({{"tools", Json::object()}}, Json::array({kPlainTool})));
  EXPECT_EQ(offers.lack_of("output-schemas"), "no tool of the server has an outputSchema");
  for (const std::string_view need : {"prompts", "resources", "files", "header-annotations",
                                      "task-tools", "extensions", "subscriptions", "pages"}) {
    EXPECT_NE(offers.lack_of(need), "") << need;
  }
  // Over stdio there are none to be assigned, and users are another matter.
  EXPECT_EQ(offers.lack_of("sessions"), "");
  EXPECT_EQ(offers.lack_of("users"), "");
}

TEST(Offers, WhatIsListedIsOffered) {
  Json tool = kPlainTool;
  tool["outputSchema"] = {{"type", "object"}};
  tool["execution"] = {{"taskSupport", "optional"}};
  tool["inputSchema"]["properties"] = {{"a", {{"type", "string"}, {"x-mcp-header", "A"}}}};
  const Offers offers = offers_of(server_of(
      {{"tools", {{"listChanged", true}}}, {"extensions", Json::object()}}, Json::array({tool})));
  for (const std::string_view need :
       {"output-schemas", "task-tools", "header-annotations", "subscriptions", "extensions"}) {
    EXPECT_EQ(offers.lack_of(need), "") << need;
  }
}

// The rest of a list that broke off may hold anything.
TEST(Offers, AListThatWasNotReadToItsEndLacksNothing) {
  const Offers offers =
      offers_of(server_of({{"tools", Json::object()}}, Json::array({kPlainTool}), true));
  EXPECT_EQ(offers.lack_of("output-schemas"), "");
  EXPECT_EQ(offers.lack_of("pages"), "");
  EXPECT_NE(offers.lack_of("prompts"), "");
}

TEST(Offers, DecideWhatAppliesToARun) {
  CertifyOptions options;
  options.accesses = {server_of({{"tools", Json::object()}}, Json::array({kPlainTool}))};
  options.revisions = {model::Revision::v2025_11_25};
  options.patience = kShort;
  options.wants = [](std::string_view name) { return name == "none"; };
  CountingEvents recorder;
  const reports::Result result = certify(options, recorder);
  for (const std::string_view rule :
       {"tools.structured-content-conforms", "prompts.image-encoded", "tasks.id-unique",
        "completion.inputs-validated", "caching.public-awareness"}) {
    const auto* known = catalogue::find(rule);
    ASSERT_NE(known, nullptr) << rule;
    if (!known->holds_in(model::Revision::v2025_11_25)) continue;
    EXPECT_EQ(verdict_of(result, rule).outcome, reports::Outcome::kNotApplicable) << rule;
  }
  EXPECT_EQ(verdict_of(result, "elicitation.state-bound-to-user").detail,
            "over stdio the server has one user");
  EXPECT_EQ(verdict_of(result, "tools.inputs-validated").outcome, reports::Outcome::kNotExercised);
}

}  // namespace
}  // namespace assay::harness
