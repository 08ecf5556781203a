// Clients that show nothing: what a run of each is called, and why.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/host/certify_client.h"

namespace assay::harness {
namespace {

using reports::RunStatus;

struct NobodyTold : reports::Events {
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

// Words of the shell for what a client does. post() shows the response, and says() waits for one
// line.
constexpr const char* kWords = R"(
initialize='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"odd","version":"1"}}}'
initialized='{"jsonrpc":"2.0","method":"notifications/initialized"}'
list='{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
port=${1#http://localhost:}; port=${port%/mcp}
post() {
  exec 3<>/dev/tcp/localhost/$port
  printf 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: %s\r\n' "$1" >&3
  printf 'Accept: application/json, text/event-stream\r\nContent-Length: %s\r\n' ${#2} >&3
  [ -z "$session" ] || printf 'Mcp-Session-Id: %s\r\nMCP-Protocol-Version: 2025-11-25\r\n' $session >&3
  printf '\r\n%s' "$2" >&3
  cat <&3
  exec 3>&-
}
begin() {
  session=$(post application/json "$initialize" | tr -d '\r' | sed -n 's/^[Mm][Cc][Pp]-[Ss]ession-[Ii]d: //p')
}
start() { coproc server { "$@"; }; }
says() { echo "$1" >&${server[1]}; }
reads() { read -r line <&${server[0]}; }
)";

struct OddClient {
  const char* name;
  TransportKind transport;
  const char* script;
  RunStatus status;
  const char* words;  // in the reason
  // In the second of them a client may fail.
  std::vector<std::string_view> scenarios = {"initialize", "server-silent"};
};

std::ostream& operator<<(std::ostream& out, const OddClient& client) {
  return out << client.name << " over " << name(client.transport);
}

constexpr TransportKind kOverHttp = TransportKind::kHttp;
constexpr TransportKind kOverStdio = TransportKind::kStdio;

class OddClients : public testing::TestWithParam<OddClient> {};

TEST_P(OddClients, AreCalledWhatTheyAre) {
  const OddClient& client = GetParam();
  CertifyClientOptions options;
  options.command.words = {"/bin/bash", "-c", std::string(kWords) + client.script, "client"};
  options.command.relay_program = ASSAY_PROGRAM;
  options.command.transport = client.transport;
  options.revisions = {model::Revision::v2025_11_25};
  options.wants = [&](std::string_view scenario) {
    return std::find(client.scenarios.begin(), client.scenarios.end(), scenario) !=
           client.scenarios.end();
  };
  options.patience.scenario = std::chrono::milliseconds(1500);
  options.vault = std::make_shared<reports::Vault>();
  NobodyTold events;
  const reports::Run run = certify_client(options, events).runs.at(0);
  EXPECT_EQ(run.status, client.status) << run.reason;
  EXPECT_NE(run.reason.find(client.words), std::string::npos) << run.reason;
}

INSTANTIATE_TEST_SUITE_P(
    Each, OddClients,
    testing::Values(
        OddClient{"exits at once", kOverHttp, "exit 1", RunStatus::kFailed,
                  "never connected: it exited with status 1"},
        OddClient{"crashes", kOverHttp, "kill -ABRT $$", RunStatus::kFailed,
                  "never connected: it was ended by signal 6"},
        OddClient{"runs for ever", kOverHttp, "sleep 1000", RunStatus::kFailed,
                  "use --interactive"},
        OddClient{"connects and says nothing", kOverHttp, "exec 3<>/dev/tcp/localhost/$port",
                  RunStatus::kFailed, "connected and said nothing"},
        OddClient{"connects and says nothing", kOverStdio, "\"$@\" </dev/null", RunStatus::kFailed,
                  "connected and said nothing"},
        OddClient{"is refused with 415", kOverHttp, "post text/plain \"$initialize\"; exit 1",
                  RunStatus::kFailed,
                  "took part in nothing: a message of it was refused with HTTP 415"},
        OddClient{"exits after its first request", kOverHttp, "begin; exit 1", RunStatus::kFailed,
                  "took part in nothing: it did not go on after it had connected"},
        OddClient{"exits after its first request, and so where it is asked for a token",
                  kOverHttp,
                  "begin; exit 1",
                  RunStatus::kFailed,
                  "took part in nothing: it did not go on after it had connected",
                  {"initialize", "auth/basic-cimd"}},
        OddClient{"does not log in where nothing goes without a token",
                  kOverHttp,
                  "begin",
                  RunStatus::kFailed,
                  "took part in nothing: it was asked for a token (HTTP 401)",
                  {"auth/basic-cimd"}},
        OddClient{"exits after its first request", kOverStdio,
                  "start \"$@\"; says \"$initialize\"; reads; exit 1", RunStatus::kFailed,
                  "took part in nothing"},
        OddClient{"breaks a rule in all that it says", kOverHttp,
                  "post application/json \"${initialize/'\"2.0\"'/2.0}\"", RunStatus::kViolations,
                  "took part in nothing: a message of it was refused with HTTP 400"},
        OddClient{"breaks a rule in all that it says", kOverStdio,
                  "start \"$@\"; says \"${initialize/'\"2.0\"'/2.0}\"; reads",
                  RunStatus::kViolations, "took part in nothing"},
        OddClient{"shakes hands and no more", kOverHttp,
                  "begin; post application/json \"$initialized\"", RunStatus::kFailed,
                  "listed nothing and called nothing"},
        OddClient{"shakes hands and no more", kOverStdio,
                  "start \"$@\"; says \"$initialize\"; reads; says \"$initialized\"",
                  RunStatus::kFailed, "listed nothing and called nothing"},
        OddClient{"lists and no more", kOverHttp,
                  "begin; post application/json \"$initialized\"; post application/json \"$list\"",
                  RunStatus::kConformant, ""},
        OddClient{
            "lists and no more", kOverStdio,
            "start \"$@\"; says \"$initialize\"; reads; says \"$initialized\"; says \"$list\"; "
            "reads",
            RunStatus::kConformant, ""},
        // As one does that waits a moment for the answer, on a machine that takes longer.
        OddClient{"gives initialize up once", kOverHttp,
                  "begin; [ \"$MCP_CONFORMANCE_SCENARIO\" != initialize ] || exit 0; post "
                  "application/json \"$initialized\"; post application/json \"$list\"",
                  RunStatus::kConformant, ""},
        OddClient{"prints 50 MB", kOverHttp,
                  "yes $(printf '%01000d' 0) | head -c 50000000; begin; post application/json "
                  "\"$initialized\"; post application/json \"$list\"",
                  RunStatus::kConformant, ""},
        OddClient{"is a page in a browser", kOverHttp,
                  "exec 3<>/dev/tcp/localhost/$port; printf 'OPTIONS /mcp HTTP/1.1\\r\\nHost: "
                  "localhost\\r\\nOrigin: http://localhost:1\\r\\nAccess-Control-Request-Method: "
                  "POST\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3",
                  RunStatus::kFailed, "use --cors"}));

// Minutes would show no more of it.
TEST(OddClient, ThatNeverSaysAnythingIsNotStartedForEachScenario) {
  const std::string starts = testing::TempDir() + "/starts-of-a-mute-client";
  std::filesystem::remove(starts);
  CertifyClientOptions options;
  options.command.words = {"/bin/sh", "-c", "echo >>" + starts + "; exec sleep 1000"};
  options.revisions = {model::Revision::v2025_11_25};
  options.patience.scenario = std::chrono::milliseconds(50);
  options.vault = std::make_shared<reports::Vault>();
  NobodyTold events;
  const reports::Run run = certify_client(options, events).runs.at(0);
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_NE(run.reason.find("never connected"), std::string::npos) << run.reason;
  std::ifstream file(starts);
  const auto count = std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  EXPECT_GT(count, 0);
  EXPECT_LT(count, 20);
  std::filesystem::remove(starts);
}

// What is asked of a run before it is called conformant.
TEST(MinExercised, KeepsTheWordFromARunThatShowsLess) {
  CertifyClientOptions options;
  options.command.words = {ASSAY_PROGRAM, "reference-client"};
  options.revisions = {model::Revision::v2025_11_25};
  options.wants = [](std::string_view scenario) { return scenario == "initialize"; };
  options.vault = std::make_shared<reports::Vault>();
  NobodyTold events;
  for (const int percent : {0, 1, 99}) {
    options.min_exercised = percent;
    const reports::Run run = certify_client(options, events).runs.at(0);
    EXPECT_EQ(run.status, percent == 99 ? RunStatus::kFailed : RunStatus::kConformant) << percent;
    EXPECT_EQ(run.reason.find("fewer than 99 percent") != std::string::npos, percent == 99);
  }
}

}  // namespace
}  // namespace assay::harness
