// `mcp-assay tap` as a process between two others.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "harness/recording/recording.h"
#include "harness/runner/passive.h"
#include "harness/transcript/transcript.h"
#include "reference/client/session.h"
#include "reference/transport/http_client.h"
#include "reference/transport/stdio_child.h"
#include "reports/json.h"

namespace assay::cli {
namespace {

using harness::Event;
using harness::EventPtr;
using transport::Party;
using Kind = transport::Observation::Kind;

const std::string kProgram = std::string(ASSAY_BINARY_DIR) + "/bin/mcp-assay";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

class Tap : public testing::Test {
 protected:
  Tap() {
    std::string name = (std::filesystem::temp_directory_path() / "tap_test_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Tap() override {
    if (child_) child_->close(soon());
    std::filesystem::remove_all(folder_);
  }

  static harness::Clock::time_point soon() {
    return harness::Clock::now() + std::chrono::seconds(30);
  }
  std::string path(const std::string& name) const { return folder_ / name; }

  // We are the client, and see what one sees.
  void start(const std::vector<std::string>& server) {
    transport::StdioOptions options;
    options.spawn.command = {
        kProgram,       "tap",
        "--report",     "json=" + path("{party}.json"),
        "--transcript", path("transcript.jsonl"),
    };
    options.spawn.command.insert(options.spawn.command.end(), more_.begin(), more_.end());
    options.spawn.command.emplace_back("--");
    options.spawn.command.insert(options.spawn.command.end(), server.begin(), server.end());
    options.exit_grace = std::chrono::seconds(20);
    child_ = std::make_unique<transport::StdioChild>(options, seen_);
    ASSERT_EQ(child_->open(), std::nullopt);
  }
  void start_shell(const std::string& script) { start({"/bin/sh", "-c", script}); }

  // The next line that came from the server.
  std::string next_line() {
    while (const EventPtr event = seen_.wait_for(next_, soon())) {
      ++next_;
      if (event->observation.kind == Kind::kExit) break;
      if (event->is_from_server() && event->observation.kind == Kind::kLine) {
        return std::string(event->observation.bytes());
      }
    }
    return "";
  }
  std::string errors() const {
    std::string out;
    for (const EventPtr& event : seen_.events()) {
      if (event->observation.kind == Kind::kStderr) out += event->observation.bytes();
    }
    return out;
  }
  transport::ProcessExit exit() { return child_->wait_for_exit(soon()).value(); }

  // A polite client's tour, line by line.
  void converse() {
    std::vector<std::string> lines = {
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
        R"("capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}})",
        R"({"jsonrpc":"2.0","method":"notifications/initialized"})"};
    int id = 0;
    for (const char* method : {"ping", "tools/list", "resources/list", "prompts/list", "ping"}) {
      lines.push_back(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id) + R"(,"method":")" +
                      method + "\"}");
    }
    for (const std::string& line : lines) {
      child_->send(line);
      const bool is_request = line.find("\"id\"") != std::string::npos;
      if (is_request && !await_answer()) return;
    }
  }
  // False if the server has ended.
  bool await_answer() {
    for (std::string line = next_line(); !line.empty(); line = next_line()) {
      const Json json = Json::parse(line, nullptr, false);
      if (json.is_object() && json.contains("id") && !json.contains("method")) return true;
    }
    return false;
  }

  std::map<std::string, reports::Outcome> tapped(Party party) const {
    const auto parsed =
        reports::parse_json(text_of(path(std::string(transport::name(party)) + ".json")));
    if (const auto* result = std::get_if<reports::Result>(&parsed)) return outcomes(*result);
    ADD_FAILURE() << std::get<std::string>(parsed);
    return {};
  }
  // What the same monitors say of what we saw ourselves.
  std::map<std::string, reports::Outcome> direct(Party party) const {
    harness::PassiveJudge judge(party);
    harness::RecordedSession session;
    session.events = seen_.events();
    session.is_whole = true;
    judge.add(session);
    return outcomes(judge.finish({}));
  }
  static std::map<std::string, reports::Outcome> outcomes(const reports::Result& result) {
    std::map<std::string, reports::Outcome> out;
    for (const reports::Run& run : result.runs) {
      for (const reports::Verdict& verdict : run.verdicts) {
        // What a server says on its standard error goes past the tap.
        if (verdict.requirement == "stdio.stderr-logging") continue;
        out[run.revision + " " + verdict.requirement] = verdict.outcome;
      }
    }
    return out;
  }

  std::filesystem::path folder_;
  harness::Transcript seen_;
  std::unique_ptr<transport::StdioChild> child_;
  std::size_t next_ = 0;
  std::vector<std::string> more_;  // options of the tap
};

class TapOfFault : public Tap, public testing::WithParamInterface<std::string> {};

TEST_P(TapOfFault, JudgesAsIfItWereNotThere) {
  std::vector<std::string> server = {kProgram, "reference-server"};
  if (!GetParam().empty()) server.insert(server.end(), {"--fault", GetParam()});
  start(server);
  converse();
  child_->close(soon());
  for (const Party party : {Party::kServer, Party::kClient}) {
    EXPECT_EQ(tapped(party), direct(party));
  }
  int violated = 0;
  const auto found = tapped(Party::kServer);
  for (const auto& [rule, outcome] : found) violated += outcome == reports::Outcome::kViolated;
  EXPECT_GT(found.size(), 100u);
  EXPECT_EQ(violated > 0, !GetParam().empty());
  EXPECT_EQ(errors(), "");
}

