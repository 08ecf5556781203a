// Clients that do nothing wrong, though they do less or other things than the reference client: no
// scenario may blame them.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "scenarios/sound_clients_testing.h"

namespace assay::scenarios {
namespace {

using harness::Finding;
using model::Revision;

void ask(harness::Traffic& traffic, const std::string& id, const std::string& answer) {
  traffic.came(R"({"jsonrpc":"2.0","id":")" + id +
               R"(","method":"sampling/createMessage","params":{}})");
  traffic.sent(R"({"jsonrpc":"2.0","id":")" + id + "\"," + answer + "}");
}

// What is said of a client that answers so what is sound, and so what is odd.
std::set<std::string> told_of_sampling(const std::string& of_sound, const std::string& of_odd,
                                       Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.handshake(Json::object(), {{"sampling", {{"tools", Json::object()}}}});
  for (const char* id : {"assay-sample", "assay-sample-tools"}) ask(traffic, id, of_sound);
  for (const char* id : {"assay-sample-missing", "assay-sample-mixed"}) ask(traffic, id, of_odd);
  return told("server-samples", Revision::v2025_11_25, traffic, kind);
}

const std::set<std::string> kRefusals = {"sampling.missing-tool-result-error",
                                         "sampling.mixed-tool-results-error"};
constexpr const char* kSample =
    R"("result":{"role":"assistant","content":{"type":"text","text":"w"},"model":"m"})";
constexpr const char* kNoMethod = R"("error":{"code":-32601,"message":"Method not found"})";

// What is said of a client that does not answer a sample of nothing, and so a sound one.
std::set<std::string> told_of_bad_sample(const std::string& of_sound, Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.handshake(Json::object(), {{"sampling", Json::object()}});
  if (!of_sound.empty()) ask(traffic, "assay-sample-of-something", of_sound);
  traffic.came(
      R"({"jsonrpc":"2.0","id":"assay-sample-of-nothing","method":"sampling/createMessage"})");
  return told("server-samples-nothing", Revision::v2025_11_25, traffic, kind);
}

// Its user may be asked before its program looks at what is to be sampled.
TEST(SoundClients, MayKeepASampleOfNothingWaitingWithAllSamples) {
  const std::set<std::string> rule = {"sampling.rejection-error"};
  EXPECT_EQ(told_of_bad_sample("", Finding::Kind::kBroke), std::set<std::string>());
  EXPECT_EQ(told_of_bad_sample("", Finding::Kind::kUnclear), rule);
  EXPECT_EQ(told_of_bad_sample(kSample, Finding::Kind::kBroke), rule);
  EXPECT_EQ(told_of_bad_sample(kNoMethod, Finding::Kind::kBroke), rule);
}

// A bridge that passes on what its client declares, and serves nothing of it; or a user who says
// no.
TEST(SoundClients, MayRefuseToSampleAtAll) {
  for (const char* refusal : {kNoMethod, R"("error":{"code":-1,"message":"Rejected"})"}) {
    EXPECT_EQ(told_of_sampling(refusal, refusal, Finding::Kind::kBroke), std::set<std::string>());
    EXPECT_EQ(told_of_sampling(refusal, refusal, Finding::Kind::kUnclear), kRefusals);
  }
}

// What is said of a client that declares this, and answers nothing but a ping.
std::set<std::string> told_of_silence(std::string_view scenario, const Json& declared,
                                      Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.handshake(Json::object(), declared);
  traffic.came(R"({"jsonrpc":"2.0","id":"assay-sample","method":"sampling/createMessage"})");
  traffic.came(R"({"jsonrpc":"2.0","id":"assay-ping","method":"ping"})");
  traffic.sent(R"({"jsonrpc":"2.0","id":"assay-ping","result":{}})");
  traffic.came(R"({"jsonrpc":"2.0","id":"assay-roots","method":"roots/list"})");
  return told(scenario, Revision::v2025_11_25, traffic, kind);
}

