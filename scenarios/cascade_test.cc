// One cause, one verdict: a server with one fault that takes everything else with it has one rule
// violated, and the rules that could not be judged because of it name that one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/runner.h"
#include "reference/server/faults/fault.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using reports::Outcome;
using server::Fault;

reports::Run certify_over(const harness::TargetAccess& access) {
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_11_25};
  options.patience.request = std::chrono::milliseconds(400);
  options.patience.start = std::chrono::milliseconds(1000);
  options.jobs = 8;
  options.accesses = {access};
  NoEvents events;
  return harness::certify(options, events).runs.at(0);
}

reports::Run certify_faulty(const Fault& fault) {
  // Of a server that speaks the other era as well, nobody can say that it has no `initialize`.
  server::Options options;
  options.stateless_revisions.clear();
  if (fault.seen_over != server::SeenOver::kHttpOnly) {
    return certify_over(reference_over_pipe(options, {&fault}));
  }
  const ReferenceOverHttp reference(options, ReferenceOverHttp::Answers::kAuto, {&fault});
  return certify_over(reference.http());
}

std::set<std::string> violated(const reports::Run& run) {
  std::set<std::string> ids;
  for (const reports::Verdict& verdict : run.verdicts) {
    if (verdict.outcome == Outcome::kViolated) ids.insert(verdict.requirement);
  }
  return ids;
}

int unjudged_because_of(const reports::Run& run, std::string_view cause) {
  return static_cast<int>(
      std::count_if(run.verdicts.begin(), run.verdicts.end(), [&](const reports::Verdict& verdict) {
        return verdict.outcome == Outcome::kInconclusive && verdict.caused_by == cause;
      }));
}

struct Cascade {
  std::string fault;
  std::string violates;
  int at_least;  // rules that cannot be judged because of it
};

class Cascades : public testing::TestWithParam<Cascade> {};

TEST_P(Cascades, OneRuleIsViolatedAndTheOthersNameIt) {
  const Fault* fault = server::find_fault(GetParam().fault);
  ASSERT_NE(fault, nullptr);
  const reports::Run run = certify_faulty(*fault);
  EXPECT_EQ(violated(run), std::set<std::string>{GetParam().violates});
  EXPECT_GE(unjudged_because_of(run, GetParam().violates), GetParam().at_least);
}

