#include "fuzz/live/client/client_fuzzer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>

#include "fuzz/live/text.h"
#include "reference/transport/signals.h"

namespace assay::fuzz {
namespace {

using std::chrono::milliseconds;

constexpr int kSoundLaunches = 2;
constexpr int kMostVain = 3;  // proofs of what looks alike
constexpr int kProofPatience = 3;
// Launches.
constexpr std::uint64_t kTidyEvery = 2;
constexpr std::uint64_t kPromptEvery = 6;
// In percent.
constexpr std::size_t kSpoilsOpening = 12;
constexpr std::size_t kSpoils = 85;
constexpr std::size_t kRough = 15;
// What is known already is done so many times less often.
constexpr std::size_t kKnownShare = 8;
// Singles that are tried in a row when a finding is minimized.
constexpr std::size_t kMostSingles = 24;

using LaunchOutcome = std::variant<LaunchReport, std::string>;

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

std::uint64_t mixed(std::uint64_t seed, std::uint64_t number, std::string_view method,
                    std::size_t occurrence) {
  return hash(fmt::format("{} {} {} {}", seed, number, method, occurrence));
}

const Operator& pick_weighted(const std::vector<const Operator*>& all,
                              const std::vector<std::size_t>& weights, model::Random& random) {
  std::size_t sum = 0;
  for (const std::size_t weight : weights) sum += weight;
  std::size_t roll = random.below(std::max<std::size_t>(sum, 1));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (roll < weights[i]) return *all[i];
    roll -= weights[i];
  }
  return *all.back();
}

}  // namespace

std::string ClientFinding::signature() const {
  std::string text = std::string(name(suspicion.oracle)) + ": " + suspicion.cause;
  // Where the client names its cause, it does not matter what brought it about.
  if (!suspicion.cause.empty() && suspicion.oracle == ClientOracle::kCrash) return text;
  for (const Spoil& spoil : recipe) text += fmt::format(" {}", spoil.what);
  return text;
}

SpoilPlan plan_of(Spoils spoils) {
  SpoilPlan plan;
  plan.chooser = [spoils = std::move(spoils)](const SpoilPlace& place,
                                              std::size_t occurrence) -> std::optional<Spoil> {
    const auto found = std::find_if(spoils.begin(), spoils.end(), [&](const Spoil& each) {
      return each.method == place.method && (each.occurrence == 0 || each.occurrence == occurrence);
    });
    if (found == spoils.end()) return std::nullopt;
    return *found;
  };
  return plan;
}

ClientFuzzer::ClientFuzzer(ClientTarget target, ClientFuzzOptions options)
    : target_(std::move(target)), options_(std::move(options)), limit_(options_.stop) {}

bool ClientFuzzer::has_enough() const {
  return options_.stops_at &&
         std::any_of(outcome_.findings.begin(), outcome_.findings.end(),
                     [&](const auto& each) { return each.suspicion.oracle == *options_.stops_at; });
}

bool ClientFuzzer::is_over() const {
  if (has_enough() || limit_.is_over()) return true;
  return options_.cases && outcome_.progress.cases >= *options_.cases;
}

void ClientFuzzer::tell() {
  const Clock::duration all = Clock::now() - began_;
  outcome_.progress.seconds = std::chrono::duration<double>(all).count();
  outcome_.progress.fuzzing_seconds = std::chrono::duration<double>(all - proving_time_).count();
  outcome_.progress.findings = outcome_.findings.size();
  if (options_.on_progress) options_.on_progress(outcome_.progress);
}

std::variant<ClientFuzzOutcome, std::string> ClientFuzzer::run() {
  if (options_.time) limit_.set(began_ + *options_.time);
  if (auto trouble = survey()) return *std::move(trouble);
  while (!is_over()) {
    if (!fuzz_on()) break;
    tell();
    const bool is_enough =
        options_.stops_at &&
        std::any_of(outcome_.findings.begin(), outcome_.findings.end(),
                    [&](const auto& each) { return each.suspicion.oracle == *options_.stops_at; });
    if (is_enough) break;
  }
  tell();
  return std::move(outcome_);
}

std::variant<std::optional<ClientSuspicion>, std::string> ClientFuzzer::replay(
    const ClientSuspicion& suspicion, const Spoils& spoils) {
  if (auto trouble = survey()) return *std::move(trouble);
  LaunchReport report;
  if (!shows(suspicion, spoils, kProofPatience, &report)) {
    return std::optional<ClientSuspicion>();
  }
  return std::optional(judge_launch(report, outcome_.baseline, {suspicion.oracle}).front());
}

std::optional<LaunchReport> ClientFuzzer::sound_launch(const SpoilPlan& plan,
                                                       std::string& trouble) {
  auto done = launch(target_, plan, LaunchLimits{.quiet = milliseconds(8000)}, limit_.token());
  if (auto* why = std::get_if<std::string>(&done)) {
    trouble = std::move(*why);
    return std::nullopt;
  }
  auto& report = std::get<LaunchReport>(done);
  if (report.was_stopped()) {
    trouble = "the time was over before it had been seen with nothing wrong";
    return std::nullopt;
  }
  return std::move(report);
}

