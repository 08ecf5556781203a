// The commands that show a breach again.
#include "harness/runner/reproduce.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "harness/script/scripted_peer_testing.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

TEST(Reproduce, SendsTheHandshakeAndTheEvidenceAndNothingElse) {
  TargetAccess access = scripted_target([](const auto&, const auto&) {});
  access.shell_form = "node x.js";
  Transcript transcript;
  for (const char* text : {R"({"jsonrpc":"2.0","id":1,"method":"initialize"})",
                           R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})",
                           R"({"jsonrpc":"2.0","id":3,"method":"ping"})"}) {
    transport::Observation line;
    line.kind = transport::Observation::Kind::kLine;
    line.speaker = transport::Party::kClient;
    line.bytes = text;
    transcript.observe(line);
  }
  const auto events = transcript.events();
  const std::vector<EventPtr> evidence = {events[2]};
  const std::string command = reproduce(access, events, evidence);
  EXPECT_NE(command.find("initialize"), std::string::npos);
  EXPECT_EQ(command.find("tools/list"), std::string::npos);
  EXPECT_NE(command.find("ping"), std::string::npos);
  EXPECT_NE(command.find("| node x.js"), std::string::npos);
}

// What was said over stdio: "> " before what we sent, "< " before what came.
std::vector<EventPtr> lines_of(const std::vector<std::string>& said) {
  Transcript transcript;
  for (const std::string& each : said) {
    transport::Observation line;
    line.kind = transport::Observation::Kind::kLine;
    line.speaker = each[0] == '>' ? transport::Party::kClient : transport::Party::kServer;
    line.bytes = each.substr(2);
    transcript.observe(line);
  }
  return transcript.events();
}

std::string reproduced_over_stdio(const std::vector<EventPtr>& events, std::size_t first,
                                  std::size_t last) {
  TargetAccess access = scripted_target([](const auto&, const auto&) {});
  access.shell_form = "node x.js";
  const std::vector<EventPtr> evidence = {events[first], events[last]};
  return reproduce(access, events, evidence);
}

TEST(Reproduce, SendsABatchAloneThatAnAnswerBelongsTo) {
  const auto events = lines_of({R"(> {"jsonrpc":"2.0","id":1,"method":"tools/list"})",
                                R"(> [{"jsonrpc":"2.0","id":2,"method":"ping"}])",
                                R"(< {"jsonrpc":"2.0","id":2,"result":{"odd":1}})"});
  const std::string command = reproduced_over_stdio(events, 1, 2);
  EXPECT_NE(command.find("ping"), std::string::npos);
  EXPECT_EQ(command.find("tools/list"), std::string::npos);
}

// A server may remember who came first.
TEST(Reproduce, BeginsWithTheDiscoveryOfASessionWithoutAHandshake) {
  const auto events = lines_of({R"(> {"jsonrpc":"2.0","id":1,"method":"server/discover"})",
                                R"(< {"jsonrpc":"2.0","id":1,"result":{"a":1}})",
                                R"(> {"jsonrpc":"2.0","id":2,"method":"prompts/list"})",
                                R"(< {"jsonrpc":"2.0","id":2,"result":{"b":1}})",
                                R"(> {"jsonrpc":"2.0","id":3,"method":"tools/list"})",
                                R"(< {"jsonrpc":"2.0","id":3,"result":{"odd":1}})"});
  const std::string command = reproduced_over_stdio(events, 4, 5);
  EXPECT_NE(command.find("server/discover"), std::string::npos);
  EXPECT_EQ(command.find("prompts/list"), std::string::npos);
}

// Why a call is not answered may be that another one was cancelled.
TEST(Reproduce, SendsWhatCancelsAfterARequestThatIsNotAnswered) {
  const auto events = lines_of({R"(> {"jsonrpc":"2.0","id":7,"method":"ping"})",
                                R"(> {"jsonrpc":"2.0","id":8,"method":"ping"})",
                                R"(> {"jsonrpc":"2.0","method":"notifications/cancelled",)"
                                R"("params":{"requestId":"7"}})",
                                R"(> {"jsonrpc":"2.0","id":9,"method":"ping"})"});
  const std::string command = reproduced_over_stdio(events, 0, 0);
  EXPECT_NE(command.find("notifications/cancelled"), std::string::npos);
  EXPECT_EQ(command.find("\"id\":9"), std::string::npos);
}

TEST(Reproduce, SendsAllWhereTheSameWasAnsweredOtherwiseBefore) {
  const auto events = lines_of({R"(> {"jsonrpc":"2.0","id":1,"method":"server/discover"})",
                                R"(< {"jsonrpc":"2.0","id":1,"result":{}})",
                                R"(> {"jsonrpc":"2.0","id":2,"method":"tools/list"})",
                                R"(> {"jsonrpc":"2.0","id":3,"method":"server/discover"})",
                                R"(< {"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}})"});
  const std::string command = reproduced_over_stdio(events, 3, 4);
  EXPECT_NE(command.find(R"("id":1)"), std::string::npos);
  EXPECT_NE(command.find("tools/list"), std::string::npos);
}