// A person may take their time, and should be asked before a sample and before roots are given. A
// client that declares neither has nobody to ask.
TEST(SoundClients, MayKeepASampleAndTheirRootsWaiting) {
  const std::set<std::string> rule = {"jsonrpc.request-answered-once"};
  const Json declared = {{"sampling", Json::object()}, {"roots", Json::object()}};
  for (const char* scenario : {"server-samples", "server-asks"}) {
    EXPECT_EQ(told_of_silence(scenario, declared, Finding::Kind::kUnclear), rule);
    EXPECT_EQ(told_of_silence(scenario, declared, Finding::Kind::kBroke), std::set<std::string>());
    EXPECT_EQ(told_of_silence(scenario, Json::object(), Finding::Kind::kBroke), rule);
  }
}

std::set<std::string> told_of_modes(const std::string& of_form, const std::string& of_url,
                                    Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.handshake(Json::object(), {{"elicitation", Json::object()}});
  const std::string begin = R"({"jsonrpc":"2.0","id":"assay-)";
  const std::string ask = R"(","method":"elicitation/create","params":{}})";
  traffic.came(begin + "plain-form" + ask).sent(begin + "plain-form\"," + of_form + "}");
  traffic.came(begin + "url" + ask).sent(begin + "url\"," + of_url + "}");
  return told("server-elicits", Revision::v2025_11_25, traffic, kind);
}

// It declares elicitations whether or not somebody will answer them.
TEST(SoundClients, MayAnswerNoElicitationAtAll) {
  EXPECT_EQ(told_of_modes(kNoMethod, kNoMethod, Finding::Kind::kBroke), std::set<std::string>());
  const char* declined = R"("result":{"action":"decline"})";
  const std::set<std::string> rule = {"elicitation.undeclared-mode-error"};
  EXPECT_EQ(told_of_modes(declined, kNoMethod, Finding::Kind::kBroke), rule);
  EXPECT_EQ(told_of_modes(kNoMethod, declined, Finding::Kind::kBroke), rule);
}

TEST(SoundClients, AreNotThoseWhoSampleWhatIsSoundAndRefuseOddly) {
  EXPECT_EQ(told_of_sampling(kSample, kNoMethod, Finding::Kind::kBroke), kRefusals);
  EXPECT_EQ(told_of_sampling(kNoMethod, kSample, Finding::Kind::kBroke), kRefusals);
}

// Of a dozen samples the last is answered so.
std::set<std::string> told_of_burst(const std::string& of_last, Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.handshake(Json::object(), {{"sampling", Json::object()}});
  for (int i = 1; i <= 12; ++i) {
    ask(traffic, "assay-burst-sample-" + std::to_string(i), i == 12 ? of_last : kSample);
  }
  return told("server-asks-often", Revision::v2025_11_25, traffic, kind);
}

TEST(SoundClients, MayLimitHowOftenTheyAreAskedBeyondWhatIsTried) {
  const std::set<std::string> rule = {"sampling.rate-limited"};
  EXPECT_EQ(told_of_burst(kSample, Finding::Kind::kUnclear), rule);
  EXPECT_EQ(told_of_burst(kNoMethod, Finding::Kind::kUnclear), rule);
  const char* limit = R"("error":{"code":-32000,"message":"Rate limit exceeded"})";
  EXPECT_EQ(told_of_burst(limit, Finding::Kind::kHeld), rule);
}

// A client that is offered a version that does not exist, and what it says before it is told and
// behind that.
std::set<std::string> told_of_mismatch(const std::string& before, const std::string& behind,
                                       Finding::Kind kind, const std::string& crash = "") {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.sent(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
      R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})");
  if (!before.empty()) traffic.sent(before);
  traffic.came(
      R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1999-12-31","capabilities":{},)"
      R"("serverInfo":{"name":"s","version":"1"}}})");
  if (!behind.empty()) traffic.sent(behind);
  return told("unknown-version", Revision::v2025_11_25, traffic, kind, crash);
}

