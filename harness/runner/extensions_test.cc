#include "harness/runner/extensions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/traffic_testing.h"
#include "harness/runner/verdicts.h"

namespace assay::harness {
namespace {

using model::Revision;
using testing::ElementsAre;
using testing::IsEmpty;

const Revision kBase = Revision::v2026_07_28;

const model::Extension& tasks() {
  return *model::find_extension("tasks");
}

Json request_with(const Json& capabilities) {
  return {{"_meta", {{"io.modelcontextprotocol/clientCapabilities", capabilities}}}};
}

const reports::Candidate* candidate(const std::vector<reports::Candidate>& all,
                                    std::string_view requirement) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const reports::Candidate& each) {
    return each.verdict.requirement == requirement;
  });
  return found == all.end() ? nullptr : &*found;
}

TEST(Extensions, AreDeclaredByServersOnceAndByClientsInEachRequest) {
  const Json server = {{"capabilities", tasks().capability()}};
  EXPECT_EQ(declared_by_server(kBase, server), model::set_of(tasks()));
  EXPECT_TRUE(declared_by_server(kBase, Json()).is_empty());
  EXPECT_EQ(declared_by_client(kBase, request_with(tasks().capability())), model::set_of(tasks()));
  EXPECT_TRUE(declared_by_client(kBase, request_with(Json::object())).is_empty());
  EXPECT_TRUE(declared_by_client(kBase, Json::object()).is_empty());
}

TEST(Extensions, AreDeclaredInTheHandshakeWhereThereIsOne) {
  const Revision oldest = Revision::v2024_11_05;
  const model::Extension& apps = *model::find_extension("apps");
  EXPECT_EQ(declared_by_server(oldest, {{"capabilities", apps.capability()}}), model::set_of(apps));
  EXPECT_EQ(declared_by_client(oldest, {{"capabilities", apps.capability()}}), model::set_of(apps));
  EXPECT_TRUE(declared_by_client(oldest, request_with(apps.capability())).is_empty());
}

TEST(Extensions, AreShownByTools) {
  const std::vector<Json> tools = {
      {{"name", "plain"}}, {{"name", "app"}, {"_meta", {{"ui", {{"resourceUri", "ui://a"}}}}}}};
  const auto apps = model::set_of(*model::find_extension("apps"));
  EXPECT_EQ(shown_by_tools(Revision::v2025_06_18, tools), apps);
  EXPECT_TRUE(shown_by_tools(kBase, std::span(tools).first(1)).is_empty());
  EXPECT_TRUE(shown_by_survey(kBase, Survey()).is_empty());
}

TEST(Extensions, AreShownByWhatServersSaid) {
  const Json tools = {{"tools", Json::array({{{"name", "app"},
                                              {"_meta", {{"ui", {{"resourceUri", "ui://a"}}}}}}})}};
  const auto apps = model::set_of(*model::find_extension("apps"));
  Traffic shown(Revision::v2025_06_18);
  shown.handshake().exchange("tools/list", nullptr, tools);
  EXPECT_EQ(shown_by_server(Revision::v2025_06_18, shown.transcript().events()), apps);
  // What a client says of tools shows nothing.
  Traffic asked(Revision::v2025_06_18);
  asked.handshake().exchange("tools/list", tools, Json::object());
  EXPECT_TRUE(shown_by_server(Revision::v2025_06_18, asked.transcript().events()).is_empty());
}

// Those of authorization are older than the statelessness.
TEST(Extensions, AreDeclaredByClientsInTheHandshake) {
  const model::Extension& own = *model::find_extension("oauth-client-credentials");
  const Revision older = Revision::v2025_11_25;
  EXPECT_EQ(declared_by_client(older, Json{{"capabilities", own.capability()}}),
            model::set_of(own));
  EXPECT_TRUE(declared_by_client(older, Json{{"capabilities", tasks().capability()}}).is_empty());
  EXPECT_TRUE(declared_by_client(older, request_with(own.capability())).is_empty());
}

TEST(Extensions, AreAskedForInTheRevisionsThatTheyExtend) {
  EXPECT_EQ(asked_for_in(kBase, {&tasks()}), model::set_of(tasks()));
  EXPECT_TRUE(asked_for_in(Revision::v2025_11_25, {&tasks()}).is_empty());
}

TEST(Extensions, AreReportedWithHowTheyCameToBeJudged) {
  const auto set = model::set_of(tasks());
  EXPECT_THAT(reported_extensions({}, set), IsEmpty());
  EXPECT_THAT(reported_extensions(set, set),
              ElementsAre(reports::JudgedExtension{tasks().identifier, tasks().version, true}));
  EXPECT_THAT(reported_extensions(set, {}),
              ElementsAre(reports::JudgedExtension{tasks().identifier, tasks().version, false}));
}

// What monitors say of an extension that the target does not declare is no verdict.
TEST(Extensions, HaveRulesThatApplyWhereTheyAreJudged) {
  const catalogue::RequirementId rule("ext-tasks.create-result-type");
  Judgements judgements;
  judgements.push_back(
      {Finding(rule, Finding::Kind::kBroke, "monitor", "it was broken"), "3 x", {}});
  const Json server = {{"capabilities", Json::object()}};
  VerdictInput input{kBase, TransportKind::kStdio, server, judgements, "", ""};
  const auto without = make_candidates(input);
  const reports::Candidate* unjudged = candidate(without, rule.text());
  ASSERT_NE(unjudged, nullptr);
  EXPECT_EQ(unjudged->verdict.outcome, reports::Outcome::kNotApplicable);
  EXPECT_EQ(unjudged->verdict.detail,
            "the server does not declare the extension io.modelcontextprotocol/tasks");
  input.extensions = model::set_of(tasks());
  const auto with = make_candidates(input);
  const reports::Candidate* judged = candidate(with, rule.text());
  ASSERT_NE(judged, nullptr);
  EXPECT_EQ(judged->verdict.outcome, reports::Outcome::kViolated);
  VerdictInput older{Revision::v2025_11_25, TransportKind::kStdio, server, judgements, "", ""};
  EXPECT_EQ(candidate(make_candidates(older), rule.text()), nullptr);
}

}  // namespace
}  // namespace assay::harness