// An exchange over HTTP, asked with these fields.
std::string reproduced_over_http(const TargetAccess& access, const transport::Headers& headers) {
  Transcript transcript(access.secret_headers);
  transport::Observation request;
  request.kind = transport::Observation::Kind::kHttpRequest;
  request.speaker = transport::Party::kClient;
  request.lane = {transport::Lane::Kind::kHttp, 1};
  request.http = transport::HttpHead{"POST", "/mcp", 0, headers};
  request.bytes = R"({"a":"it's @x"})";
  transcript.observe(request);
  return reproduce(access, transcript.events(), transcript.events());
}

// What the command's words are to a shell.
std::string words_of(const std::string& command) {
  const std::string script = "curl() { printf '[%s]' \"$@\"; }; X_KEY=k; " + command;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(script.c_str(), "r"), ::pclose);
  char block[4096];
  return {block, std::fread(block, 1, sizeof block, pipe.get())};
}

TEST(Reproduce, AsksOverHttpWithVariablesForTheUsersFields) {
  TargetAccess access = scripted_target([](const auto&, const auto&) {});
  access.kind = TransportKind::kHttp;
  access.shell_form = reports::shell_word("http://[::1]:1/mcp");
  access.secret_headers = {"X-Key"};
  const std::string command = reproduced_over_http(
      access, {{"Accept", "application/json"}, {"X-Key", "s3cret"}, {"Host", "x"}});
  EXPECT_EQ(words_of(command),
            "[-i][-N][-m][10][-X][POST][-H][Accept: application/json][-H][X-Key: k]"
            "[-H][Content-Type:][--data-raw][{\"a\":\"it's @x\"}][--globoff][http://[::1]:1/mcp]");
  EXPECT_EQ(reproduce_with_suite(access, model::Revision::v2025_11_25, "a"),
            "mcp-assay server --revision 2025-11-25 --scenario a --verbose "
            "--header \"X-Key: ${X_KEY}\" --url 'http://[::1]:1/mcp'");
}

TEST(Reproduce, TellsTheTokensOfSeveralUsersApart) {
  TargetAccess access = scripted_target([](const auto&, const auto&) {});
  access.kind = TransportKind::kHttp;
  access.shell_form = "http://x/mcp";
  const transport::Headers shown = {{"Authorization", "Bearer s3cret-token"}};
  access.tokens = {{"alice", "s3cret-token"}};
  EXPECT_NE(reproduced_over_http(access, shown).find("\"Authorization: ${AUTHORIZATION}\""),
            std::string::npos);
  access.tokens.push_back({"bob", "0ther-token"});
  EXPECT_NE(reproduced_over_http(access, shown).find("\"Authorization: Bearer ${TOKEN_1}\""),
            std::string::npos);
  EXPECT_EQ(reproduce_with_suite(access, model::Revision::v2025_11_25, "a"),
            "mcp-assay server --revision 2025-11-25 --scenario a --verbose "
            "--auth-token-file \"${AUTH_TOKEN_FILE}\" --url http://x/mcp");
}

TEST(Reproduce, ShowsNoFieldThatAShellWouldNotGetAsItWas) {
  TargetAccess access = scripted_target([](const auto&, const auto&) {});
  access.kind = TransportKind::kHttp;
  access.shell_form = "http://127.0.0.1:1/mcp";
  EXPECT_EQ(reproduced_over_http(access, {{"X-A", "\x1b[31m"}}), "");
  EXPECT_EQ(reproduced_over_http(access, {{"X-A`id`", "a"}}), "");
  EXPECT_EQ(reproduced_over_http(access, {{"Last-Event-ID", "7"}}), "");
}

TEST(Reproduce, WhatNamesATaskIsShownByTheSuiteAlone) {
  TargetAccess access = scripted_target([](const auto&, const auto&) {});
  access.shell_form = "node x.js";
  Transcript transcript;
  transport::Observation line;
  line.kind = transport::Observation::Kind::kLine;
  line.speaker = transport::Party::kClient;
  line.bytes = R"({"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"77"}})";
  transcript.observe(line);
  EXPECT_EQ(reproduce(access, transcript.events(), transcript.events()), "");
  EXPECT_EQ(reproduce_with_suite(access, model::Revision::v2025_11_25, "tasks_x"),
            "mcp-assay server --revision 2025-11-25 --scenario tasks_x --verbose -- node x.js");
  access.kind = TransportKind::kHttp;
  access.shell_form = "http://127.0.0.1:1/mcp";
  EXPECT_EQ(reproduce_with_suite(access, model::Revision::v2025_03_26, "a"),
            "mcp-assay server --revision 2025-03-26 --scenario a --verbose "
            "--url http://127.0.0.1:1/mcp");
}

}  // namespace
}  // namespace assay::harness