// What it sent without waiting may be read behind the answer, though the client did not know it
// then.
TEST(SoundClients, MayHaveAskedBeforeTheyLeaveAVersion) {
  const std::string list = R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})";
  const std::string pong = R"({"jsonrpc":"2.0","id":"assay-before-the-answer","result":{}})";
  const std::set<std::string> none;
  const std::set<std::string> all = {"lifecycle.handles-version-mismatch",
                                     "lifecycle.unsupported-answer-disconnects",
                                     "lifecycle.version-unsupported-disconnect"};
  EXPECT_EQ(told_of_mismatch(list, list, Finding::Kind::kBroke), none);
  EXPECT_EQ(told_of_mismatch(list, list, Finding::Kind::kUnclear), all);
  EXPECT_EQ(told_of_mismatch(pong, list, Finding::Kind::kBroke), all);
  EXPECT_EQ(told_of_mismatch("", pong, Finding::Kind::kHeld), all);
  EXPECT_EQ(told_of_mismatch(list, "", Finding::Kind::kHeld), all);
}

// It may be sent before the answer, and over HTTP be read behind it.
TEST(SoundClients, MayPingWhileTheyAreOfferedAVersion) {
  const std::string ping = R"({"jsonrpc":"2.0","id":2,"method":"ping"})";
  EXPECT_EQ(told_of_mismatch("", ping, Finding::Kind::kBroke), std::set<std::string>());
}

// Over stdio a ping comes ahead of the version.
TEST(SoundClients, AreNotBlamedForAVersionWhereAPingMayHaveBeenTooMuch) {
  const std::set<std::string> rule = {"lifecycle.handles-version-mismatch"};
  const std::string pong = R"({"jsonrpc":"2.0","id":"assay-before-the-answer","result":{}})";
  const char* crash = "it was ended by signal 11";
  EXPECT_EQ(told_of_mismatch("", "", Finding::Kind::kBroke, crash), std::set<std::string>());
  EXPECT_EQ(told_of_mismatch("", "", Finding::Kind::kUnclear, crash), rule);
  EXPECT_EQ(told_of_mismatch(pong, "", Finding::Kind::kBroke, crash), rule);
}

// A call that is cancelled and answered nevertheless; and the client's error under that id.
std::set<std::string> told_of_late_answer(const std::string& error_id, Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.handshake(Json::object(), Json::object());
  traffic.sent(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"test_silent"}})");
  traffic.sent(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  traffic.came(R"({"jsonrpc":"2.0","id":7,"result":{"content":[]}})");
  traffic.came(R"({"jsonrpc":"2.0","id":"assay-behind-late-answer-1","method":"ping"})");
  traffic.sent(R"({"jsonrpc":"2.0","id":)" + error_id +
               R"(,"error":{"code":-32601,"message":"Method not found"}})");
  return told("server-silent", Revision::v2025_11_25, traffic, kind);
}

// Who refuses the ping behind a late answer says nothing about that answer.
TEST(SoundClients, MayRefuseSomethingElseBehindALateAnswer) {
  const std::set<std::string> late = {"cancellation.late-response-ignored"};
  EXPECT_EQ(told_of_late_answer(R"("assay-behind-late-answer-1")", Finding::Kind::kBroke),
            std::set<std::string>());
  EXPECT_EQ(told_of_late_answer("7", Finding::Kind::kBroke), late);
  EXPECT_EQ(told_of_late_answer("null", Finding::Kind::kBroke), late);
}

// A question that was cancelled at once, with its answer ahead of the pings or behind them; and one
// like it that is answered.
std::set<std::string> told_of_cancelled(bool is_ahead, bool is_behind, Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.handshake(Json::object(), {{"sampling", Json::object()}});
  const std::string answer =
      R"({"jsonrpc":"2.0","id":"assay-cancelled-question",)" + std::string(kSample) + "}";
  traffic.came(R"({"jsonrpc":"2.0","id":"assay-cancelled-question",)"
               R"("method":"sampling/createMessage","params":{}})");
  traffic.notified("notifications/cancelled", {{"requestId", "assay-cancelled-question"}});
  if (is_ahead) traffic.sent(answer);
  for (const char* id : {"assay-behind-cancellation-1", "assay-behind-cancellation-2"}) {
    ask(traffic, id, R"("result":{})");
  }
  if (is_behind) traffic.sent(answer);
  ask(traffic, "assay-companion-question", kSample);
  return told("server-cancels", Revision::v2025_11_25, traffic, kind);
}