// How it is with nothing wrong, and with plain errors.
std::optional<std::string> ClientFuzzer::survey() {
  std::string trouble;
  std::map<ClientOracle, int> shown;
  ClientSuspicions suspicions;
  // What was learnt from the first would excuse the others.
  const ClientBaseline nothing;
  for (int i = 0; i < kSoundLaunches; ++i) {
    const auto report = sound_launch(plan_of({}), trouble);
    if (!report) return trouble;
    if (!report->notes.was_reached) {
      return fmt::format("the client did not connect: {}{}", report->end.text(),
                         last_words(report->end.errors));
    }
    // What goes on when nothing is wrong is no hang: nobody knows what it waits for.
    std::set<ClientOracle> checks = options_.checks;
    checks.erase(ClientOracle::kMemory);
    checks.erase(ClientOracle::kHang);
    for (const ClientSuspicion& each : judge_launch(*report, nothing, checks)) {
      if (++shown[each.oracle] == kSoundLaunches) suspicions.push_back(each);
    }
    outcome_.baseline.learn(*report);
  }
  for (const ClientSuspicion& each : suspicions) {
    ClientFinding finding;
    finding.suspicion = each;
    add(std::move(finding));
  }
  for (const bool is_opening : {true, false}) {
    const Chooser refuse = [is_opening](const SpoilPlace& place,
                                        std::size_t occurrence) -> std::optional<Spoil> {
      if (place.opens() != is_opening || place.method == "GET") return std::nullopt;
      return Spoil{std::string(place.method), occurrence, "plain-error", 0};
    };
    const auto report = sound_launch(SpoilPlan{refuse}, trouble);
    if (!report) return trouble;
    const auto before = outcome_.baseline;
    outcome_.baseline.learn(*report);
    // Only how it ends counts: how long it waits, and what it asks, is of other launches.
    outcome_.baseline.duration = before.duration;
    outcome_.baseline.pause = before.pause;
  }
  return std::nullopt;
}

SpoilPlan ClientFuzzer::plan_for(std::uint64_t number) {
  const auto was_rough = std::make_shared<bool>(false);
  SpoilPlan plan;
  plan.is_tidy = number % kTidyEvery == 1;
  plan.is_prompt = number % kPromptEvery == 1;
  plan.chooser = [this, number, was_rough](const SpoilPlace& place, std::size_t occurrence) {
    return choose(number, place, occurrence, *was_rough);
  };
  return plan;
}

std::optional<Spoil> ClientFuzzer::choose(std::uint64_t number, const SpoilPlace& place,
                                          std::size_t occurrence, bool& was_rough) {
  model::Random random(mixed(options_.seed, number, place.method, occurrence));
  if (!random.chance(place.opens() ? kSpoilsOpening : kSpoils)) return std::nullopt;
  const bool is_rough = random.chance(kRough) && !was_rough;
  std::vector<const Operator*> all;
  std::vector<std::size_t> weights;
  for (const Operator& one : all_operators()) {
    if (one.weight == 0 || one.is_rough != is_rough || !fits(one, place)) continue;
    all.push_back(&one);
    const bool is_known = known_operators_.contains(std::string(one.name));
    weights.push_back(is_known ? std::max<std::size_t>(one.weight / kKnownShare, 1) : one.weight);
  }
  if (all.empty()) return std::nullopt;
  was_rough = was_rough || is_rough;
  const Operator& one = pick_weighted(all, weights, random);
  return Spoil{std::string(place.method), one.is_lasting ? 0 : occurrence, std::string(one.name),
               random.next()};
}

// Some launches at once.
bool ClientFuzzer::fuzz_on() {
  std::vector<SpoilPlan> plans;
  for (std::size_t i = 0; i < options_.at_once; ++i) {
    plans.push_back(plan_for(outcome_.progress.launches + i));
  }
  for (const auto& done : launch_all(target_, plans, outcome_.baseline.limits(1), limit_.token())) {
    const auto* report = std::get_if<LaunchReport>(&done);
    if (report == nullptr || report->was_stopped()) return false;
    ++outcome_.progress.launches;
    // A launch in which nothing was spoilt counts too: nothing goes on without end.
    outcome_.progress.cases += std::max<std::size_t>(report->notes.applied.size(), 1);
    for (const ClientSuspicion& each : judge_launch(*report, outcome_.baseline, options_.checks)) {
      if (has_enough() || is_known(each, report->notes.applied)) continue;
      const auto start = Clock::now();
      prove(each, *report);
      proving_time_ += Clock::now() - start;
    }
  }
  return true;
}

// What was found already explains it.
bool ClientFuzzer::is_known(const ClientSuspicion& suspicion, const Spoils& applied) const {
  return std::any_of(
      outcome_.findings.begin(), outcome_.findings.end(), [&](const ClientFinding& finding) {
        if (finding.suspicion.oracle != suspicion.oracle) return false;
        const bool names_cause =
            !suspicion.cause.empty() && suspicion.oracle == ClientOracle::kCrash;
        if (names_cause) return finding.suspicion.cause == suspicion.cause;
        return std::all_of(finding.recipe.begin(), finding.recipe.end(), [&](const Spoil& spoil) {
          return std::any_of(applied.begin(), applied.end(),
                             [&](const Spoil& each) { return each.what == spoil.what; });
        });
      });
}

