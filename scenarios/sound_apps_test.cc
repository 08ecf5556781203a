// Servers whose tools have user interfaces in unusual ways, as they may.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "harness/runner/runner.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using reports::Outcome;
using server::Departure;
using server::Fault;
using server::FaultMemory;

constexpr std::string_view kDashboard = "ui://assay/dashboard";

// What is made of the apps of a server that behaves so; no rule may be violated.
std::map<std::string, Outcome> apps_with(void (*recollection)(Departure&, FaultMemory&),
                                         model::Revision revision) {
  const Fault behaviour = {
      .id = "sound", .description = "", .breaks = {}, .recollection = recollection};
  harness::CertifyOptions options;
  options.revisions = {revision};
  options.wants = [](std::string_view name) { return name.starts_with("ext_apps_"); };
  options.accesses = {reference_over_pipe({}, {&behaviour})};
  NoEvents events;
  std::map<std::string, Outcome> outcomes;
  const reports::Result result = harness::certify(options, events);
  for (const reports::Verdict& verdict : result.runs.at(0).verdicts) {
    EXPECT_NE(verdict.outcome, Outcome::kViolated) << verdict.requirement << ": " << verdict.detail;
    if (verdict.requirement.starts_with("ext-apps."))
      outcomes[verdict.requirement] = verdict.outcome;
  }
  return outcomes;
}

class SoundApps : public ::testing::TestWithParam<model::Revision> {
 protected:
  std::map<std::string, Outcome> of(void (*recollection)(Departure&, FaultMemory&)) {
    return apps_with(recollection, GetParam());
  }
};

template <typename Change>
void change_tools(Departure& d, Change change) {
  if (!d.is_result_of("tools/list")) return;
  for (Json& tool : d.result()["tools"]) {
    if (tool.contains("_meta")) change(tool["_meta"]);
  }
}
template <typename Change>
void change_page(Departure& d, Change change) {
  const bool is_it = d.is_result_of("resources/read") && server::asked_uri(d) == kDashboard;
  if (is_it) change(d.result()["contents"][0]);
}

// For hosts that read the older key alone.
void names_apps_twice(Departure& d, FaultMemory&) {
  change_tools(d, [](Json& meta) { meta["ui/resourceUri"] = meta["ui"]["resourceUri"]; });
}

void spells_otherwise(Departure& d, FaultMemory&) {
  change_page(d, [](Json& contents) {
    contents["uri"] = "ui://Assay/dashboard/";
    contents["mimeType"] = "text/html; charset=utf-8; profile=\"mcp-app\"";
    contents["text"] = "\xEF\xBB\xBF<!-- ours -->\n<!doctype HTML SYSTEM \"about:legacy-compat\">";
    contents["_meta"] = {{"ui", {{"csp", {{"connectDomains", Json::array()}, {"later", 1}}}}}};
  });
}

// Only tools lead to its user interfaces.
void lists_no_apps(Departure& d, FaultMemory&) {
  if (!d.is_result_of("resources/list")) return;
  std::erase_if(d.result()["resources"].get_ref<Json::array_t&>(), [](const Json& resource) {
    return resource["uri"].get_ref<const std::string&>().starts_with("ui://");
  });
}

// A page may call what no model may, and needs no words.
void answers_pages_in_data(Departure& d, FaultMemory&) {
  const bool is_it = d.is_result_of("tools/call") &&
                     server::string_member(server::asked_params(d), "name") == "test_app_refresh";
  if (!is_it) return;
  d.result().erase("structuredContent");
  d.result()["content"] = Json::array();
}

// Its tools are there for hosts that render them.
void keeps_others_out(Departure& d, FaultMemory& memory) {
  if (d.is_result_of("tools/list")) {
    change_tools(d, [&](const Json&) { memory.of_connection["host"] = true; });
    return;
  }
  const auto name = server::string_member(server::asked_params(d), "name").value_or("");
  if (!d.is_result_of("tools/call") || !name.starts_with("test_app_")) return;
  if (!memory.of_connection["host"].is_null()) return;
  server::become_error(d, wire::kInvalidParams, "Unknown tool: " + name);
}

void links_to_its_text(Departure& d, FaultMemory&) {
  const auto name = server::string_member(server::asked_params(d), "name").value_or("");
  if (!d.is_result_of("tools/call") || name != "test_app_chart") return;
  d.result().erase("structuredContent");
  d.result()["content"] = Json::array(
      {{{"type", "resource"}, {"resource", {{"uri", "test://static-text"}, {"text", "21.5"}}}}});
}

// The user interface goes, and with it what names it.
void goes_once_it_was_read(Departure& d, FaultMemory& memory) {
  if (server::asked_uri(d) == kDashboard && d.answers("resources/read")) {
    memory.of_server["gone"] = true;
    server::become_error(d, wire::kInvalidParams, "Resource not found");
  }
  if (!d.is_result_of("tools/list") || memory.of_server["gone"].is_null()) return;
  for (Json& tool : d.result()["tools"]) {
    if (tool.contains("_meta") && tool["_meta"]["ui"]["resourceUri"] == kDashboard) {
      tool.erase("_meta");
    }
  }
}

// What it needs for it is out of order for a while.
void fails_to_read(Departure& d, FaultMemory&) {
  if (server::asked_uri(d) != kDashboard || !d.answers("resources/read")) return;
  server::become_error(d, wire::kInternalError, "The template is being built");
}

TEST_P(SoundApps, MayBeNamedInBothKeys) {
  EXPECT_EQ(of(names_apps_twice).at("ext-apps.flat-resource-uri"), Outcome::kSatisfied);
}
TEST_P(SoundApps, MayBeSpeltOtherwise) {
  const auto outcomes = of(spells_otherwise);
  for (const char* rule : {"ext-apps.read-same-uri", "ext-apps.resource-media-type",
                           "ext-apps.valid-html", "ext-apps.schema"}) {
    EXPECT_EQ(outcomes.at(rule), Outcome::kSatisfied) << rule;
  }
}
TEST_P(SoundApps, MayBeListedByToolsAlone) {
  const auto outcomes = of(lists_no_apps);
  EXPECT_EQ(outcomes.at("ext-apps.declared-media-type"), Outcome::kNotExercised);
  EXPECT_EQ(outcomes.at("ext-apps.resource-exists"), Outcome::kSatisfied);
}
TEST_P(SoundApps, MayAnswerTheirPagesInData) {
  EXPECT_EQ(of(answers_pages_in_data).at("ext-apps.content-array"), Outcome::kSatisfied);
}
TEST_P(SoundApps, MayBeThereForHostsAlone) {
  EXPECT_EQ(of(keeps_others_out).at("ext-apps.text-fallback"), Outcome::kNotExercised);
}
TEST_P(SoundApps, MayAnswerInEmbeddedText) {
  EXPECT_EQ(of(links_to_its_text).at("ext-apps.text-fallback"), Outcome::kSatisfied);
}
TEST_P(SoundApps, MayGo) {
  EXPECT_EQ(of(goes_once_it_was_read).at("ext-apps.ui-scheme"), Outcome::kSatisfied);
}
TEST_P(SoundApps, MayBeOutOfOrder) {
  EXPECT_NE(of(fails_to_read).at("ext-apps.resource-exists"), Outcome::kViolated);
}

INSTANTIATE_TEST_SUITE_P(InBothEras, SoundApps,
                         ::testing::Values(model::Revision::v2025_11_25,
                                           model::Revision::v2026_07_28),
                         [](const auto& info) {
                           return info.param.is_stateless() ? "Stateless" : "Handshake";
                         });

}  // namespace
}  // namespace assay::scenarios
