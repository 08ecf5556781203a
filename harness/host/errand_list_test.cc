#include "harness/host/errand_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/monitor.h"
#include "harness/runner/client_errand.h"
#include "harness/transcript/transcript.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using model::Revision;

EventPtr said(Party speaker, const Json& message) {
  transport::Observation observation;
  observation.kind = transport::Observation::Kind::kLine;
  observation.speaker = speaker;
  observation.bytes = message.dump();
  return std::make_shared<Event>(KeptObservation(observation));
}

EventPtr asked(std::string_view method, Json params = Json::object()) {
  return said(Party::kClient, wire::make_request(wire::Id::of(1), method, std::move(params)));
}

EventPtr called(std::string_view tool) {
  return asked("tools/call", {{"name", tool}, {"arguments", Json::object()}});
}

EventPtr initialized_with(const Json& capabilities) {
  return asked("initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", capabilities}});
}

ErrandList list_of(Revision revision) {
  return {{revision}, TransportKind::kStdio};
}

bool names(const ErrandList& list, std::string_view words) {
  const auto left = list.left();
  return std::any_of(left.begin(), left.end(), [&](const std::string& each) {
    return each.find(words) != std::string::npos;
  });
}

// Each rule of an errand has to be one that somebody can see kept by what passes.
TEST(ClientErrands, NameRulesThatMonitorsJudgeOfClients) {
  std::set<std::string_view> judged;
  for (const MonitorFactory factory : monitors()) {
    for (const auto& id : factory()->client_requirements()) judged.insert(id.text());
  }
  ASSERT_FALSE(client_errands().empty());
  for (const ClientErrand& errand : client_errands()) {
    EXPECT_FALSE(errand.requirements.empty()) << errand.words;
    for (const auto& id : errand.requirements) {
      EXPECT_TRUE(judged.contains(id.text())) << errand.words << ": " << id.text();
      const auto* rule = catalogue::find(id.text());
      const auto all = Revision::all();
      EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                              [&](Revision revision) {
                                return errand.holds_in(revision) && rule->binds_client_in(revision);
                              }))
          << errand.words << ": " << id.text();
    }
  }
}

TEST(ErrandList, LeavesOutWhatIsDone) {
  ErrandList list = list_of(Revision::v2025_11_25);
  ASSERT_TRUE(names(list, "test_slow"));
  // It is to be cancelled as well.
  list.note(*called("test_slow"));
  EXPECT_TRUE(names(list, "test_slow"));
  list.note(*said(Party::kClient,
                  wire::make_notification("notifications/cancelled", {{"requestId", 1}})));
  EXPECT_FALSE(names(list, "test_slow"));
  EXPECT_TRUE(names(list, "test_roots"));
  list.note(*called("test_roots"));
  EXPECT_FALSE(names(list, "test_roots"));
}

TEST(ErrandList, LeavesOutWhoseRulesHaveAllComeUp) {
  for (const Revision revision : Revision::all()) {
    ErrandList list = list_of(revision);
    std::set<std::string_view> rules;
    for (const ClientErrand& errand : client_errands()) {
      for (const auto& id : errand.requirements) rules.insert(id.text());
    }
    EXPECT_FALSE(list.left().empty()) << revision.text();
    list.note_exercised(rules);
    EXPECT_EQ(list.left(), std::vector<std::string>()) << revision.text();
  }
}

TEST(ErrandList, AsksNobodyForWhatHeDoesNotDeclare) {
  ErrandList list = list_of(Revision::v2025_11_25);
  EXPECT_TRUE(names(list, "test_roots"));
  list.note(*initialized_with({{"sampling", Json::object()}}));
  EXPECT_FALSE(names(list, "test_roots"));
  // Another application may come.
  list.note(*initialized_with({{"roots", Json::object()}}));
  EXPECT_TRUE(names(list, "test_roots"));
}

TEST(ErrandList, KeepsToTheRevisionsThatAreSpoken) {
  ErrandList list({Revision::v2025_11_25, Revision::v2026_07_28}, TransportKind::kHttp);
  EXPECT_TRUE(names(list, "test_roots"));
  EXPECT_TRUE(names(list, "test_custom_header_tool"));
  list.note(*said(Party::kServer,
                  wire::make_result(wire::Id::of(1), {{"protocolVersion", "2025-11-25"}})));
  EXPECT_TRUE(names(list, "test_roots"));
  EXPECT_FALSE(names(list, "test_custom_header_tool"));
}

TEST(ErrandList, IsNotTurnedByAProbeForARevisionThatIsNotHosted) {
  ErrandList list = list_of(Revision::v2025_11_25);
  const Json meta = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}};
  list.note(*asked("server/discover", {{"_meta", meta}}));
  EXPECT_TRUE(names(list, "test_roots"));
}

TEST(ErrandList, TakesWhatAPeerSaysForNothingElse) {
  ErrandList list = list_of(Revision::v2025_11_25);
  const auto before = list.left();
  list.note(*asked("tools/call", Json::array({1})));
  list.note(*asked("ping", {{"_meta", 5}}));
  list.note(*said(Party::kServer, wire::make_result(wire::Id::of(1), Json::array())));
  list.note(*said(Party::kServer, called("test_roots")->message()->params()));
  EXPECT_EQ(list.left(), before);
  list.note(*asked("initialize", {{"capabilities", Json::array()}, {"protocolVersion", 5}}));
  EXPECT_TRUE(names(list, "test_roots"));
}

}  // namespace
}  // namespace assay::harness
