#include "fuzz/live/client/launch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include "fuzz/live/wire/process_use.h"
#include "harness/host/house.h"
#include "harness/host/trap.h"
#include "reference/transport/signals.h"
#include "reports/vault.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A process that is seen to run in so many of a hundred looks does not wait for anything.
constexpr int kBusyShare = 90;
constexpr int kLeastLooks = 5;
// One that is seen to run in fewer is idle, however little of a processor it has had.
constexpr int kIdleShare = 10;
// Times its grace: then others have had the processors for too long.
constexpr int kStarvedAfter = 8;
// How often all that the client started is looked at, and not only itself.
constexpr milliseconds kWideLook{200};
// Memory that is taken in less than this is no work over what came: anybody takes a little now and
// then.
constexpr std::size_t kGrowth = std::size_t{1} << 20;

// The most that it has taken since it runs its own program: what is told of a process at its end
// counts what it was before, a copy of ours.
std::size_t memory_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/status", pid));
  std::string word;
  while (in >> word) {
    std::size_t kibibytes = 0;
    if (word == "VmHWM:" && in >> kibibytes) return kibibytes << 10U;
  }
  return 0;
}

// One of its threads runs, or could.
bool is_running(pid_t pid) {
  std::error_code ignored;
  const std::filesystem::directory_iterator none;
  for (std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", pid), ignored);
       !ignored && thread != none; thread.increment(ignored)) {
    std::ifstream in(thread->path() / "stat");
    std::string text;
    std::getline(in, text);
    const std::size_t name_end = text.rfind(')');
    const bool has_state = name_end != std::string::npos && name_end + 2 < text.size();
    if (has_state && text[name_end + 2] == 'R') return true;
  }
  return false;
}

// The process and all that it started, as far as the kernel tells it at little cost.
std::vector<pid_t> all_of(pid_t pid) {
  constexpr std::size_t kMost = 64;
  std::vector<pid_t> all = {pid};
  for (std::size_t i = 0; i < all.size() && all.size() < kMost; ++i) {
    std::ifstream in(fmt::format("/proc/{0}/task/{0}/children", all[i]));
    for (pid_t child = 0; all.size() < kMost && in >> child;) all.push_back(child);
  }
  return all;
}

// Looks at the client now and then while it runs.
class LaunchWatch {
 public:
  LaunchWatch(const SpoilingServer& server, harness::House& house, const LaunchLimits& limits,
              LaunchReport& report)
      : server_(server), house_(house), limits_(limits), report_(report) {}

  // False: it has had its chance.
  bool look(pid_t pid) {
    const Clock::time_point now = Clock::now();
    const auto blink = std::chrono::duration_cast<milliseconds>(now - looked_at_);
    report_.longest_blink = std::max(report_.longest_blink, blink);
    looked_at_ = now;
    if (server_.last_activity()) note_memory(pid, now);
    if (report_.peak_memory > limits_.memory) return false;
    if (!closed_at_ && is_over(now)) close(now);
    if (!closed_at_) return true;
    const Lateness late = look_at_lingering(pid, now);
    if (is_digesting(now)) return true;
    report_.was_late = late == Lateness::kIdle || late == Lateness::kBusy;
    report_.was_busy = late == Lateness::kBusy;
    return late == Lateness::kNotYet;
  }

 private:
  Lateness look_at_lingering(pid_t pid, Clock::time_point now) {
    const std::vector<pid_t> all = all_of(pid);
    std::uint64_t ticks = 0;
    for (const pid_t each : all) ticks += processor_ticks(each);
    if (lingering_.looks == 0) ticks_at_close_ = ticks;
    ++lingering_.looks;
    lingering_.busy_looks += std::any_of(all.begin(), all.end(), is_running) ? 1 : 0;
    lingering_.time = std::chrono::duration_cast<milliseconds>(now - *closed_at_);
    if (ticks > ticks_at_close_) {
      lingering_.processor_time =
          std::max(lingering_.processor_time, in_milliseconds(ticks - ticks_at_close_));
    }
    return lateness(lingering_, grace_, grace_ * limits_.processor_share / 100);
  }
  bool is_over(Clock::time_point now) {
    const auto latest = server_.last_activity();
    if (!latest) return now > began_ + limits_.start;
    report_.had_too_many = server_.requests() > limits_.requests;
    const bool is_silent = now > *latest + limits_.quiet && !is_digesting(now);
    return report_.had_too_many || is_silent || now > began_ + limits_.total;
  }
  // It is still taking memory for what it was sent, and says nothing meanwhile: cut short, it would
  // hide how much it takes. Who never stops has until `total`.
  bool is_digesting(Clock::time_point now) const {
    return grew_at_ && now <= *grew_at_ + limits_.quiet && now <= began_ + limits_.total;
  }
  void close(Clock::time_point now) {
    report_.was_closed = true;
    grace_ = (server_.may_wait() ? limits_.waiting_grace : limits_.grace) +
             limits_.grace_for_mebibyte * static_cast<int>(server_.sent_bytes() >> 20U);
    house_.hang_up();
    closed_at_ = now;
  }
  void note_memory(pid_t pid, Clock::time_point now) {
    std::size_t held = memory_of(pid);
    if (now >= next_wide_look_) {
      next_wide_look_ = now + kWideLook;
      for (const pid_t each : all_of(pid)) held = std::max(held, memory_of(each));
    }
    report_.peak_memory = std::max(report_.peak_memory, held);
    if (held < grown_to_ + kGrowth) return;
    grown_to_ = held;
    grew_at_ = now;
  }
  const SpoilingServer& server_;
  harness::House& house_;
  const LaunchLimits& limits_;
  LaunchReport& report_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point looked_at_ = began_;
  Clock::time_point next_wide_look_ = began_;
  std::size_t grown_to_ = 0;
  std::optional<Clock::time_point> grew_at_;
  std::optional<Clock::time_point> closed_at_;
  milliseconds grace_{0};
  Lingering lingering_;
  std::uint64_t ticks_at_close_ = 0;
};

