#include "harness/rules/rule_examples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "harness/coverage.h"
#include "harness/runner/evidence.h"
#include "harness/runner/runner.h"
#include "harness/runner/target.h"
#include "harness/runner/worker_pool.h"
#include "reference/server/faults/fault.h"
#include "reference/server/faults/faulty_server.h"
#include "reference/server/faults/piped_server.h"
#include "reference/server/server.h"
#include "reference/transport/http_server.h"
#include "reference/transport/observer.h"
#include "reports/events.h"

namespace assay::cli {
namespace {

using catalogue::Requirement;
using harness::TransportKind;

// Short enough for what a fault keeps back, long enough for our own server on a busy machine.
constexpr std::chrono::milliseconds kExamplePatience{2000};
// The same within this process, where nothing has to start.
constexpr std::chrono::milliseconds kPatienceWithin{800};
// One that reads nothing while a tool runs must not wait longer for us than we do for it.
constexpr std::chrono::milliseconds kPatienceOfServer{600};
constexpr std::size_t kShortPage = 4;
// Most of a run is waiting for what a fault keeps back.
constexpr int kRunsAtOnce = 8;
constexpr int kSessionsAtOnce = 4;
// How many ways to show a rule broken are tried.
constexpr std::size_t kMostTries = 3;

// How a server is run; a faultless one serves for all faults of a setting.
struct Setting {
  model::Revision revision;
  TransportKind kind = TransportKind::kStdio;
  // Over stdio: a process of its own. A pipe in its place takes a tenth of the time.
  bool is_process = false;
  bool streams_always = false;
  bool has_short_pages = false;

  bool is_piped() const { return kind.has_process() && !is_process; }
  auto key() const {
    return std::tuple(revision, kind, is_process, streams_always, has_short_pages);
  }
  bool operator<(const Setting& other) const { return key() < other.key(); }
};

struct Try {
  Setting setting;
  const server::Fault* fault = nullptr;
};

// Which rules each fault is to show broken.
using Faults = std::map<const server::Fault*, std::set<std::string_view>>;

class NobodyListens : public reports::Events {
 public:
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

std::vector<std::string> server_words(const Setting& setting, const server::Fault* fault) {
  std::vector<std::string> words = {"reference-server"};
  if (setting.kind.has_url()) words.insert(words.end(), {"--transport", "http"});
  if (setting.streams_always) words.insert(words.end(), {"--answers", "sse"});
  if (setting.has_short_pages) {
    words.insert(words.end(), {"--page-size", std::to_string(kShortPage)});
  }
  if (fault != nullptr) words.insert(words.end(), {"--fault", std::string(fault->id)});
  return words;
}

std::string shown_command(const Setting& setting, const server::Fault* fault) {
  return fmt::format("mcp-assay {}", fmt::join(server_words(setting, fault), " "));
}

// A reference server that can be reached for as long as this lives.
class Reference {
 public:
  Reference(const Setting& setting, const server::Fault* fault, const std::string& program)
      : faults_(fault == nullptr ? server::Faults{} : server::Faults{fault}) {
    if (setting.is_process) {
      std::vector<std::string> words = server_words(setting, fault);
      words.insert(words.begin(), program);
      access_ = harness::over_stdio({words, {}, ""});
    } else if (setting.is_piped()) {
      pipe(setting);
    } else {
      listen(setting);
    }
    if (access_) access_->shell_form = shown_command(setting, fault);
  }

  // Nothing if it could not be started.
  const std::optional<harness::TargetAccess>& access() const { return access_; }

 private:
  server::Options options_for(const Setting& setting) const {
    server::Options options;
    if (setting.has_short_pages) options.page_size = kShortPage;
    if (setting.is_piped()) options.client_timeout = kPatienceOfServer;
    server::turn_switches(faults_, options);
    return options;
  }

  void pipe(const Setting& setting) {
    access_.emplace();
    access_->connect = [options = options_for(setting),
                        faults = faults_](transport::Observer& observer) {
      harness::Link link;
      link.transport = std::make_unique<server::PipedServer>(options, faults, observer);
      return link;
    };
  }