TEST(SoundClients, MayHaveAnsweredWhenACancellationComes) {
  const std::set<std::string> rule = {"cancellation.no-response"};
  const std::set<std::string> none;
  EXPECT_EQ(told_of_cancelled(true, false, Finding::Kind::kBroke), none);
  EXPECT_EQ(told_of_cancelled(true, false, Finding::Kind::kHeld), none);
  EXPECT_EQ(told_of_cancelled(false, false, Finding::Kind::kHeld), rule);
  // It may be one that cannot be cancelled.
  EXPECT_EQ(told_of_cancelled(false, true, Finding::Kind::kBroke), none);
  EXPECT_EQ(told_of_cancelled(false, true, Finding::Kind::kUnclear).count(*rule.begin()), 1u);
}

// Who was quicker than the cancellation so many times, and is asked once more each time.
std::set<std::string> told_of_quick_answers(int answered, int asked, Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.handshake(Json::object(), {{"sampling", Json::object()}});
  for (int i = 1; i <= asked; ++i) {
    const std::string id =
        "assay-cancelled-question" + (i == 1 ? std::string() : "-" + std::to_string(i));
    if (i <= answered) {
      ask(traffic, id, kSample);
    } else {
      traffic.came(R"({"jsonrpc":"2.0","id":")" + id +
                   R"(","method":"sampling/createMessage","params":{}})");
    }
    traffic.notified("notifications/cancelled", {{"requestId", id}});
    for (int ping = 3 * i - 2; ping <= 3 * i; ++ping) {
      ask(traffic, "assay-behind-cancellation-" + std::to_string(ping), R"("result":{})");
    }
    if (i == 1) ask(traffic, "assay-companion-question", kSample);
  }
  return told("server-cancels", Revision::v2025_11_25, traffic, kind);
}

TEST(SoundClients, MayBeQuickerThanACancellationNowAndThen) {
  const std::set<std::string> rule = {"cancellation.no-response"};
  EXPECT_EQ(told_of_quick_answers(2, 3, Finding::Kind::kHeld), rule);
  EXPECT_EQ(told_of_quick_answers(5, 5, Finding::Kind::kHeld), std::set<std::string>());
  EXPECT_EQ(told_of_quick_answers(5, 5, Finding::Kind::kBroke), std::set<std::string>());
  EXPECT_EQ(told_of_quick_answers(5, 5, Finding::Kind::kUnclear).count(*rule.begin()), 1u);
}

constexpr Revision kStateless = Revision::v2026_07_28;

// Calls of the tools that ask for samples, and what the client gives the plain one and the others.
std::set<std::string> told_of_undeclared(bool gives_plain, bool gives_others, Finding::Kind kind) {
  const Json question = {
      {"resultType", "input_required"},
      {"inputRequests",
       {{"sample", {{"method", "sampling/createMessage"}, {"params", Json::object()}}}}}};
  const Json sample = {
      {"sample", {{"role", "assistant"}, {"content", {{"type", "text"}, {"text", "yes"}}}}}};
  const Json done = {{"resultType", "complete"}, {"content", Json::array()}};
  harness::Traffic traffic(kStateless);
  traffic.declares({{"sampling", Json::object()}});
  for (const char* tool : {"test_samples_plainly", "test_samples_with_undeclared_tools",
                           "test_samples_with_undeclared_choice"}) {
    const bool is_plain = std::string_view(tool) == "test_samples_plainly";
    traffic.exchange("tools/call", {{"name", tool}}, question);
    if (!(is_plain ? gives_plain : gives_others)) continue;
    traffic.exchange("tools/call", {{"name", tool}, {"inputResponses", sample}}, done);
  }
  traffic.exchange("tools/call", {{"name", "test_simple_text"}}, done);
  return told("results-ask-for-undeclared-samples", kStateless, traffic, kind);
}