INSTANTIATE_TEST_SUITE_P(
    Servers, Cascades,
    testing::Values(Cascade{"ends-at-ping", "jsonrpc.request-answered-once", 10},
                    Cascade{"ends-at-tool-call", "jsonrpc.request-answered-once", 10},
                    Cascade{"ends-at-list", "jsonrpc.request-answered-once", 0},
                    Cascade{"ends-at-unknown-method", "jsonrpc.request-answered-once", 1},
                    Cascade{"ends-after-initialize", "jsonrpc.request-answered-once", 30},
                    Cascade{"ends-at-bad-message", "jsonrpc.bad-message-survived", 1},
                    Cascade{"ends-at-batch", "jsonrpc.bad-message-survived", 0},
                    Cascade{"mute-after-initialize", "ping.answered", 50},
                    Cascade{"initialize-unknown", "lifecycle.initialize-result", 50},
                    Cascade{"lists-unknown", "lifecycle.declared-capabilities-served", 0},
                    Cascade{"errors-500-after-initialize", "ping.answered", 50}),
    [](const auto& cascade) {
      std::string name = cascade.param.fault;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(Cascade, AServerThatEndsAtOnceCannotBeTested) {
  const Fault fault = {.id = "ends-at-initialize",
                       .description = "",
                       .breaks = {},
                       .ends_at = [](const wire::Decoded&) { return true; }};
  const reports::Run run = certify_faulty(fault);
  EXPECT_EQ(run.status, reports::RunStatus::kFailed);
  EXPECT_EQ(run.reason, "the target ended before it answered initialize");
  EXPECT_TRUE(violated(run).empty());
}

TEST(Cascade, AServerThatRefusesTheVersionIsNotBlamed) {
  const Fault fault = {.id = "initialize-refused",
                       .description = "",
                       .breaks = {},
                       .departure = [](server::Departure& d) {
                         if (!d.answers("initialize")) return;
                         d.json().erase("result");
                         d.json()["error"] = {{"code", wire::kInvalidParams},
                                              {"message", "Unsupported protocol version"}};
                       }};
  const reports::Run run = certify_faulty(fault);
  EXPECT_EQ(run.status, reports::RunStatus::kUnsupported);
  EXPECT_TRUE(violated(run).empty());
}

TEST(Cascade, AServerWithEmptyListsViolatesNothing) {
  const Fault fault = {
      .id = "lists-empty", .description = "", .breaks = {}, .departure = [](server::Departure& d) {
        if (!d.is_result() || !d.request()->method().ends_with("/list")) return;
        for (Json& member : d.result()) {
          if (member.is_array()) member = Json::array();
        }
        d.result().erase("nextCursor");
      }};
  const reports::Run run = certify_faulty(fault);
  EXPECT_EQ(violated(run), std::set<std::string>());
  EXPECT_EQ(run.status, reports::RunStatus::kConformant);
}

TEST(Cascade, AnHttpServerThatOnlyFailsCannotBeTested) {
  const Fault fault = {
      .id = "errors-500",
      .description = "",
      .breaks = {},
      .seen_over = server::SeenOver::kHttpOnly,
      .reply = [](const transport::HttpHead&, std::string_view, transport::HttpReply& reply) {
        reply = {500, {}, "", nullptr};
      }};
  const reports::Run run = certify_faulty(fault);
  EXPECT_EQ(run.status, reports::RunStatus::kFailed);
  EXPECT_EQ(run.reason, "initialize was answered with HTTP 500 and an empty body");
  EXPECT_TRUE(violated(run).empty());
}

TEST(Cascade, AWrongPathIsNoUnsupportedRevision) {
  const Fault fault = {
      .id = "wrong-path",
      .description = "",
      .breaks = {},
      .seen_over = server::SeenOver::kHttpOnly,
      .reply = [](const transport::HttpHead&, std::string_view, transport::HttpReply& reply) {
        reply = {404,
                 {{"Content-Type", "text/html; charset=utf-8"}},
                 "<html><title>Error</title>\n<pre>Cannot POST /msp</pre></html>",
                 nullptr};
      }};
  const reports::Run run = certify_faulty(fault);
  EXPECT_EQ(run.status, reports::RunStatus::kFailed);
  EXPECT_THAT(run.reason, testing::HasSubstr("HTTP 404: \"Error Cannot POST /msp\"; is this the "
                                             "MCP endpoint?"));
  EXPECT_TRUE(violated(run).empty());
}

TEST(Cascade, AnErrorThatComesWithAWrongPathIsNoUnsupportedRevisionEither) {
  const Fault fault = {
      .id = "wrong-path-in-json",
      .description = "",
      .breaks = {},
      .seen_over = server::SeenOver::kHttpOnly,
      .reply = [](const transport::HttpHead&, std::string_view, transport::HttpReply& reply) {
        reply = {404,
                 {{"Content-Type", "application/json"}},
                 R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no such path"}})",
                 nullptr};
      }};
  const reports::Run run = certify_faulty(fault);
  EXPECT_EQ(run.status, reports::RunStatus::kFailed);
  EXPECT_THAT(run.reason, testing::HasSubstr("HTTP 404 and error -32000: \"no such path\""));
  EXPECT_TRUE(violated(run).empty());
}

TEST(Cascade, AnUnknownMethodOverHttpIsAnotherEra) {
  const Fault fault = {
      .id = "initialize-unknown-as-in-2026",
      .description = "",
      .breaks = {},
      .seen_over = server::SeenOver::kHttpOnly,
      .reply = [](const transport::HttpHead&, std::string_view, transport::HttpReply& reply) {
        reply = {404,
                 {{"Content-Type", "application/json"}},
                 R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}})",
                 nullptr};
      }};
  const reports::Run run = certify_faulty(fault);
  EXPECT_EQ(run.status, reports::RunStatus::kUnsupported);
  EXPECT_THAT(run.reason, testing::HasSubstr("2026-07-28"));
  EXPECT_TRUE(violated(run).empty());
}

TEST(Evidence, AWrongAnswerOfOursStandsBeforeWhatTheServerMadeOfIt) {
  const reports::Run run = certify_faulty(*server::find_fault("answers-trusted"));
  const auto found =
      std::find_if(run.verdicts.begin(), run.verdicts.end(), [](const reports::Verdict& verdict) {
        return verdict.requirement == "elicitation.server-validates";
      });
  ASSERT_NE(found, run.verdicts.end());
  std::vector<std::string> told;
  for (const reports::Evidence& evidence : found->evidence) {
    if (!evidence.is_context) told.push_back(evidence.party + " " + evidence.text);
  }
  ASSERT_EQ(told.size(), 3u);
  EXPECT_THAT(told[0], testing::HasSubstr("tools/call"));
  EXPECT_THAT(told[1], testing::StartsWith("client "));
  EXPECT_THAT(told[1], testing::HasSubstr(R"("action":"accept")"));
  EXPECT_THAT(told[2], testing::StartsWith("server "));
}

}  // namespace
}  // namespace assay::scenarios