  void listen(const Setting& setting) {
    using Answers = transport::HttpServerOptions::Answers;
    const server::Options options = options_for(setting);
    good_ = std::make_unique<server::Server>(options);
    faulty_ = std::make_unique<server::FaultyServer>(*good_, faults_);
    conduct_ = std::make_unique<server::FaultyConduct>(faults_);
    transport::HttpServerOptions http;
    http.revisions = options.all_revisions();
    http.answers = setting.streams_always ? Answers::kSse : Answers::kAuto;
    http_ = std::make_unique<transport::HttpServer>(*faulty_, http, conduct_.get());
    if (http_->start()) return;
    auto made = setting.kind.is_streamable_http()
                    ? harness::over_http({http_->url(), {}, harness::make_budget()})
                    : harness::over_http_sse({http_->sse_url(), {}, harness::make_budget()});
    if (auto* access = std::get_if<harness::TargetAccess>(&made)) access_ = std::move(*access);
  }

  server::Faults faults_;
  std::unique_ptr<server::Server> good_;
  std::unique_ptr<server::FaultyServer> faulty_;
  std::unique_ptr<server::FaultyConduct> conduct_;
  std::unique_ptr<transport::HttpServer> http_;  // ends before what it serves
  std::optional<harness::TargetAccess> access_;
};

// What a pipe carries is what a process would.
void name_lanes(std::vector<reports::Evidence>& events) {
  const std::string pipe = transport::Lane{transport::Lane::Kind::kPipe, 0}.text();
  for (reports::Evidence& event : events) {
    if (event.lane == pipe) event.lane = transport::Lane{}.text();
  }
}

// The scenarios that judge one of the rules; none where a monitor does, which needs them all.
std::set<std::string, std::less<>> scenarios_for(const std::set<std::string_view>& rules,
                                                 const harness::CoverageMap& coverage) {
  std::set<std::string, std::less<>> out;
  for (const std::string_view rule : rules) {
    for (const harness::Coverage& each : coverage.of(rule)) {
      if (!each.judges_servers) continue;
      if (each.kind == harness::Coverage::Kind::kPassive) return {};
      out.insert(each.judge);
    }
  }
  return out;
}

class ExampleMaker {
 public:
  ExampleMaker(const std::string& program, std::stop_token stop)
      : program_(program), stop_(std::move(stop)), coverage_(harness::collect_coverage()) {}

  // The ways to show each rule broken: the fault that breaks the least first.
  std::vector<Try> tries_for(const Requirement& rule) const {
    std::vector<const server::Fault*> faults;
    for (const server::Fault& fault : server::all_faults()) {
      // Servers that ask for tokens, or stand between others, are not run here.
      if (fault.surely_breaks(rule.id) && fault.needs_nothing_else()) faults.push_back(&fault);
    }
    std::stable_sort(faults.begin(), faults.end(), [](const auto* a, const auto* b) {
      return a->breaks.size() < b->breaks.size();
    });
    std::vector<Try> out;
    for (const server::Fault* fault : faults) {
      const auto setting = setting_for(rule, *fault);
      if (!setting) continue;
      out.push_back({*setting, fault});
      if (setting->kind.is_streamable_http()) {
        out.push_back({*setting, fault});
        out.back().setting.streams_always = true;
      }
      if (out.size() >= kMostTries) break;
    }
    return out;
  }

  // Every rule that is not shown yet, in one setting. `told` is called after each fault.
  void show(const Setting& setting, const Faults& faults, RuleExamples& examples,
            const std::function<void()>& told) const {
    std::vector<RecordedSession> right;
    run(setting, nullptr, {}, &right);
    std::mutex mutex;  // guards `examples`, and `told`
    harness::WorkerPool pool(kRunsAtOnce);
    for (const auto& entry : faults) {
      pool.add([&, fault = entry.first, rules = &entry.second] {
        if (stop_.stop_requested()) return;
        const reports::Result result =
            run(setting, fault, scenarios_for(*rules, coverage_), nullptr);
        RuleExamples found = examples_of(setting, *fault, *rules, result, right);
        const std::lock_guard lock(mutex);
        examples.merge(found);
        told();
      });
    }
    pool.drain();
  }