bool ClientFuzzer::shows(const ClientSuspicion& suspicion, const Spoils& spoils, int patience,
                         LaunchReport* seen) {
  if (limit_.is_over()) return false;
  ++outcome_.progress.trials;
  auto done = launch(target_, plan_of(spoils), outcome_.baseline.limits(patience), limit_.token());
  auto* report = std::get_if<LaunchReport>(&done);
  if (report == nullptr) return false;
  const auto all = judge_launch(*report, outcome_.baseline, {suspicion.oracle});
  if (seen != nullptr) *seen = std::move(*report);
  return !all.empty() && all.front().cause == suspicion.cause;
}

void ClientFuzzer::prove(const ClientSuspicion& suspicion, const LaunchReport& report) {
  const Spoils& applied = report.notes.applied;
  const std::string kind = fmt::format("{} {} {}", name(suspicion.oracle), suspicion.cause,
                                       applied.empty() ? "" : applied.back().what);
  if (vain_[kind] >= kMostVain) return;
  ClientFinding finding;
  finding.suspicion = suspicion;
  finding.recipe = applied;
  finding.labels = report.notes.labels;
  finding.spoils_before = applied.size();
  finding.found_at_case = outcome_.progress.cases;
  finding.recipe = minimize(suspicion, applied);
  LaunchReport last;
  if (shows(suspicion, finding.recipe, kProofPatience, &last)) {
    finding.labels = last.notes.labels;
    finding.suspicion = judge_launch(last, outcome_.baseline, {suspicion.oracle}).front();
    return add(std::move(finding));
  }
  if (limit_.is_over()) {
    finding.is_proved = false;
    finding.id = fmt::format("{}-{}", name(suspicion.oracle), short_hash(finding.signature()));
    outcome_.unproved.push_back(std::move(finding));
    return;
  }
  ++vain_[kind];
  ++outcome_.progress.not_reproduced;
}

std::optional<std::size_t> ClientFuzzer::first_that_shows(const ClientSuspicion& suspicion,
                                                          const std::vector<Spoils>& tries) {
  std::vector<SpoilPlan> plans;
  for (const Spoils& each : tries) plans.push_back(plan_of(each));
  outcome_.progress.trials += tries.size();
  const auto all = launch_all(target_, plans, outcome_.baseline.limits(1), limit_.token());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* report = std::get_if<LaunchReport>(&all[i]);
    if (report == nullptr) continue;
    const auto said = judge_launch(*report, outcome_.baseline, {suspicion.oracle});
    if (!said.empty() && said.front().cause == suspicion.cause) return i;
  }
  return std::nullopt;
}

// As a rule it is one of the last.
Spoils ClientFuzzer::minimize(const ClientSuspicion& suspicion, Spoils spoils) {
  const std::size_t most = outcome_.progress.trials + options_.minimize_trials;
  const auto may_go_on = [&] { return outcome_.progress.trials < most && !limit_.is_over(); };
  if (spoils.size() < 2 || shows(suspicion, {spoils.back()}, 1)) {
    return spoils.empty() ? spoils : Spoils{spoils.back()};
  }
  std::vector<Spoils> singles;
  for (auto one = std::next(spoils.rbegin()); one != spoils.rend() && singles.size() < kMostSingles;
       ++one) {
    singles.push_back({*one});
  }
  for (std::size_t at = 0; at < singles.size() && may_go_on(); at += options_.at_once) {
    const auto begin = singles.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t count = std::min(options_.at_once, singles.size() - at);
    const std::vector<Spoils> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    if (const auto which = first_that_shows(suspicion, some)) return some[*which];
  }
  if (!shows(suspicion, spoils, 1)) return spoils;
  // It takes several: parts are left out, from large ones to single ones.
  for (std::size_t size = spoils.size() / 2; size > 0 && may_go_on(); size /= 2) {
    for (std::size_t at = 0; at < spoils.size() && may_go_on();) {
      Spoils fewer = spoils;
      const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, fewer.size() - at)));
      if (shows(suspicion, fewer, 1)) {
        spoils = std::move(fewer);
      } else {
        at += size;
      }
    }
  }
  return spoils;
}

void ClientFuzzer::add(ClientFinding finding) {
  const std::string signature = finding.signature();
  finding.id = fmt::format("{}-{}", name(finding.suspicion.oracle), short_hash(signature));
  for (const Spoil& spoil : finding.recipe) known_operators_.insert(spoil.what);
  const bool is_known =
      std::any_of(outcome_.findings.begin(), outcome_.findings.end(),
                  [&](const ClientFinding& each) { return each.id == finding.id; });
  if (is_known) return;
  if (options_.on_finding) options_.on_finding(finding);
  outcome_.findings.push_back(std::move(finding));
}

}  // namespace assay::fuzz
