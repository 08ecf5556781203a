// Servers that do what the text leaves open, each in a way that looks like a breach: nobody may
// accuse them.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "reference/server/faults/stateless_faults.h"
#include "reference/transport/header_value.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/sound_servers_testing.h"

namespace assay::scenarios {
namespace {

using server::Departure;
using server::FaultMemory;

constexpr std::string_view kAsking = "test_input_required_result_elicitation";

// A retry of the tool that asks.
bool is_of_asking_tool(Departure& d) {
  return d.answers("tools/call") && asked_params(d).value("name", "") == kAsking;
}

// Takes the state out of what arrives, for `redeem_once` to look at.
void keep_state(Json& request, FaultMemory& memory) {
  if (!server::has_meta(request) || request["params"].value("name", "") != kAsking) return;
  memory.of_connection["presented"] = server::member(request["params"], "requestState");
  request["params"].erase("requestState");
}

// Gives a state that serves once, and void all states that were given before one was used.
void redeem_once(Departure& d, FaultMemory& memory) {
  if (!is_of_asking_tool(d)) return;
  Json& used = memory.of_connection["used"];
  const int round = used.is_null() ? 0 : used.get<int>();
  Json& given = memory.of_connection["given"];
  given = given.is_null() ? 1 : given.get<int>() + 1;
  const std::string prefix = "round-" + std::to_string(round) + "-";
  if (server::is_input_required(d)) {
    d.result()["requestState"] = prefix + std::to_string(given.get<int>());
  } else if (d.is_result()) {
    const Json& presented = memory.of_connection["presented"];
    if (!presented.is_string() || !presented.get<std::string>().starts_with(prefix)) {
      server::become_error(d, wire::kInvalidParams, "This state has been used up");
    } else {
      used = round + 1;
    }
  }
}

TEST(SoundServer, MayLetAStateServeOnce) {
  const Fault behaviour = {.id = "state-serves-once",
                           .description = "",
                           .breaks = {},
                           .intake = keep_state,
                           .recollection = redeem_once};
  EXPECT_EQ(outcome_of(behaviour, model::Revision::v2026_07_28,
                       "mrtr_open_questions_are_told_apart", "stateless.explicit-state-id"),
            Outcome::kInconclusive);
}

// Is told the name once, and then knows it: it asks only in its first two calls.
void ask_twice_at_most(Departure& d, FaultMemory& memory) {
  if (!is_of_asking_tool(d) || !server::is_input_required(d)) return;
  Json& asked = memory.of_server["asked"];
  asked = asked.is_null() ? 1 : asked.get<int>() + 1;
  if (asked.get<int>() > 2) {
    server::become_result(d, {{"content", Json::array({{{"type", "text"}, {"text", "Hello"}}})}});
  }
}

TEST(SoundServer, NeedNotAskEachTime) {
  const Fault behaviour = {.id = "asks-twice-at-most",
                           .description = "",
                           .breaks = {},
                           .recollection = ask_twice_at_most};
  EXPECT_EQ(outcome_of(behaviour, model::Revision::v2026_07_28,
                       "mrtr_open_questions_are_told_apart", "stateless.explicit-state-id"),
            Outcome::kInconclusive);
}

bool is_refusal_of_state(Departure& d) {
  return d.is_error() && d.answers("tools/call") && asked_params(d).contains("requestState");
}

Outcome outcome_of_foreign_states(void (*departure)(Departure&)) {
  const Fault behaviour = {
      .id = "ways-with-states", .description = "", .breaks = {}, .departure = departure};
  return outcome_of(behaviour, model::Revision::v2026_07_28,
                    "mrtr_state_of_another_request_is_rejected", "mrtr.state-bound-to-request");
}

TEST(SoundServer, MayRefuseAStateInAResult) {
  EXPECT_EQ(outcome_of_foreign_states([](Departure& d) {
              if (!is_refusal_of_state(d)) return;
              server::become_result(
                  d, {{"content", Json::array({{{"type", "text"}, {"text", "Not your state"}}})},
                      {"isError", true}});
            }),
            Outcome::kSatisfied);
}

TEST(SoundServer, MayHaveNoUseForItsState) {
  EXPECT_EQ(outcome_of_foreign_states([](Departure& d) {
              if (!is_refusal_of_state(d)) return;
              server::become_result(
                  d, {{"content", Json::array({{{"type", "text"}, {"text", "Hello"}}})}});
            }),
            Outcome::kInconclusive);
}

TEST(SoundServer, MayTellOfPartsOfAResource) {
  const Fault behaviour = {
      .id = "tells-of-parts", .description = "", .breaks = {}, .departure = [](Departure& d) {
        if (!d.is_notification("notifications/resources/updated")) return;
        d.params()["uri"] = "part://of/the-watched-resource";
      }};
  EXPECT_EQ(outcome_of(behaviour, model::Revision::v2026_07_28, "subscriptions_tell_of_resources",
                       "subscriptions.only-requested"),
            Outcome::kSatisfied);
}

// Two workers take turns, each with a name of its own.
void log_by_turns(Departure& d, FaultMemory& memory) {
  if (!d.is_notification("notifications/message")) return;
  Json& turn = memory.of_server["turn"];
  turn = turn.is_null() ? 1 : turn.get<int>() + 1;
  d.params()["logger"] = "worker-" + std::to_string(turn.get<int>() % 2);
}

// Says something else each time, in another part of it.
void log_by_topic(Departure& d, FaultMemory& memory) {
  if (!d.is_notification("notifications/message")) return;
  Json& topic = memory.of_server["topic"];
  topic = topic.is_null() ? 1 : topic.get<int>() + 1;
  d.params()["logger"] = "part-" + std::to_string(topic.get<int>());
  d.params()["data"] = "news of part " + std::to_string(topic.get<int>());
}

TEST(SoundServer, MayLogWithSeveralLoggers) {
  const Fault by_turns = {
      .id = "logs-by-turns", .description = "", .breaks = {}, .recollection = log_by_turns};
  const Fault by_topic = {
      .id = "logs-by-topic", .description = "", .breaks = {}, .recollection = log_by_topic};
  constexpr std::string_view kRule = "logging.logger-names-consistent";
  for (const auto revision : {model::Revision::v2025_11_25, model::Revision::v2026_07_28}) {
    const std::string scenario = revision.has_handshake() ? "logging_names_its_loggers_alike"
                                                          : "stateless_loggers_are_named_alike";
    EXPECT_EQ(outcome_of(by_turns, revision, scenario, kRule), Outcome::kSatisfied);
    EXPECT_EQ(outcome_of(by_topic, revision, scenario, kRule), Outcome::kInconclusive);
  }
}

TEST(SoundServer, MayServePagesWithoutAnOrigin) {
  const Fault behaviour = {.id = "serves-null-origin",
                           .description = "",
                           .breaks = {},
                           .seen_over = server::SeenOver::kHttpOnly,
                           .mishears = [](const Json&, transport::HttpHead& head) {
                             std::erase(head.headers, transport::Header("Origin", "null"));
                           }};
  constexpr model::Revision kRevision = model::Revision::v2026_07_28;
  const ReferenceOverHttp reference(of_one_era(kRevision), ReferenceOverHttp::Answers::kAuto,
                                    {&behaviour});
  EXPECT_EQ(outcome_of(reference.http(), kRevision, "http_refuses_foreign_origins",
                       "http.origin-validated"),
            Outcome::kSatisfied);
}

constexpr std::string_view kSampling = "test_sampling";

// Asks its client, and answers the call at once, whatever the client may say.
TEST(SoundServer, NeedNotWaitForTheAnswerToItsQuestion) {
  const Fault behaviour = {
      .id = "answers-at-once",
      .description = "",
      .breaks = {},
      .departure =
          [](Departure& d) {
            const bool is_call =
                d.answers("tools/call") && asked_params(d).value("name", "") == kSampling;
            if (is_call) d.drop();
          },
      .arrival =
          [](server::Arrival& arrival) {
            const wire::Message& message = arrival.message();
            if (!arrival.is_request("tools/call") ||
                message.params().value("name", "") != kSampling) {
              return;
            }
            arrival.send(wire::make_result(*message.id(), {{"content", Json::array()}}));
          }};
  EXPECT_EQ(outcome_of(behaviour, model::Revision::v2025_11_25,
                       "client_that_does_not_answer_is_given_up", "lifecycle.request-timeout"),
            Outcome::kInconclusive);
}

// Is busy whenever a field is encoded: what it makes of encoded fields nobody has seen.
void refuse_encoded(const transport::HttpHead& head, std::string_view body,
                    transport::HttpReply& reply) {
  for (const auto& [name, value] : head.headers) {
    if (!name.starts_with("Mcp-Param-") || !transport::looks_encoded(value)) continue;
    const auto text = transport::decode_header_value(value);
    if (text && body.find(*text) != std::string_view::npos) {
      reply = {429, {}, "", nullptr};
    }
  }
}

TEST(SoundServer, ThatIsBusyShowsNothing) {
  const Fault behaviour = {.id = "busy",
                           .description = "",
                           .breaks = {},
                           .seen_over = server::SeenOver::kHttpOnly,
                           .reply = refuse_encoded};
  constexpr model::Revision kRevision = model::Revision::v2026_07_28;
  const ReferenceOverHttp reference(of_one_era(kRevision), ReferenceOverHttp::Answers::kAuto,
                                    {&behaviour});
  EXPECT_EQ(outcome_of(reference.http(), kRevision, "headers_of_parameters_are_checked",
                       "http.base64-decoded"),
            Outcome::kInconclusive);
}

// Sends the request once more under another id, about the task of another number.
void repeat_about_task(Departure& d, const std::string& copy, int task) {
  Json again = d.json();
  again["id"] = again["id"].dump() + copy;
  again["params"].erase("_meta");
  if (d.is_request("tasks/get")) {
    std::string id = again["params"]["taskId"];
    id.back() = static_cast<char>('0' + task);
    again["params"]["taskId"] = id;
  }
  d.after(again.dump());
}

Outcome verdict_on_polling(const Fault& behaviour) {
  return outcome_of(behaviour, model::Revision::v2025_11_25, "tasks_of_the_client_are_polled",
                    "tasks.poll-interval-respected");
}

TEST(SoundServer, MayPollSeveralTasksAtOnce) {
  const Fault behaviour = {
      .id = "three-tasks", .description = "", .breaks = {}, .departure = [](Departure& d) {
        const bool is_start = d.is_request("sampling/createMessage") && d.params().contains("task");
        if (!is_start && !d.is_request("tasks/get")) return;
        repeat_about_task(d, "-second", 2);
        repeat_about_task(d, "-third", 3);
      }};
  EXPECT_EQ(verdict_on_polling(behaviour), Outcome::kSatisfied);
}

// A timer that stood still fires for what it missed.
TEST(SoundServer, MayMakeUpForLooksAtATask) {
  const Fault behaviour = {.id = "late-looks",
                           .description = "",
                           .breaks = {},
                           .recollection = [](Departure& d, FaultMemory& memory) {
                             if (!d.is_request("tasks/get")) return;
                             Json& looks = memory.of_connection["looks"];
                             looks = looks.is_null() ? 1 : looks.get<int>() + 1;
                             if (looks != 2) return;
                             repeat_about_task(d, "-missed", 1);
                             repeat_about_task(d, "-missed-too", 1);
                           }};
  EXPECT_EQ(verdict_on_polling(behaviour), Outcome::kSatisfied);
}

// A caller who waits may have less time than a task has.
TEST(SoundServer, MayFailWhereOnlyATaskHasTime) {
  const Fault behaviour = {
      .id = "no-time-without-a-task",
      .description = "",
      .breaks = {},
      .departure = [](Departure& d) {
        if (!d.is_error_of("tools/call", -32021)) return;
        server::become_result(d, {{"content", Json::array()}, {"isError", true}});
      }};
  EXPECT_EQ(outcome_of(behaviour, model::Revision::v2026_07_28,
                       "ext_tasks_need_a_client_that_declares_them",
                       "ext-tasks.missing-capability-error"),
            Outcome::kInconclusive);
}

// What is unknown should be refused, and need not be: so need not be what is of another user.
TEST(SoundServer, MayAcknowledgeWhatItDoesNotDoForAnotherUser) {
  for (const char* id : {"task-update-unknown-acknowledged", "task-cancel-unknown-acknowledged"}) {
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto,
                                      {server::find_fault(id)}, "127.0.0.1", true);
    EXPECT_NE(outcome_of(reference.http_with(reference_tokens()), model::Revision::v2026_07_28,
                         "ext_tasks_are_kept_from_other_users", "ext-tasks.auth-bound"),
              Outcome::kNotExercised)
        << id;
  }
}

// No sentence says how an array is refused where batches were taken out.
TEST(SoundServer, MayAnswerAnArrayWithAnArray) {
  const Fault behaviour = {.id = "answers-arrays",
                           .description = "",
                           .breaks = {},
                           .inside = server::Switch::kAcceptsBatches};
  EXPECT_EQ(
      outcome_of(behaviour, model::Revision::v2025_11_25, "batching_is_gone", "schema.no-batches"),
      Outcome::kInconclusive);
}

// What one scenario makes of a server over HTTP whose replies are changed so.
Outcome outcome_over_http(void (*reply)(const transport::HttpHead&, std::string_view,
                                        transport::HttpReply&),
                          model::Revision revision, std::string scenario, std::string_view rule) {
  const Fault behaviour = {.id = "replies-otherwise",
                           .description = "",
                           .breaks = {},
                           .seen_over = server::SeenOver::kHttpOnly,
                           .reply = reply};
  const ReferenceOverHttp reference(of_one_era(revision), ReferenceOverHttp::Answers::kAuto,
                                    {&behaviour});
  return outcome_of(reference.http(), revision, std::move(scenario), rule);
}

TEST(SoundServer, WithoutGetNeedNotLookAtTheVersionOfOne) {
  const auto no_get = [](const transport::HttpHead& request, std::string_view,
                         transport::HttpReply& reply) {
    if (request.method == "GET") reply = {404, {}, "", nullptr};
  };
  EXPECT_EQ(
      outcome_over_http(no_get, model::Revision::v2025_11_25,
                        "http_refuses_wrong_protocol_versions", "http.version-header-invalid-400"),
      Outcome::kSatisfied);
}

TEST(SoundServer, MaySayThatAnEndedSessionHasEnded) {
  const auto ended = [](const transport::HttpHead& request, std::string_view,
                        transport::HttpReply& reply) {
    if (request.method == "DELETE" && reply.status == 404) reply = {200, {}, "", nullptr};
  };
  EXPECT_EQ(outcome_over_http(ended, model::Revision::v2025_11_25, "http_forgets_ended_sessions",
                              "http.session-terminated-404"),
            Outcome::kSatisfied);
}

// It may do so as soon as it has begun.
TEST(SoundServer, MayEndASessionBeforeTheClientSaysThatItIsInitialized) {
  const auto ends = [](const transport::HttpHead&, std::string_view body,
                       transport::HttpReply& reply) {
    if (body.find("\"method\":\"ping\"") == std::string_view::npos) return;
    reply = {404,
             {{"content-type", "application/json"}},
             R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No such session"}})",
             nullptr};
  };
  EXPECT_EQ(outcome_over_http(ends, model::Revision::v2025_11_25,
                              "lifecycle_server_waits_for_initialized", "ping.answered"),
            Outcome::kInconclusive);
}

// None is left that it does not list: there is nothing to ask for, and nothing to fall over.
TEST(SoundServer, MayListEveryVersionThatIsTried) {
  Fault behaviour{};
  behaviour.id = "lists-every-version";
  behaviour.departure = [](Departure& d) {
    if (!d.answers("server/discover") || !d.is_result()) return;
    Json versions = {"1900-01-01", "2999-12-31", "2026-07-28-assay", "2026-07"};
    for (const model::Revision each : model::Revision::all()) versions.push_back(each.text());
    d.result()["supportedVersions"] = versions;
  };
  EXPECT_EQ(
      outcome_of(behaviour, model::Revision::v2026_07_28, "stateless_other_versions_are_refused",
                 "versioning.unsupported-version-error"),
      Outcome::kNotExercised);
}

}  // namespace
}  // namespace assay::scenarios