 private:
  static std::optional<Setting> setting_for(const Requirement& rule, const server::Fault& fault) {
    using catalogue::Transport;
    Setting out{model::Revision::v2025_11_25};
    if (rule.transport == Transport::kHttpSse) {
      out.kind = TransportKind::kHttpSse;
    } else if (rule.transport == Transport::kHttp || fault.is_of_http()) {
      out.kind = TransportKind::kHttp;
    }
    out.is_process = out.kind.has_process() && fault.seen_over == server::SeenOver::kProcessOnly;
    out.has_short_pages = fault.is_about_pages();
    bool is_possible = false;
    for (const model::Revision revision : model::Revision::all()) {
      if (is_possible && revision.is_stateless()) break;
      const bool holds = rule.holds_in(revision) && rule.binds_server_in(revision) &&
                         revision.satisfies(fault.concerns) &&
                         (!out.kind.is_http_sse() || revision.has_http_sse());
      if (!holds) continue;
      out.revision = revision;  // the newest that has a handshake, as most servers have it
      is_possible = true;
    }
    return is_possible ? std::optional(out) : std::nullopt;
  }

  reports::Result run(const Setting& setting, const server::Fault* fault,
                      const std::set<std::string, std::less<>>& only,
                      std::vector<RecordedSession>* record) const {
    const Reference reference(setting, fault, program_);
    harness::CertifyOptions options;
    if (!reference.access()) return {};
    options.accesses = {*reference.access()};
    options.revisions = {setting.revision};
    options.tools.kind = harness::ToolPolicy::Kind::kAll;
    options.patience.request = setting.is_piped() ? kPatienceWithin : kExamplePatience;
    options.jobs = kSessionsAtOnce;
    options.stop = stop_;
    if (!only.empty()) options.wants = [&only](auto name) { return only.contains(name); };
    std::mutex mutex;  // guards *record
    if (record != nullptr) {
      options.on_transcript = [&](auto, std::string_view scenario,
                                  std::span<const harness::EventPtr> events) {
        RecordedSession session{std::string(scenario), {}};
        for (const harness::EventPtr& event : events) {
          // A copy: what keeps an event takes from what the target may make us hold.
          session.events.push_back(harness::make_evidence(std::span(&event, 1), "").front());
        }
        name_lanes(session.events);
        const std::lock_guard lock(mutex);
        record->push_back(std::move(session));
      };
    }
    NobodyListens events;
    return harness::certify(options, events);
  }

  static RuleExamples examples_of(const Setting& setting, const server::Fault& fault,
                                  const std::set<std::string_view>& rules,
                                  const reports::Result& result,
                                  const std::vector<RecordedSession>& right) {
    RuleExamples out;
    for (const reports::Run& each : result.runs) {
      for (const reports::Verdict& verdict : each.verdicts) {
        const auto rule = rules.find(verdict.requirement);
        if (verdict.outcome != reports::Outcome::kViolated || rule == rules.end()) continue;
        out[*rule] = example_of(setting, fault, verdict, right);
      }
    }
    return out;
  }

  static RuleExample example_of(const Setting& setting, const server::Fault& fault,
                                const reports::Verdict& verdict,
                                const std::vector<RecordedSession>& right) {
    RuleExample out;
    out.fault = fault.description;
    const std::string where =
        fmt::format("{} over {}", setting.revision.text(), name(setting.kind));
    std::vector<reports::Evidence> wrong = verdict.evidence;
    name_lanes(wrong);
    out.wrong = {shown_command(setting, &fault), where, verdict.detail, wrong};
    out.right = {shown_command(setting, nullptr), where, "",
                 matching_exchange(right, verdict.scenario, wrong)};
    return out;
  }

  const std::string program_;
  const std::stop_token stop_;
  const harness::CoverageMap coverage_;
};

}  // namespace

RuleExamples make_rule_examples(std::span<const Requirement* const> rules,
                                const std::string& program, std::stop_token stop,
                                const std::function<void(std::size_t, std::size_t)>& progress) {
  ExampleMaker maker(program, std::move(stop));
  std::map<std::string_view, std::vector<Try>> tries;
  for (const Requirement* rule : rules) {
    auto ways = maker.tries_for(*rule);
    if (!ways.empty()) tries.emplace(rule->id, std::move(ways));
  }
  RuleExamples examples;
  for (std::size_t round = 0; round < kMostTries; ++round) {
    std::map<Setting, Faults> plan;
    for (const auto& [rule, ways] : tries) {
      if (round >= ways.size() || examples.contains(rule)) continue;
      plan[ways[round].setting][ways[round].fault].insert(rule);
    }
    for (const auto& [setting, faults] : plan) {
      maker.show(setting, faults, examples, [&] { progress(examples.size(), tries.size()); });
    }
  }
  return examples;
}

}  // namespace assay::cli
