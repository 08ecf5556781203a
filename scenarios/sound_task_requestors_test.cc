// Servers that follow a task of their client's as they may: slowly, or not at all once it is
// cancelled.
#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/sound_servers_testing.h"

namespace assay::scenarios {
namespace {

using server::Arrival;
using server::Departure;
using server::FaultMemory;

constexpr std::string_view kPolled = "tasks.polled-until-terminal";
constexpr std::string_view kDespiteNotifications = "tasks.polled-despite-notifications";
constexpr std::string_view kUnaided = "tasks.status-notification-not-relied-on";

Outcome outcome_for(const Fault& behaviour, std::string_view rule) {
  const bool is_told = rule == kDespiteNotifications;
  harness::Patience patience;
  patience.request = std::chrono::milliseconds(400);
  return outcome_of(behaviour, model::Revision::v2025_11_25,
                    is_told ? "tasks_of_the_client_are_polled_beside_notifications"
                            : "tasks_of_the_client_are_polled",
                    rule, patience);
}

TEST(SoundTaskRequestor, MayCancelItsTaskAndLookNoMore) {
  const Fault behaviour = {.id = "cancels-its-task",
                           .description = "",
                           .breaks = {},
                           .departure =
                               [](Departure& d) {
                                 if (!d.is_request("tasks/get")) return;
                                 d.after(wire::encode(wire::make_request(
                                     wire::Id::of_string("cancellation"), "tasks/cancel",
                                     {{"taskId", server::member(d.params(), "taskId")}})));
                               },
                           .inside = server::Switch::kStopsPollingClient};
  for (const std::string_view rule : {kPolled, kDespiteNotifications}) {
    EXPECT_EQ(outcome_for(behaviour, rule), Outcome::kSatisfied);
  }
}

TEST(SoundTaskRequestor, MayLookSeldomWhileItsCallIsOpen) {
  const Fault behaviour = {.id = "looks-seldom",
                           .description = "",
                           .breaks = {},
                           .recollection = [](Departure& d, FaultMemory& memory) {
                             if (!d.is_request("tasks/get")) return;
                             if (memory.of_connection.contains("looked")) d.drop();
                             memory.of_connection["looked"] = true;
                           }};
  for (const std::string_view rule : {kPolled, kDespiteNotifications}) {
    EXPECT_EQ(outcome_for(behaviour, rule), Outcome::kInconclusive);
  }
}

// Its own next look is a minute away, and a notification makes it look at once.
TEST(SoundTaskRequestor, MayLookAtOnceWhenItIsTold) {
  const Fault behaviour = {
      .id = "looks-when-told",
      .description = "",
      .breaks = {},
      .departure =
          [](Departure& d) {
            if (d.is_request("tasks/get") && d.json()["id"] != "early look") d.drop();
          },
      .arrival =
          [](Arrival& arrived) {
            const wire::Message& message = arrived.message();
            if (!arrived.is_notification() || message.method() != "notifications/tasks/status") {
              return;
            }
            arrived.send(
                wire::make_request(wire::Id::of_string("early look"), "tasks/get",
                                   {{"taskId", server::member(message.params(), "taskId")}}));
          }};
  EXPECT_EQ(outcome_for(behaviour, kUnaided), Outcome::kInconclusive);
}

}  // namespace
}  // namespace assay::scenarios
