// Clients with habits of their own: several walks at a time, users who edit, limits, and requests
// that cross answers. No scenario may blame them; and next to each is what it does blame.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/http_traffic_testing.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "scenarios/sound_clients_testing.h"

namespace assay::scenarios {
namespace {

using harness::Finding;
using harness::HttpExchange;
using harness::Traffic;
using model::Revision;

using RuleSet = std::set<std::string>;
constexpr Revision kNewest = Revision::v2026_07_28;
constexpr Revision kHandshake = Revision::v2025_11_25;
const RuleSet kNone;

// --- Users of forms ---

const Json& first_form() {
  static const Json kContent = {
      {"name", "John Doe"}, {"age", 30}, {"score", 95.5}, {"status", "active"}, {"verified", true}};
  return kContent;
}
const Json& second_form() {
  static const Json kContent = {
      {"agrees", true}, {"building", "tower"}, {"city", "Paris"}, {"distance", 2.5}, {"floors", 7}};
  return kContent;
}
Json without(Json content, const std::set<std::string>& names) {
  for (const std::string& name : names) content.erase(name);
  return content;
}

using FilledForms = std::vector<std::pair<const char*, Json>>;  // by the id of the question
RuleSet told_of_filled(const FilledForms& forms, Finding::Kind kind) {
  Traffic traffic(kHandshake);
  traffic.handshake(Json::object(), {{"elicitation", Json::object()}});
  for (const auto& [id, content] : forms) {
    traffic.came(wire::encode(
        wire::make_request(wire::Id::of_string(id), "elicitation/create", Json::object())));
    traffic.sent(wire::encode(
        wire::make_result(wire::Id::of_string(id), {{"action", "accept"}, {"content", content}})));
  }
  RuleSet rules = told("elicitation-sep1034-client-defaults", kHandshake, traffic, kind);
  std::erase_if(rules,
                [](const std::string& rule) { return rule != "elicitation.defaults-filled"; });
  return rules;
}
RuleSet told_of_forms(const Json& first, const Json& second, Finding::Kind kind) {
  return told_of_filled({{"assay-form", first}, {"assay-form-2", second}}, kind);
}
RuleSet told_of_choices(const Json& first, const Json& second, Finding::Kind kind) {
  const Json nothing = Json::object();
  return told_of_filled(
      {{"assay-form", nothing}, {"assay-choices", first}, {"assay-choices-2", second}}, kind);
}

TEST(SoundUsers, MayChangeAndEmptyWhatAFormProposes) {
  const RuleSet rule = {"elicitation.defaults-filled"};
  EXPECT_EQ(told_of_forms(first_form(), second_form(), Finding::Kind::kHeld), rule);
  // Of the same kind in both.
  const Json no_age = without(first_form(), {"age"});
  EXPECT_EQ(told_of_forms(no_age, without(second_form(), {"floors"}), Finding::Kind::kBroke), rule);
  // Other fields.
  const Json no_city = without(second_form(), {"city"});
  EXPECT_EQ(told_of_forms(no_age, no_city, Finding::Kind::kUnclear), rule);
  EXPECT_EQ(told_of_forms(no_age, second_form(), Finding::Kind::kUnclear), rule);
  // Somebody typed over one.
  Json edited = without(second_form(), {"floors"});
  edited["city"] = "Rome";
  EXPECT_EQ(told_of_forms(no_age, edited, Finding::Kind::kUnclear), rule);
  EXPECT_EQ(told_of_forms(first_form(), edited, Finding::Kind::kBroke), kNone);
  // A client may begin with values of its own.
  const Json zero = {
      {"name", ""}, {"age", 0}, {"score", 0}, {"status", "active"}, {"verified", false}};
  EXPECT_EQ(told_of_forms(zero, zero, Finding::Kind::kHeld), kNone);
  EXPECT_EQ(told_of_forms(zero, zero, Finding::Kind::kUnclear), rule);
  // Defaults may be left alone.
  const Json nothing = Json::object();
  EXPECT_EQ(told_of_forms(nothing, nothing, Finding::Kind::kNotExercised), rule);
}

TEST(SoundUsers, MayNotKnowChoicesOfEveryKind) {
  const RuleSet rule = {"elicitation.defaults-filled"};
  const Json first = {{"background", "#f00"}, {"colour", "#0f0"},   {"days", {"Wed", "Mon"}},
                      {"free_days", {"Mon"}}, {"note", "As usual"}, {"shades", {"dark", "light"}}};
  const Json second = {{"fits", {"s", "l"}},
                       {"meals", {"lunch", "tea"}},
                       {"remark", "None"},
                       {"sizes", {"s"}},
                       {"style", "b"}};
  EXPECT_EQ(told_of_choices(first, second, Finding::Kind::kHeld), rule);
  const Json no_days = without(first, {"days"});
  const Json no_meals = without(second, {"meals"});
  EXPECT_EQ(told_of_choices(no_days, no_meals, Finding::Kind::kBroke), rule);
  // A form has a field of that kind that has no default.
  EXPECT_EQ(told_of_choices(without(no_days, {"free_days"}), no_meals, Finding::Kind::kUnclear),
            rule);
}

// --- Limits ---

RuleSet told_of_refused_samples(int code, const char* why, Finding::Kind kind) {
  Traffic traffic(kHandshake);
  traffic.handshake(Json::object(), {{"sampling", {{"tools", Json::object()}}}});
  const Json sample = {
      {"role", "assistant"}, {"model", "m"}, {"content", {{"type", "text"}, {"text", "w"}}}};
  for (const char* name : {"assay-sample", "assay-sample-tools", "assay-sample-missing"}) {
    const wire::Id id = wire::Id::of_string(name);
    const bool is_odd = std::string_view(name) == "assay-sample-missing";
    traffic.came(wire::encode(wire::make_request(id, "sampling/createMessage", Json::object())));
    traffic.sent(is_odd ? wire::encode(wire::make_error(id, code, why))
                        : wire::encode(wire::make_result(id, sample)));
  }
  return told("server-samples", kHandshake, traffic, kind);
}

TEST(SoundClients, MayRefuseMoreThanSoManyQuestionsAtOnce) {
  const RuleSet rule = {"sampling.missing-tool-result-error"};
  EXPECT_EQ(told_of_refused_samples(-32000, "Too many questions", Finding::Kind::kBroke), kNone);
  EXPECT_EQ(told_of_refused_samples(-32000, "Rate limit exceeded", Finding::Kind::kUnclear), rule);
  EXPECT_EQ(told_of_refused_samples(-32000, "No", Finding::Kind::kBroke), rule);
}

// --- Lists ---

// Each of these cursors is asked for, and "third" is refused; null begins a walk.
RuleSet told_of_walks(const std::vector<Json>& cursors, Finding::Kind kind) {
  Traffic traffic(kNewest);
  for (const Json& cursor : cursors) {
    const Json params = cursor.is_null() ? Json::object() : Json{{"cursor", cursor}};
    if (cursor == "third") {
      traffic.refused("tools/list", params, -32602);
    } else {
      traffic.exchange("tools/list", params, harness::cacheable({{"tools", Json::array()}}));
    }
  }
  return told("lost-cursor", kNewest, traffic, kind);
}

TEST(SoundClients, MayWalkOverAListTwiceWhileACursorIsLost) {
  const RuleSet rule = {"caching.invalid-cursor-drops-pages"};
  EXPECT_EQ(told_of_walks({nullptr, nullptr, "second", "third", "second", "third", nullptr},
                          Finding::Kind::kHeld),
            rule);
  EXPECT_EQ(told_of_walks({nullptr, nullptr, "second", "third", "second", "third"},
                          Finding::Kind::kBroke),
            kNone);
  EXPECT_EQ(told_of_walks({nullptr, "second", "third", "third"}, Finding::Kind::kBroke), rule);
}

void ask_over_http(Traffic& traffic, std::uint64_t lane, std::string_view id,
                   std::string_view method) {
  HttpExchange exchange(traffic, lane);
  exchange.request("POST", R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" +
                               std::string(method) + R"(","params":{}})");
  exchange.head(200, HttpExchange::kEvents).closed();
}

TEST(SoundClients, MayBeStartedAgainAfterTheyLostAnAnswer) {
  const RuleSet rule = {"http.lost-request-reissued"};
  Traffic traffic(kNewest, harness::TransportKind::kHttp);
  ask_over_http(traffic, 1, "1", "server/discover");
  ask_over_http(traffic, 2, "2", "tools/list");
  Traffic started_again(kNewest, harness::TransportKind::kHttp);
  ask_over_http(started_again, 1, "1", "server/discover");
  ask_over_http(started_again, 2, "2", "tools/list");
  ask_over_http(started_again, 3, "1", "server/discover");
  ask_over_http(started_again, 4, "2", "tools/list");
  EXPECT_EQ(told("lost-stream", kNewest, started_again, Finding::Kind::kBroke), kNone);
  EXPECT_EQ(told("lost-stream", kNewest, started_again, Finding::Kind::kUnclear), rule);
  ask_over_http(traffic, 3, "2", "tools/list");
  EXPECT_EQ(told("lost-stream", kNewest, traffic, Finding::Kind::kBroke), rule);
}

TEST(SoundClients, MayWorkTwiceSideBySide) {
  Traffic traffic(kNewest, harness::TransportKind::kHttp);
  ask_over_http(traffic, 1, "1", "server/discover");
  ask_over_http(traffic, 2, "1", "server/discover");
  ask_over_http(traffic, 3, "2", "tools/list");
  ask_over_http(traffic, 4, "2", "tools/list");
  EXPECT_EQ(told("lost-stream", kNewest, traffic, Finding::Kind::kBroke), kNone);
  EXPECT_EQ(told("lost-stream", kNewest, traffic, Finding::Kind::kUnclear),
            RuleSet{"http.lost-request-reissued"});
}

// --- Input that results ask for ---

TEST(SoundClients, MaySampleTextThatWasCutOffBeforeItsTool) {
  const RuleSet rule = {"sampling.tool-choice-required"};
  const auto told_of = [](const char* stop_reason) {
    Traffic traffic(kNewest);
    const Json sample = {{"role", "assistant"},
                         {"model", "m"},
                         {"stopReason", stop_reason},
                         {"content", {{"type", "text"}, {"text", "The answer is"}}}};
    traffic.exchange("tools/call",
                     {{"name", "test_samples_with_tool"}, {"inputResponses", {{"given", sample}}}},
                     harness::complete());
    return told("results-ask-for-samples", kNewest, traffic, Finding::Kind::kBroke);
  };
  EXPECT_EQ(told_of("maxTokens"), kNone);
  EXPECT_EQ(told_of("endTurn"), rule);
}

RuleSet told_of_other_call(const Json& carried, Finding::Kind kind) {
  Traffic traffic(kNewest);
  const std::string state = "{\"step\": 1,  \"name\":\"\\u00fc\" }\n==";
  Json question = harness::input_required(Json::object());
  question["requestState"] = state;
  traffic.exchange("tools/call", {{"name", "test_mrtr_echo_state"}}, question);
  traffic.exchange("tools/call", {{"name", "test_mrtr_echo_state"}, {"requestState", state}},
                   harness::complete());
  Json params = {{"name", "test_mrtr_unrelated"}};
  params.update(carried == "state" ? Json{{"requestState", state}} : carried);
  traffic.exchange("tools/call", params, harness::complete());
  return told("sep-2322-client-request-state", kNewest, traffic, kind);
}

TEST(SoundClients, MayGiveInputOfTheirOwn) {
  const RuleSet rule = {"mrtr.not-used-elsewhere"};
  const Json own = {{"inputResponses", {{"confirm", {{"action", "accept"}}}}}};
  EXPECT_EQ(told_of_other_call(own, Finding::Kind::kBroke), kNone);
  EXPECT_EQ(told_of_other_call(own, Finding::Kind::kUnclear), rule);
  EXPECT_EQ(told_of_other_call("state", Finding::Kind::kBroke), rule);
}

// --- Roots ---

RuleSet told_of_roots(bool tells, Finding::Kind kind) {
  Traffic traffic(kHandshake);
  traffic.handshake(Json::object(), {{"roots", {{"listChanged", true}}}});
  for (const char* name : {"assay-roots", "assay-roots-again"}) {
    const wire::Id id = wire::Id::of_string(name);
    traffic.came(wire::encode(wire::make_request(id, "roots/list", nullptr)));
    traffic.sent(wire::encode(wire::make_result(
        id, {{"roots", Json::array({{{"uri", "file:///" + std::string(name)}}})}})));
  }
  if (tells) traffic.sent(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  return told("server-asks", kHandshake, traffic, kind);
}

TEST(SoundClients, MayTellThatRootsChangedAfterTheyGaveThem) {
  const std::string rule = "roots.list-changed-notified";
  EXPECT_TRUE(told_of_roots(true, Finding::Kind::kHeld).contains(rule));
  EXPECT_TRUE(told_of_roots(false, Finding::Kind::kBroke).contains(rule));
}

// --- Silence ---

enum class BehindSilence { kBothAnswers, kOneAnswer, kMoreRequests };
RuleSet told_of_silence(BehindSilence behind, Finding::Kind kind) {
  Traffic traffic(kHandshake);
  traffic.handshake();
  const auto call = [&](const char* id, const char* tool) {
    traffic.sent(R"({"jsonrpc":"2.0","id":)" + std::string(id) +
                 R"(,"method":"tools/call","params":{"name":")" + tool + "\"}}");
  };
  call("7", "test_silent");
  passed_at(traffic, std::chrono::milliseconds(10));
  call("8", "test_simple_text");
  passed_at(traffic, std::chrono::milliseconds(1000));
  traffic.came(R"({"jsonrpc":"2.0","id":8,"result":{"content":[]}})");
  if (behind == BehindSilence::kBothAnswers) {
    traffic.came(R"({"jsonrpc":"2.0","id":7,"result":{"content":[]}})");
  }
  if (behind == BehindSilence::kMoreRequests) {
    traffic.sent(R"({"jsonrpc":"2.0","id":9,"method":"tools/list"})");
  }
  return told("server-silent", kHandshake, traffic, kind);
}

// Who has two calls under way waits for both.
TEST(SoundClients, MayCallAnotherToolWhileTheyWait) {
  EXPECT_EQ(told_of_silence(BehindSilence::kBothAnswers, Finding::Kind::kBroke), kNone);
}

// Its timeout may be a minute, and all that it came for the second answer.
TEST(SoundClients, MayLeaveWhenTheyHaveOneAnswerOfTwo) {
  const RuleSet cancels = {"lifecycle.timeout-cancels"};
  const RuleSet all = {"lifecycle.request-timeout", "lifecycle.timeout-cancels",
                       "tools.calls-time-out"};
  EXPECT_EQ(told_of_silence(BehindSilence::kOneAnswer, Finding::Kind::kBroke), kNone);
  EXPECT_EQ(told_of_silence(BehindSilence::kOneAnswer, Finding::Kind::kUnclear), all);
  EXPECT_EQ(told_of_silence(BehindSilence::kMoreRequests, Finding::Kind::kBroke), cancels);
}

// --- Versions ---

RuleSet told_of_parallel_requests(bool is_behind, Finding::Kind kind) {
  Traffic traffic(kNewest);
  const auto list = [&](const char* id) {
    traffic.sent(R"({"jsonrpc":"2.0","id":)" + std::string(id) +
                 R"(,"method":"tools/list","params":{"_meta":)"
                 R"({"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}})");
  };
  list("1");
  if (!is_behind) list("2");
  traffic.came(
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported version"}})");
  if (is_behind) list("2");
  return told("request-metadata", kNewest, traffic, kind);
}