INSTANTIATE_TEST_SUITE_P(OfTheReferenceServer, TapOfFault,
                         testing::Values("", "ping-with-content", "no-jsonrpc-member",
                                         "tools-without-input-schema", "answers-twice",
                                         "id-of-other-type", "jsonrpc-1", "request-id-null",
                                         "no-server-info", "ends-at-list"),
                         [](const auto& fault) {
                           std::string name = fault.param.empty() ? "none" : fault.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(Tap, EndsAsItsServerDoes) {
  start_shell("exit 7");
  EXPECT_EQ(exit().code, 7);
}

TEST_F(Tap, EndsByTheSignalThatEndedItsServer) {
  start_shell("kill -9 $$");
  EXPECT_EQ(exit().signal, SIGKILL);
  EXPECT_NE(tapped(Party::kServer).size(), 1u);
}

TEST_F(Tap, PassesSignalsOn) {
  start_shell("trap 'exit 9' TERM; echo ready; while :; do read line || exit 1; done");
  EXPECT_EQ(next_line(), "ready");
  ::kill(child_->pid(), SIGTERM);
  child_->close_stdin();
  EXPECT_EQ(exit().code, 9);
}

TEST_F(Tap, SaysNothingByItself) {
  start_shell("echo out; echo err >&2; cat >/dev/null");
  child_->close_stdin();
  EXPECT_EQ(next_line(), "out");
  EXPECT_EQ(exit().code, 0);
  child_->close(soon());
  EXPECT_EQ(errors(), "err\n");
}

TEST_F(Tap, PassesOnWhatComesBehindTheEndOfInput) {
  start_shell("wc -c");
  child_->send(std::string(3u << 20, 'x'));
  child_->close_stdin();
  EXPECT_NE(next_line().find("3145729"), std::string::npos);
  EXPECT_EQ(exit().code, 0);
}

TEST_F(Tap, TellsOfACommandThatThereIsNot) {
  start({"/no/such/server"});
  EXPECT_EQ(exit().code, 127);
  child_->close(soon());
  EXPECT_NE(errors().find("/no/such/server"), std::string::npos);
}

// Also where the server would go on without us.
TEST_F(Tap, LeavesNobodyBehindWhenItIsKilled) {
  start_shell("sleep 1000 & echo $$ $!; trap '' TERM; while :; do sleep 1000; done");
  std::istringstream numbers(next_line());
  std::vector<int> ends;
  for (pid_t pid = 0; numbers >> pid;) {
    ends.push_back(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  }
  ASSERT_EQ(ends.size(), 2u);
  child_->send("hello");
  // What passed is in the transcript before long, and not only at the end.
  const auto deadline = soon();
  while (text_of(path("transcript.jsonl")).find("hello") == std::string::npos &&
         harness::Clock::now() < deadline) {
    std::this_thread::yield();
  }
  ::kill(child_->pid(), SIGKILL);
  for (const int end : ends) {
    pollfd watched{end, POLLIN, 0};
    EXPECT_EQ(::poll(&watched, 1, 30'000), 1);
    ::close(end);
  }
  std::ifstream transcript(path("transcript.jsonl"));
  std::size_t events = 0;
  const auto read = harness::read_recording(transcript, std::make_shared<reports::Vault>(),
                                            [&](const harness::RecordedSession& session) {
                                              events += session.events.size();
                                              EXPECT_FALSE(session.is_whole);
                                            });
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(events, 2u);
}

TEST_F(Tap, HidesSecretsOfTheCommand) {
  start({"/bin/sh", "-c", "read line; echo \"$2\"", "x", "--api-key", "sesame-sesame"});
  child_->send("{}");
  EXPECT_EQ(next_line(), "sesame-sesame");
  child_->close(soon());
  const std::string transcript = text_of(path("transcript.jsonl"));
  EXPECT_EQ(transcript.find("sesame"), std::string::npos);
  EXPECT_NE(transcript.find("token#1"), std::string::npos);
  EXPECT_EQ(text_of(path("server.json")).find("sesame"), std::string::npos);
}

// The shapes are there, and nobody is blamed for what stands in place of the values.
TEST_F(Tap, LeavesValuesOutOfTheTranscriptOnRequest) {
  more_ = {"--redact"};
  start({kProgram, "reference-server"});
  converse();
  child_->close(soon());
  EXPECT_EQ(tapped(Party::kServer), direct(Party::kServer));
  EXPECT_EQ(text_of(path("transcript.jsonl")).find("This is a simple text"), std::string::npos);
  std::ifstream transcript(path("transcript.jsonl"));
  harness::PassiveJudge judge(Party::kServer);
  const auto read = harness::read_recording(
      transcript, std::make_shared<reports::Vault>(),
      [&](const harness::RecordedSession& session) { EXPECT_TRUE(judge.add(session)); });
  EXPECT_EQ(read.error, "");
  for (const auto& [rule, outcome] : outcomes(judge.finish({}))) {
    EXPECT_NE(outcome, reports::Outcome::kViolated) << rule;
  }
}

// The disk is full, and the traffic goes on; the report says so.
TEST_F(Tap, GoesOnWhereNothingCanBeWritten) {
  std::filesystem::create_symlink("/dev/full", path("transcript.jsonl"));
  start({kProgram, "reference-server"});
  converse();
  child_->close(soon());
  const auto parsed = reports::parse_json(text_of(path("server.json")));
  const auto& result = std::get<reports::Result>(parsed);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kConformant);
  EXPECT_NE(result.runs[0].reason.find("No space"), std::string::npos) << result.runs[0].reason;
}

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
