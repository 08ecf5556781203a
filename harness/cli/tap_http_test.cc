// `mcp-assay tap --url` between clients and an HTTP server.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "harness/cli/tap_testing.h"
#include "harness/recording/recording.h"
#include "reference/client/session.h"
#include "reference/transport/http_client.h"

namespace assay::cli {
namespace {

// A server, the tap before it, and a client that sees what a client sees.
class TapOfHttp : public Tap {
 protected:
  // The URL of the tap.
  std::string start_both(const std::vector<std::string>& faults) {
    std::vector<std::string> command = {kProgram, "reference-server", "--transport", "http"};
    for (const std::string& fault : faults) command.insert(command.end(), {"--fault", fault});
    const std::string server = start_listening(server_, server_seen_, std::move(command));
    return start_listening(
        tap_, tap_seen_,
        {kProgram, "tap", "--url", server, "--report", "json=" + path("{party}.json"),
         "--transcript", path("transcript.jsonl")});
  }
  static std::string start_listening(std::unique_ptr<transport::StdioChild>& child,
                                     harness::Transcript& seen, std::vector<std::string> command) {
    transport::StdioOptions options;
    options.spawn.command = std::move(command);
    child = std::make_unique<transport::StdioChild>(options, seen);
    EXPECT_EQ(child->open(), std::nullopt);
    const EventPtr first = seen.wait_for(0, soon());
    const std::string line(first ? first->observation.bytes() : "");
    return line.substr(std::min(line.find("http"), line.size()));
  }
  void TearDown() override {
    for (transport::StdioChild* child : {tap_.get(), server_.get()}) {
      if (child == nullptr) continue;
      child->signal(SIGTERM);
      child->close(soon());
    }
  }
  // Sees what the session sees as well.
  struct Both : transport::Observer {
    transport::Observer* one;
    transport::Observer* other;
    void observe(const transport::Observation& observation) override {
      one->observe(observation);
      other->observe(observation);
    }
  };
  void talk(const std::string& url) {
    client::ClientSession session({});
    Both both;
    both.one = &seen_;
    both.other = &session;
    transport::HttpClient http(std::get<transport::HttpUrl>(transport::HttpUrl::parse(url)), {},
                               both);
    ASSERT_EQ(session.open(http), std::nullopt);
    EXPECT_TRUE(session.initialize(soon()).is_result());
    session.request("ping", nullptr, soon());
    session.list_all("tools/list", "tools", soon());
    session.list_all("prompts/list", "prompts", soon());
    const auto ended = http.end_session();
    if (ended) session.wait_until_over(*ended, soon());
    session.close(soon());
  }
  void stop_tap() {
    tap_->signal(SIGTERM);
    EXPECT_NE(tap_->wait_for_exit(soon()), std::nullopt);
  }

  harness::Transcript server_seen_;
  harness::Transcript tap_seen_;
  std::unique_ptr<transport::StdioChild> server_;
  std::unique_ptr<transport::StdioChild> tap_;
};

class TapOfHttpFault : public TapOfHttp, public testing::WithParamInterface<std::string> {};

TEST_P(TapOfHttpFault, FindsWhatItsClientSees) {
  const std::string fault = GetParam();
  const std::string url =
      start_both(fault.empty() ? std::vector<std::string>() : std::vector<std::string>{fault});
  talk(url);
  stop_tap();
  std::set<std::string> tapped_violations;
  for (const auto& [rule, outcome] : tapped(Party::kServer)) {
    if (outcome == reports::Outcome::kViolated) tapped_violations.insert(rule);
  }
  std::set<std::string> seen_violations;
  harness::PassiveJudge judge(Party::kServer);
  harness::RecordedSession session;
  session.events = seen_.events();
  session.transport = harness::TransportKind::kHttp;
  session.is_whole = true;
  judge.add(session);
  for (const auto& [rule, outcome] : outcomes(judge.finish({}))) {
    if (outcome == reports::Outcome::kViolated) seen_violations.insert(rule);
  }
  EXPECT_EQ(tapped_violations, seen_violations);
  EXPECT_EQ(tapped_violations.empty(), fault.empty());
}

INSTANTIATE_TEST_SUITE_P(OfTheReferenceServer, TapOfHttpFault,
                         testing::Values("", "ping-with-content", "notification-200",
                                         "session-id-with-space", "jsonrpc-1"),
                         [](const auto& fault) {
                           std::string name = fault.param.empty() ? "none" : fault.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(TapOfHttp, JudgesEachSessionByItself) {
  const std::string url = start_both({});
  talk(url);
  talk(url);
  stop_tap();
  const auto parsed = reports::parse_json(text_of(path("server.json")));
  const auto& result = std::get<reports::Result>(parsed);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].transport, "http");
  EXPECT_EQ(result.runs[0].cost.sessions, 2);
  std::ifstream transcript(path("transcript.jsonl"));
  int sessions = 0;
  EXPECT_EQ(harness::read_recording(transcript, std::make_shared<reports::Vault>(),
                                    [&](const harness::RecordedSession&) { ++sessions; })
                .error,
            "");
  EXPECT_EQ(sessions, 2);
}

}  // namespace
}  // namespace assay::cli