TEST(SoundClients, NeedNotGiveSamplesThatTheyDidNotDeclare) {
  const std::set<std::string> both = {"sampling.undeclared-tools-error",
                                      "sampling.undeclared-tool-choice-error"};
  const std::set<std::string> none;
  EXPECT_EQ(told_of_undeclared(true, true, Finding::Kind::kBroke), both);
  EXPECT_EQ(told_of_undeclared(true, false, Finding::Kind::kBroke), none);
  EXPECT_EQ(told_of_undeclared(true, false, Finding::Kind::kHeld), both);
  // Who gives none at all has not refused these.
  EXPECT_EQ(told_of_undeclared(false, false, Finding::Kind::kHeld), none);
}

std::string page(const char* next) {
  return std::string(R"({"tools":[],"resultType":"complete","ttlMs":150,"cacheScope":"private")") +
         (next == nullptr ? "" : std::string(R"(,"nextCursor":")") + next + "\"") + "}";
}

// What is said of a client that reads so many pages of a list that has more.
std::set<std::string> told_of_pages(std::string_view name, int pages, Finding::Kind kind) {
  static constexpr const char* kNext[] = {"second", "third", "fourth", "fifth"};
  harness::Traffic traffic(kStateless);
  for (int i = 0; i < pages; ++i) {
    const Json params = i == 0 ? Json::object() : Json{{"cursor", kNext[i - 1]}};
    traffic.exchange("tools/list", params, Json::parse(page(kNext[i])));
  }
  return told(name, kStateless, traffic, kind);
}

TEST(SoundClients, MayReadOnePageOfAList) {
  for (const char* name : {"odd-notifications", "server-logs-between-pages", "server-renamed"}) {
    EXPECT_EQ(told_of_pages(name, 1, Finding::Kind::kBroke), std::set<std::string>()) << name;
  }
  const std::set<std::string> log = {"stdio.stderr-is-no-error"};
  EXPECT_EQ(told_of_pages("server-logs-between-pages", 3, Finding::Kind::kBroke), log);
  EXPECT_EQ(told_of_pages("server-logs-between-pages", 4, Finding::Kind::kHeld), log);
}

// Its own need may be quicker than ttlMs.
TEST(SoundClients, MayFetchAListAsOftenAsTheyLike) {
  harness::Traffic traffic(kStateless);
  for (int i = 0; i < 5; ++i) {
    traffic.exchange("tools/list", Json::object(), Json::parse(page(nullptr)));
  }
  EXPECT_EQ(told("short-lived-lists", kStateless, traffic, Finding::Kind::kBroke),
            std::set<std::string>());
}

// Nobody waits for its end, and it may have no use for another one.
TEST(SoundClients, MayLeaveWithTheirServer) {
  harness::Traffic traffic(kStateless);
  traffic.asks("tools/call", {{"name", "test_exits"}});
  transport::Observation end;
  end.kind = transport::Observation::Kind::kExit;
  end.lane = {transport::Lane::Kind::kProcess, 0};
  end.exit = transport::ProcessExit{1, std::nullopt, false};
  traffic.saw(end);
  EXPECT_EQ(told("server-exits", kStateless, traffic, Finding::Kind::kBroke),
            std::set<std::string>());
}

// A client of the newer era alone has nothing to fall back to, and may ask what it likes first.
TEST(SoundClients, MayProbeNothingWhereTheySpeakOneEra) {
  harness::Traffic traffic(kStateless);
  traffic.refused("tools/list", Json::object(), -32601);
  EXPECT_EQ(told("older-server", kStateless, traffic, Finding::Kind::kBroke),
            std::set<std::string>());
}

}  // namespace
}  // namespace assay::scenarios
