#include "fuzz/live/client/client_fuzzer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "fuzz/live/target/text.h"

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
// Of what passed when each suspicion that is kept was seen.
constexpr std::size_t kMostUnprovedBytes = 2u << 20;

std::size_t bytes_of(const std::vector<harness::RecordedSession>& sessions) {
  std::size_t bytes = 0;
  for (const harness::RecordedSession& session : sessions) {
    for (const harness::EventPtr& event : session.events)
      bytes += event->observation.bytes().size();
  }
  return bytes;
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

void keep_unproved(std::vector<ClientFinding>& kept, ClientFinding finding) {
  const bool is_certain = finding.suspicion.is_certain;
  auto place = std::find_if(kept.begin(), kept.end(),
                            [&](const ClientFinding& each) { return each.id == finding.id; });
  if (place == kept.end() && kept.size() < kMostUnprovedOfClient) {
    kept.push_back(std::move(finding));
    return;
  }
  if (place == kept.end()) {
    place = std::find_if(kept.begin(), kept.end(),
                         [](const ClientFinding& each) { return !each.suspicion.is_certain; });
  }
  const bool makes_room = place != kept.end() && !place->suspicion.is_certain;
  if (is_certain && makes_room) *place = std::move(finding);
}

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
  }
  tell();
  return std::move(outcome_);
}

std::variant<std::optional<ClientSuspicion>, std::string> ClientFuzzer::replay(
    const ClientSuspicion& suspicion, const Spoils& spoils) {
  if (auto trouble = survey()) return *std::move(trouble);
  LaunchReport report;
  std::optional<ClientSuspicion> found;
  if (shows(suspicion, spoils, kProofPatience, &report)) {
    found = judge_launch(report, outcome_.baseline, {suspicion.oracle}).front();
  }
  return found;
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
  std::vector<harness::RecordedSession> sessions;
  // What was learnt from the first would excuse the others.
  const ClientBaseline nothing;
  for (int i = 0; i < kSoundLaunches; ++i) {
    auto report = sound_launch(plan_of({}), trouble);
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
    sessions = std::move(report->sessions);
  }
  for (const ClientSuspicion& each : suspicions) {
    ClientFinding finding;
    finding.suspicion = each;
    finding.sessions = sessions;
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
      const bool is_full = outcome_.findings.size() >= options_.most_findings;
      if (is_full || has_enough() || is_known(each, report->notes.applied)) continue;
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

bool has_cause(const ClientTarget& target, const ClientSuspicion& seen, const std::string& cause) {
  if (seen.cause == cause) return true;
  std::string kept = seen.cause;
  vault_of(target)->redact_quoted(kept);
  return kept == cause;
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
  return !all.empty() && has_cause(target_, all.front(), suspicion.cause);
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
  finding.found_at_case = outcome_.progress.cases;
  const std::size_t trials_before = outcome_.progress.trials;
  finding.recipe = minimize(suspicion, applied);
  if (confirm(finding)) {
    ClientFinding smaller = finding;
    smaller.recipe = minimize_wording(smaller);
    if (smaller.recipe != finding.recipe && confirm(smaller)) finding = std::move(smaller);
    return add(std::move(finding));
  }
  if (!limit_.is_over()) {
    ++vain_[kind];
    ++outcome_.progress.not_reproduced;
    finding.tries = outcome_.progress.trials - trials_before;
  }
  note_unproved(std::move(finding), report);
}

// With all that was wrong in the launch in which it was seen: nobody knows what of it counts.
void ClientFuzzer::note_unproved(ClientFinding finding, const LaunchReport& seen) {
  finding.is_proved = false;
  finding.recipe = seen.notes.applied;
  finding.labels = seen.notes.labels;
  finding.longest_blink = seen.longest_blink;
  finding.id = fmt::format("suspected-{}-{}", name(finding.suspicion.oracle),
                           short_hash(finding.signature()));
  if (bytes_of(seen.sessions) <= kMostUnprovedBytes) finding.sessions = seen.sessions;
  keep_unproved(outcome_.unproved, std::move(finding));
}

bool ClientFuzzer::confirm(ClientFinding& finding) {
  LaunchReport last;
  if (!shows(finding.suspicion, finding.recipe, kProofPatience, &last)) return false;
  finding.suspicion = judge_launch(last, outcome_.baseline, {finding.suspicion.oracle}).front();
  finding.labels = std::move(last.notes.labels);
  finding.wordings.clear();
  for (const Spoil& spoil : finding.recipe) {
    const auto at = std::find(last.notes.applied.begin(), last.notes.applied.end(), spoil);
    const auto index = static_cast<std::size_t>(at - last.notes.applied.begin());
    finding.wordings.push_back(at == last.notes.applied.end() ? std::nullopt
                                                              : last.notes.wordings[index]);
  }
  finding.sessions = std::move(last.sessions);
  return true;
}

// Operators differ, and what is left of what they say may be the same.
bool ClientFuzzer::is_said_already(const ClientFinding& finding) const {
  const auto says = [](const ClientFinding& each) -> const Wording* {
    return each.recipe.size() == 1 && each.recipe[0].wording ? &*each.recipe[0].wording : nullptr;
  };
  const Wording* said = says(finding);
  return said != nullptr &&
         std::any_of(outcome_.findings.begin(), outcome_.findings.end(),
                     [&](const ClientFinding& each) {
                       const Wording* known = says(each);
                       return known != nullptr && *known == *said &&
                              each.suspicion.oracle == finding.suspicion.oracle &&
                              each.recipe[0].method == finding.recipe[0].method;
                     });
}

void ClientFuzzer::add(ClientFinding finding) {
  const std::string signature = finding.signature();
  finding.id = fmt::format("{}-{}", name(finding.suspicion.oracle), short_hash(signature));
  for (const Spoil& spoil : finding.recipe) known_operators_.insert(spoil.what);
  const bool is_known =
      std::any_of(outcome_.findings.begin(), outcome_.findings.end(),
                  [&](const ClientFinding& each) { return each.id == finding.id; });
  if (is_known || is_said_already(finding)) return;
  // What was seen before, and did not show then, is this.
  std::erase_if(outcome_.unproved, [&](const ClientFinding& each) {
    return each.suspicion.oracle == finding.suspicion.oracle &&
           each.suspicion.cause == finding.suspicion.cause &&
           std::all_of(finding.recipe.begin(), finding.recipe.end(), [&](const Spoil& spoil) {
             return std::any_of(each.recipe.begin(), each.recipe.end(),
                                [&](const Spoil& other) { return other.what == spoil.what; });
           });
  });
  if (options_.on_finding) options_.on_finding(finding);
  finding.sessions = {};
  outcome_.findings.push_back(std::move(finding));
}

}  // namespace assay::fuzz