std::vector<std::pair<std::string, std::string>> environment_of(const ClientTarget& target) {
  auto environment = target.environment;
  environment.emplace_back("MCP_CONFORMANCE_SCENARIO", "tools_call");
  environment.emplace_back("MCP_CONFORMANCE_PROTOCOL_VERSION", target.revision.text());
  return environment;
}

}  // namespace

std::shared_ptr<reports::Vault> vault_of(const ClientTarget& target) {
  auto vault = std::make_shared<reports::Vault>();
  for (const auto& [name, value] : target.environment) {
    vault->add(value, fmt::format("${{{}}}", name));
  }
  return vault;
}

Lateness lateness(const Lingering& client, milliseconds grace, milliseconds needed) {
  if (client.time < grace || client.looks < kLeastLooks) return Lateness::kNotYet;
  const auto ran_in = [&](int percent) {
    return client.busy_looks * 100 >= client.looks * percent;
  };
  // On a busy machine a while is no time at all for who wants a processor.
  const milliseconds wanted = client.time * client.busy_looks / client.looks;
  const bool had_its_time =
      client.processor_time >= needed || client.processor_time * 2 >= wanted || !ran_in(kIdleShare);
  if (had_its_time) return ran_in(kBusyShare) ? Lateness::kBusy : Lateness::kIdle;
  return client.time < grace * kStarvedAfter ? Lateness::kNotYet : Lateness::kStarved;
}

std::variant<LaunchReport, std::string> launch(const ClientTarget& target, SpoilPlan plan,
                                               const LaunchLimits& limits,
                                               const std::stop_token& stop) {
  harness::Trap trap;
  if (auto trouble = trap.start()) return *std::move(trouble);
  SpoilingServer server(target.revision, !target.is_stdio, std::move(plan),
                        trap.origin() + "/assay-canary");
  const auto vault = vault_of(target);
  const harness::HouseOptions where = {
      .revisions = {target.revision}, .relay_program = target.program, .vault = vault};
  const std::unique_ptr<harness::House> house = target.is_stdio
                                                    ? harness::make_stdio_house(server, where)
                                                    : harness::make_http_house(server, where);
  if (auto trouble = house->start()) return *std::move(trouble);
  LaunchReport report;
  report.most_memory = limits.memory;
  LaunchWatch watch(server, *house, limits, report);
  harness::Guest guest(house->told(target.words), environment_of(target));
  const Clock::time_point began = Clock::now();
  constexpr std::chrono::minutes kForWhatIsSent{10};  // the watch ends it before
  const milliseconds longest =
      limits.start + limits.total + limits.grace + limits.waiting_grace + kForWhatIsSent;
  report.end = guest.run(longest, stop, nullptr, [&](pid_t pid) { return watch.look(pid); });
  // Before anything of it is quoted, which may be a part only.
  vault->redact_piece(report.end.errors);
  report.duration = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
  harness::Recorded recorded = house->close();
  report.sessions = std::move(recorded.sessions);
  if (!recorded.beside.events.empty()) report.sessions.push_back(std::move(recorded.beside));
  report.notes = server.notes();
  report.fetched = trap.hits();
  trap.stop();
  return report;
}

std::vector<LaunchOutcome> launch_all(const ClientTarget& target,
                                      const std::vector<SpoilPlan>& plans,
                                      const LaunchLimits& limits, const std::stop_token& stop) {
  std::vector<LaunchOutcome> all(plans.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    threads.emplace_back([&, i] {
      transport::take_no_signals();
      all[i] = launch(target, plans[i], limits, stop);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return all;
}

}  // namespace assay::fuzz
