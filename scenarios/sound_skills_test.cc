// Servers whose skills go, change and ask while they are looked at: none of that is a breach.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "harness/runner/runner.h"
#include "harness/script/skill_entry.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using reports::Outcome;
using server::Departure;
using server::Fault;
using server::FaultMemory;

constexpr std::string_view kRefunds = "skill://acme/billing/refunds/SKILL.md";

// What the scenarios about skills make of a server that behaves so; none may say violated.
std::map<std::string, Outcome> outcomes_with(void (*recollection)(Departure&, FaultMemory&)) {
  const Fault behaviour = {
      .id = "sound", .description = "", .breaks = {}, .recollection = recollection};
  server::Options server;
  server.revisions.clear();
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2026_07_28};
  options.wants = [](std::string_view name) { return name.starts_with("ext_skills_"); };
  options.accesses = {reference_over_pipe(server, {&behaviour})};
  NoEvents events;
  std::map<std::string, Outcome> outcomes;
  const reports::Result result = harness::certify(options, events);
  for (const reports::Verdict& verdict : result.runs.at(0).verdicts) {
    if (!verdict.requirement.starts_with("ext-skills.")) continue;
    EXPECT_NE(verdict.outcome, Outcome::kViolated) << verdict.requirement << ": " << verdict.detail;
    outcomes[verdict.requirement] = verdict.outcome;
  }
  return outcomes;
}

template <typename Change>
void change_refunds(Departure& d, Change change) {
  if (d.is_result_of("skills/list")) {
    for (Json& entry : d.result()["skills"]) {
      if (entry["uri"] == kRefunds) change(entry);
    }
  } else if (d.is_result_of("skills/get") && server::asked_uri(d) == kRefunds) {
    change(d.result()["skill"]);
  }
}

// It is listed until somebody asks for it.
void goes_when_it_is_asked_for(Departure& d, FaultMemory& memory) {
  if (d.answers("skills/get") && server::asked_uri(d) == kRefunds) {
    memory.of_server["gone"] = true;
    server::become_error(d, wire::kInvalidParams, "There is no skill at this URI any more");
  }
  if (!d.is_result_of("skills/list") || memory.of_server["gone"].is_null()) return;
  Json kept = Json::array();
  for (const Json& entry : d.result()["skills"]) {
    if (entry["uri"] != kRefunds) kept.push_back(entry);
  }
  d.result()["skills"] = kept;
}

std::string text_of(int version) {
  return "---\nname: refunds\ndescription: Process the refund that a customer asks for\n"
         "license: Apache-2.0\n---\n" +
         std::string(static_cast<std::size_t>(version), '.');
}

// Each read is of a newer file than the entry before it was.
void changes_before_each_read(Departure& d, FaultMemory& memory) {
  Json& version = memory.of_server["version"];
  if (version.is_null()) version = 0;
  change_refunds(d, [&](Json& entry) {
    const std::string text = text_of(version.get<int>());
    entry["resources"][0]["digest"] = harness::digest_of(text);
    entry["resources"][0]["size"] = text.size();
  });
  if (!d.is_result_of("resources/read") || server::asked_uri(d) != kRefunds) return;
  version = version.get<int>() + 1;
  d.result()["contents"][0]["text"] = text_of(version.get<int>());
}

// A file is read when the user has agreed, each time.
void asks_before_each_read(Departure& d, FaultMemory& memory) {
  if (!d.answers("resources/read") || server::asked_uri(d) != kRefunds) return;
  Json& kept = memory.of_server["kept"];
  if (d.is_result()) {
    kept = d.result();
    server::become_result(d, {{"resultType", "input_required"}, {"requestState", "asked"}});
  } else if (server::member(server::asked_params(d), "requestState") == "asked") {
    server::become_result(d, kept);
  }
}

TEST(SoundSkills, MayGo) {
  EXPECT_EQ(outcomes_with(goes_when_it_is_asked_for).at("ext-skills.methods-implemented"),
            Outcome::kSatisfied);
}

TEST(SoundSkills, MayChangeWhileTheyAreRead) {
  const auto outcomes = outcomes_with(changes_before_each_read);
  EXPECT_EQ(outcomes.at("ext-skills.frontmatter-verbatim"), Outcome::kSatisfied);
}

TEST(SoundSkills, MayAskBeforeTheyAreRead) {
  EXPECT_EQ(outcomes_with(asks_before_each_read).at("ext-skills.skill-file-present"),
            Outcome::kSatisfied);
}

}  // namespace
}  // namespace assay::scenarios
