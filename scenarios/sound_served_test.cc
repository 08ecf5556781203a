// Servers that declare a capability, serve it, and cannot give just now what is asked for.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "scenarios/sound_servers_testing.h"

namespace assay::scenarios {
namespace {

using server::Departure;
using server::Literal;

constexpr std::string_view kServedScenario = "capabilities_declared_are_served";
constexpr std::string_view kServedRule = "lifecycle.declared-capabilities-served";

Outcome outcome_of_served(void (*departure)(Departure&), const char* id) {
  const Fault behaviour = {.id = id, .description = "", .breaks = {}, .departure = departure};
  return outcome_of(behaviour, model::Revision::v2025_11_25, std::string(kServedScenario),
                    kServedRule);
}

template <Literal kMethod, std::int64_t kCode, Literal kWords>
void refuses(Departure& d) {
  if (d.answers(kMethod.text())) server::become_error(d, kCode, kWords.text());
}

TEST(SoundServer, MayListItsToolsToThoseAloneWhoHaveAKey) {
  EXPECT_EQ(outcome_of_served(refuses<"tools/list", wire::kInternalError, "The API key is not set">,
                              "lists-with-a-key"),
            Outcome::kSatisfied);
}

TEST(SoundServer, MayHaveLostWhatItListsFromForNow) {
  EXPECT_EQ(
      outcome_of_served(
          refuses<"resources/list", wire::kInternalError, "connect ECONNREFUSED 127.0.0.1:5432">,
          "lists-from-a-database"),
      Outcome::kSatisfied);
}

TEST(SoundServer, MayFailToReadEverythingInWordsOfItsOwn) {
  EXPECT_EQ(outcome_of_served(
                [](Departure& d) {
                  if (!d.answers("resources/read") || !d.is_result()) return;
                  server::become_error(d, wire::kInternalError, "The disk is gone");
                },
                "reads-nothing-now"),
            Outcome::kSatisfied);
}

TEST(SoundServer, MayFindWhatItListsGone) {
  EXPECT_EQ(
      outcome_of_served(refuses<"resources/read", wire::kResourceNotFound, "No such resource">,
                        "lists-what-is-gone"),
      Outcome::kSatisfied);
}

// As memory-bank servers from npm do before they are set up: whatever is asked for.
TEST(SoundServer, MayHaveNothingToReadBeforeItIsSetUp) {
  EXPECT_EQ(outcome_of_served(refuses<"resources/read", wire::kInvalidRequest,
                                      "Memory bank not found. Use initialize to create one.">,
                              "reads-after-setup"),
            Outcome::kSatisfied);
}

}  // namespace
}  // namespace assay::scenarios
