// Every hostile peer against `server`, `fuzz` and `bench`: each run ends in time, stays small,
// leaves no process behind, says what the matter was, and accuses nobody of anything else.
//
// Most of a run is waiting, so several go on at once; a test waits for its own. This is the one
// place where a time is asserted: what it guards against are runs of minutes, or without an end.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

#include "reference/hostile/trial.h"

namespace assay::hostile {
namespace {

using testing::AnyOf;

constexpr int kConformant = 0;
constexpr int kViolations = 1;
constexpr int kNotTested = 3;
constexpr int kInterrupted = 130;

// What a report may come to, however much the peer says.
constexpr std::size_t kMostOutputBytes = 256u << 10;
constexpr std::size_t kShownBytes = 3'000;

struct Trial {
  Peer peer;
  Command command;
};

std::vector<Trial> all_trials() {
  std::vector<Trial> trials;
  for (const Peer& peer : all_peers()) {
    for (const Command command : kCommands) trials.push_back({peer, command});
  }
  return trials;
}

std::string name_of(const Trial& trial) {
  std::string text = fmt::format("{}__{}", trial.peer.name, name(trial.command));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

bool names_cause(const Outcome& outcome, std::string_view phrases) {
  while (!phrases.empty()) {
    const std::size_t end = std::min(phrases.find('|'), phrases.size());
    if (outcome.output.find(phrases.substr(0, end)) != std::string::npos) return true;
    phrases.remove_prefix(std::min(end + 1, phrases.size()));
  }
  return false;
}

bool has_to_name_cause(const Trial& trial, const Outcome& outcome) {
  // What was under way when a run is cut short is judged as nothing.
  return trial.command == Command::kServer && !trial.peer.is_sound() &&
         outcome.status != kInterrupted;
}

Outcome outcome_of_run(const Trial& trial, const std::string& folder) {
  const auto with = [&](Patience patience) {
    return run(trial.peer, trial.command, patience, folder);
  };
  if (trial.peer.is_sound()) return with(Patience::kLong);
  Outcome outcome = with(Patience::kShort);
  // On a busy machine anybody may look silent.
  const bool is_clear =
      !has_to_name_cause(trial, outcome) || names_cause(outcome, trial.peer.cause);
  return is_clear ? outcome : with(Patience::kLong);
}

// Runs what was asked for, several at once.
class Runs : public testing::Environment {
 public:
  void SetUp() override {
    for (const Trial& trial : all_trials()) {
      if (!is_wanted(name_of(trial))) continue;
      queue_.push_back(trial);
      outcomes_[name_of(trial)] = promises_.emplace_back().get_future().share();
    }
    folder_ = std::filesystem::path(testing::TempDir()) / fmt::format("hostile-{}", ::getpid());
    std::filesystem::create_directories(folder_);
    constexpr unsigned kAtOncePerCore = 4;
    for (unsigned i = 0; i < kAtOncePerCore * std::thread::hardware_concurrency(); ++i) {
      workers_.emplace_back([this] { work(); });
    }
  }
  void TearDown() override {
    for (std::thread& worker : workers_) worker.join();
    if (testing::UnitTest::GetInstance()->Passed()) std::filesystem::remove_all(folder_);
  }
  const Outcome& outcome_of(const Trial& trial) const { return outcomes_.at(name_of(trial)).get(); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  static bool is_wanted(const std::string& name) {
    const auto* all = testing::UnitTest::GetInstance();
    for (int i = 0; i < all->total_test_suite_count(); ++i) {
      const auto* suite = all->GetTestSuite(i);
      for (int j = 0; j < suite->total_test_count(); ++j) {
        const auto* test = suite->GetTestInfo(j);
        if (test->should_run() && std::string_view(test->name()).ends_with("/" + name)) return true;
      }
    }
    return false;
  }
  void work() {
    for (std::size_t i = next_++; i < queue_.size(); i = next_++) {
      promises_[i].set_value(outcome_of_run(queue_[i], folder_.string()));
    }
  }

  std::vector<Trial> queue_;
  std::deque<std::promise<Outcome>> promises_;
  std::map<std::string, std::shared_future<Outcome>> outcomes_;
  std::atomic<std::size_t> next_{0};
  std::filesystem::path folder_;
  std::vector<std::thread> workers_;
};

Runs& runs() {
  static auto* runs = static_cast<Runs*>(testing::AddGlobalTestEnvironment(new Runs));
  return *runs;
}
const bool kAreRunsKnown = (runs(), true);

void PrintTo(const Trial& trial, std::ostream* out) {
  *out << name_of(trial);
}

class HostilePeer : public testing::TestWithParam<Trial> {};

std::string shown(const Outcome& outcome) {
  return outcome.output.size() <= kShownBytes
             ? outcome.output
             : outcome.output.substr(0, kShownBytes / 2) + " ... " +
                   outcome.output.substr(outcome.output.size() - kShownBytes / 2);
}

void expect_bounded(const Outcome& outcome) {
  EXPECT_FALSE(outcome.is_overdue) << "it was killed after " << outcome.seconds << " s";
  EXPECT_EQ(outcome.processes_left, 0u);
  EXPECT_LE(outcome.output.size(), kMostOutputBytes);
#ifndef ASSAY_IS_SANITIZED
  EXPECT_LE(outcome.peak_megabytes, kMostMegabytes);
#endif
  if (outcome.seconds_after_signal) {
    EXPECT_LE(*outcome.seconds_after_signal, kSecondsAfterSignal + kGraceSeconds);
    // Unless it had nothing left to do.
    EXPECT_THAT(outcome.status, AnyOf(kInterrupted, kConformant, kViolations, kNotTested));
  } else {
    // A run that has reached --max-time is one that was cut short.
    const bool is_cut_short = outcome.output.find("--max-time") != std::string::npos;
    EXPECT_THAT(outcome.status, AnyOf(kConformant, kViolations, kNotTested,
                                      is_cut_short ? kInterrupted : kConformant));
  }
}

void expect_fair(const Trial& trial, const Outcome& outcome) {
  const auto& [peer, command] = trial;
  if (command == Command::kServer || command == Command::kServerInterrupted) {
    for (const std::string& id : outcome.violated()) {
      EXPECT_THAT(peer.breaks, testing::Contains(id));
    }
  }
  if (peer.is_sound() && !outcome.seconds_after_signal) {
    EXPECT_EQ(outcome.status, kConformant);
  }
  if (has_to_name_cause(trial, outcome)) {
    EXPECT_TRUE(names_cause(outcome, peer.cause)) << "none of: " << peer.cause;
  }
  EXPECT_EQ(outcome.output.find(kOutwitted), std::string::npos);
  if (outcome.status != kConformant) {
    EXPECT_NE(outcome.output, "");
  }
}

TEST_P(HostilePeer, IsHeldOff) {
  const auto& [peer, command] = GetParam();
  const Outcome& outcome = runs().outcome_of(GetParam());
  fmt::print(
      "{:32} {:18} {:6.2f} s {:>8} s {:7.1f} MB, status {}\n", peer.name, name(command),
      outcome.seconds,
      outcome.seconds_after_signal ? fmt::format("{:.2f}", *outcome.seconds_after_signal) : "-",
      outcome.peak_megabytes, outcome.status);
  expect_bounded(outcome);
  expect_fair(GetParam(), outcome);
  if (HasFailure()) {
    fmt::print("{}: {}\nIt said: {}\n(files of the run are in {})\n", peer.name, peer.does,
               shown(outcome), runs().folder().string());
  }
}

INSTANTIATE_TEST_SUITE_P(Room, HostilePeer, testing::ValuesIn(all_trials()),
                         [](const auto& each) { return name_of(each.param); });

TEST(HostileRoom, HasManyPeersAndEachSaysWhatItDoes) {
  const std::vector<Peer> peers = all_peers();
  EXPECT_GE(peers.size(), 40u);
  std::map<std::string_view, int> names;
  for (const Peer& peer : peers) {
    EXPECT_EQ(++names[peer.name], 1) << peer.name;
    EXPECT_NE(peer.does, "") << peer.name;
    EXPECT_NE(peer.stdio != nullptr, peer.web != nullptr) << peer.name;
    EXPECT_TRUE(!peer.is_sound() || peer.breaks.empty()) << peer.name;
  }
}

}  // namespace
}  // namespace assay::hostile