TEST(SoundClients, MayHaveAskedTwiceBeforeTheirVersionIsRefused) {
  const RuleSet rule = {"versioning.client-retries-supported"};
  EXPECT_EQ(told_of_parallel_requests(false, Finding::Kind::kNotExercised), rule);
  EXPECT_EQ(told_of_parallel_requests(true, Finding::Kind::kBroke), rule);
}

// What the server agreed to stands in the header fields of the client, and is taken there.
TEST(SoundClients, MayNameTheVersionThatWasAgreedOn) {
  const auto all = harness::client_scenarios();
  const auto scenario = std::find_if(
      all.begin(), all.end(),
      [](const harness::ClientScenario& each) { return each.name == "version-agreed"; });
  const auto play = scenario->make();
  const wire::Decoded initialize = wire::decode(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
  Json result = {{"protocolVersion", "2025-06-18"}};
  play->on_result(std::get<wire::Message>(initialize), result);
  EXPECT_EQ(result["protocolVersion"], "2025-11-25");
  const auto taken_for = [&](const char* version) {
    return play->on_head({"POST", "/mcp", 0, {{"mcp-protocol-version", version}}})->headers.size();
  };
  EXPECT_EQ(taken_for("2025-11-25"), 0u);
  EXPECT_EQ(taken_for("1999-12-31"), 1u);
}

// --- User interfaces ---

// A client that declares them may show none of them, read what it likes, and keep what it has read.
TEST(SoundClients, MayLeaveAUserInterfaceUnfetched) {
  const Json tool = {{"name", "show"}, {"_meta", {{"ui", {{"resourceUri", "ui://a/b"}}}}}};
  const auto told_of_reads = [&](const std::vector<const char*>& uris, Finding::Kind kind) {
    Traffic traffic(kHandshake);
    traffic.handshake();
    traffic.exchange("tools/list", nullptr, {{"tools", Json::array({tool})}});
    for (const char* const uri : uris) {
      traffic.exchange("resources/read", {{"uri", uri}}, {{"contents", Json::array()}});
    }
    traffic.exchange("tools/call", {{"name", "show"}}, {{"content", Json::array()}});
    return told("apps", kHandshake, traffic, kind);
  };
  const RuleSet rule = {"ext-apps.read-by-resources-read"};
  EXPECT_EQ(told_of_reads({}, Finding::Kind::kBroke), kNone);
  EXPECT_EQ(told_of_reads({}, Finding::Kind::kHeld), kNone);
  EXPECT_EQ(told_of_reads({"ui://a/style.css"}, Finding::Kind::kHeld), kNone);
  EXPECT_EQ(told_of_reads({"ui://a/style.css", "ui://a/b"}, Finding::Kind::kHeld), rule);
}

}  // namespace
}  // namespace assay::scenarios
