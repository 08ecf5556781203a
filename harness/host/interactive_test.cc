#include "harness/host/interactive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "harness/host/guest.h"

namespace assay::harness {
namespace {

using model::Revision;
using reports::Outcome;
using reports::RunStatus;

constexpr const char* kProgramOfClient = ASSAY_PROGRAM;

// A host, and the reference client in the part of an application that somebody starts by hand.
class Interactive : public testing::Test {
 protected:
  void host(TransportKind transport, std::vector<Revision> revisions = all_revisions()) {
    InteractiveOptions options;
    options.transport = transport;
    options.relay_program = kProgramOfClient;
    options.revisions = std::move(revisions);
    options.vault = std::make_shared<reports::Vault>();
    options.on_transcript = [this](auto, auto, auto) { ++transcripts_; };
    host_ = std::make_unique<InteractiveHost>(options, board_);
    ASSERT_EQ(host_->start(), std::nullopt);
  }
  static std::vector<Revision> all_revisions() {
    return {Revision::all().begin(), Revision::all().end()};
  }
  // What an application is told: a URL, or the configuration of a server.
  std::vector<std::string> words_to_connect() const {
    if (host_->where().starts_with("http://localhost:")) return {host_->where()};
    const Json config = Json::parse(host_->where());
    const Json& server = config.at("mcpServers").at("assay");
    std::vector<std::string> words = {"--", server.at("command")};
    for (const Json& word : server.at("args")) words.push_back(word);
    return words;
  }
  GuestEnd visit(const std::string& revision, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command = {kProgramOfClient, "reference-client", "--revision",
                                        revision};
    command.insert(command.end(), more.begin(), more.end());
    for (std::string& word : words_to_connect()) command.push_back(std::move(word));
    Guest guest(command, {});
    return guest.run(std::chrono::seconds(60), {});
  }
  reports::Result finish() { return host_->finish({}); }
  std::vector<std::string> next() const {
    WatchBoard::Place place;
    return board_.since(place).guide.value().next;
  }
  bool is_next(std::string_view words) const {
    const auto all = next();
    return std::any_of(all.begin(), all.end(), [&](const std::string& each) {
      return each.find(words) != std::string::npos;
    });
  }
  static std::set<std::string> violated(const reports::Result& result) {
    std::set<std::string> rules;
    for (const reports::Run& run : result.runs) {
      for (const reports::Verdict& verdict : run.verdicts) {
        if (verdict.outcome == Outcome::kViolated) rules.insert(verdict.requirement);
      }
    }
    return rules;
  }

  WatchBoard board_;
  int transcripts_ = 0;
  std::unique_ptr<InteractiveHost> host_;
};

class InteractiveOver : public Interactive, public testing::WithParamInterface<TransportKind> {};

INSTANTIATE_TEST_SUITE_P(Transports, InteractiveOver,
                         testing::Values(TransportKind::kHttp, TransportKind::kStdio),
                         [](const auto& each) { return std::string(name(each.param)); });

TEST_P(InteractiveOver, JudgesEachRevisionThatIsSpoken) {
  host(GetParam());
  for (const Revision revision : Revision::all()) {
    EXPECT_TRUE(visit(std::string(revision.text())).is_sound()) << revision.text();
  }
  const reports::Result result = finish();
  EXPECT_EQ(result.target.subject, "client");
  EXPECT_EQ(result.target.name, "mcp-assay-reference-client");
  EXPECT_FALSE(result.was_interrupted);
  EXPECT_EQ(violated(result), std::set<std::string>());
  // Streamable HTTP came with the second.
  const std::size_t spoken = Revision::all().size();
  EXPECT_EQ(result.runs.size(), spoken);
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, RunStatus::kConformant) << run.revision << ": " << run.reason;
  }
  EXPECT_GE(transcripts_, static_cast<int>(spoken));
}

TEST_P(InteractiveOver, ServesSeveralAtOnceAndOneAfterAnother) {
  host(GetParam());
  for (int round = 0; round < 2; ++round) {
    std::vector<std::thread> visitors;
    std::vector<GuestEnd> ends(3);
    for (GuestEnd& end : ends) {
      visitors.emplace_back([this, &end] { end = visit("2025-11-25"); });
    }
    for (std::thread& each : visitors) each.join();
    for (const GuestEnd& end : ends) EXPECT_TRUE(end.is_sound()) << end.text();
  }
  const reports::Result result = finish();
  EXPECT_EQ(violated(result), std::set<std::string>());
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].status, RunStatus::kConformant) << result.runs[0].reason;
  EXPECT_GE(transcripts_, 6);
}

TEST_P(InteractiveOver, BlamesAFaultyClient) {
  host(GetParam());
  visit("2025-11-25");
  visit("2025-11-25", {"--fault=request-id-null"});
  const reports::Result result = finish();
  EXPECT_TRUE(violated(result).contains("jsonrpc.request-id-not-null"));
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].status, RunStatus::kViolations);
}

TEST_P(InteractiveOver, SaysWhatToDoUntilItIsDone) {
  host(GetParam());
  EXPECT_TRUE(is_next("connect"));
  EXPECT_TRUE(is_next("test_slow"));
  visit("2025-11-25");
  finish();
  EXPECT_FALSE(is_next("connect"));
  // The reference client calls no tool that takes its time.
  EXPECT_TRUE(is_next("test_slow"));
  EXPECT_FALSE(is_next("test_sampling"));
}

TEST_P(InteractiveOver, FailsWhereNothingConnects) {
  host(GetParam());
  const reports::Result result = finish();
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].status, RunStatus::kFailed);
  EXPECT_EQ(result.runs[0].reason, "nothing connected");
  EXPECT_FALSE(result.was_interrupted);
}

}  // namespace
}  // namespace assay::harness
