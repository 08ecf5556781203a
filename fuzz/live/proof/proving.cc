#include "fuzz/live/proof/proving.h"

#include <algorithm>
#include <future>
#include <set>
#include <utility>

#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kMostOfOrigin = 1;
constexpr std::size_t kMostLookedInto = 20'000;  // signatures, and origins of them
// Where it is no answer that is missed, what else is not answered is waited for so long.
constexpr std::chrono::milliseconds kBesides{20};

// The worst comes first.
std::size_t rank(const Suspicion& suspicion) {
  static constexpr Oracle kWorst[] = {Oracle::kCrash,   Oracle::kTraversal,    Oracle::kInjection,
                                      Oracle::kHang,    Oracle::kOtherSession, Oracle::kMissing,
                                      Oracle::kDoubled, Oracle::kMisdirected,  Oracle::kServerError,
                                      Oracle::kNoise};
  const auto at = std::find(std::begin(kWorst), std::end(kWorst), suspicion.oracle);
  return static_cast<std::size_t>(at - std::begin(kWorst)) * 2 + (suspicion.is_should ? 1 : 0);
}

std::size_t bytes_of(const std::vector<SentPtr>& cases) {
  std::size_t bytes = 0;
  for (const SentPtr& sent : cases) bytes += assay::fuzz::bytes_of(sent->made);
  return bytes;
}

}  // namespace

bool takes_waiting(Oracle oracle) {
  return oracle == Oracle::kHang || oracle == Oracle::kMissing;
}

Waits quick_waits(const Waits& waits, std::chrono::milliseconds most, Oracle oracle) {
  Waits quick = shortened(waits, most);
  if (!takes_waiting(oracle)) quick.answer = std::min(quick.answer, kBesides);
  return quick;
}

bool is_survived(Oracle oracle) {
  switch (oracle) {
    case Oracle::kNoise:
    case Oracle::kInvalid:
    case Oracle::kMissing:
    case Oracle::kDoubled:
    case Oracle::kMisdirected:
    case Oracle::kAccepted:
    case Oracle::kTrace:
    case Oracle::kOutput:
    case Oracle::kTraversal:
    case Oracle::kInjection:
      return true;
    case Oracle::kCrash:
    case Oracle::kHang:
    case Oracle::kServerError:
    case Oracle::kMemory:
    case Oracle::kDescriptors:
    case Oracle::kOtherSession:
      return false;
  }
  return false;
}

Waits shortened(Waits waits, std::chrono::milliseconds most) {
  waits.ping = std::min(waits.ping, most);
  waits.answer = std::min(waits.answer, most);
  return waits;
}

std::string Suspect::origin() const {
  if (!culprit) return "";
  const std::string& whole = culprit->made.origin;
  return whole.substr(0, whole.find(" again"));
}

bool Proving::wants(const Suspect& suspect) {
  if (suspected_.size() < kMostLookedInto) ++suspected_[suspect.suspicion.signature()];
  return is_new_enough(suspect);
}

bool Proving::is_new_enough(const Suspect& suspect) {
  if (findings_.size() >= setting_.most_findings || looked_into_.size() >= kMostLookedInto) {
    return false;
  }
  const std::string signature = suspect.suspicion.signature();
  const auto looks = [&](const std::string& key) {
    const auto found = looked_into_.find(key);
    return found == looked_into_.end() ? 0 : found->second;
  };
  if (names_its_place(suspect.suspicion.oracle) && has_shown(signature)) {
    count_again(signature);
    return false;
  }
  if (looks(signature) < kMostOfSignature &&
      looks(signature + " / " + suspect.origin()) < kMostOfOrigin) {
    return true;
  }
  count_again(signature);
  return false;
}

void Proving::add(Suspect suspect) {
  if (!is_new_enough(suspect)) return;
  const std::string signature = suspect.suspicion.signature();
  ++looked_into_[signature];
  ++looked_into_[signature + " / " + suspect.origin()];
  const std::size_t bytes = bytes_of(suspect.before);
  if (waiting_bytes_ + bytes > kMostWaitingBytes && suspect.culprit) {
    suspect.before = {suspect.culprit};
  }
  if (waiting_.size() >= kMostWaiting) {
    note_unproved(suspect.suspicion, {}, suspect.origin(), suspect.found_at_case, false);
    return;
  }
  waiting_bytes_ += bytes_of(suspect.before);
  const auto at = std::upper_bound(waiting_.begin(), waiting_.end(), suspect,
                                   [](const Suspect& left, const Suspect& right) {
                                     return rank(left.suspicion) < rank(right.suspicion);
                                   });
  waiting_.insert(at, std::move(suspect));
}

// A hang is a ping that is missed twice, and only then is known to be none that was lost.
std::chrono::milliseconds Proving::least_time(const Suspect& suspect) const {
  const Oracle oracle = suspect.suspicion.oracle;
  if (!takes_waiting(oracle)) return std::chrono::milliseconds(0);
  const int waits = (oracle == Oracle::kHang ? 2 : 1) * (can_wait_at_once() ? 1 : 3);
  return waits * setting_.prober.waits().answer;
}

std::vector<Suspect> Proving::take_next(std::chrono::milliseconds time) {
  std::vector<Suspect> taken;
  std::set<std::string> kinds;
  for (auto at = waiting_.begin(); at != waiting_.end() && taken.size() < kMostAtOnce;) {
    const bool is_first = taken.empty();
    const bool fits = least_time(*at) <= time;
    const bool is_beside = is_first || (can_wait_at_once() && takes_waiting(at->suspicion.oracle));
    // Each hang is called the same.
    const std::string kind = at->suspicion.oracle == Oracle::kHang
                                 ? at->suspicion.signature() + " / " + at->origin()
                                 : at->suspicion.signature();
    if (!fits || !is_beside || !kinds.insert(kind).second) {
      ++at;
      continue;
    }
    waiting_bytes_ -= bytes_of(at->before);
    taken.push_back(std::move(*at));
    at = waiting_.erase(at);
    if (is_first && !takes_waiting(taken[0].suspicion.oracle)) break;
  }
  return taken;
}

bool Proving::prove_next(std::chrono::milliseconds time) {
  std::vector<Suspect> taken = take_next(time);
  if (taken.empty()) return false;
  const std::string signature = taken[0].suspicion.signature();
  if (names_its_place(taken[0].suspicion.oracle) && has_shown(signature)) {
    count_again(signature);
    return true;
  }
  const auto now = Clock::now();
  std::vector<std::unique_ptr<Prober>> probers;
  std::vector<std::future<Outcome>> others;
  const auto until_of = [&](const Suspect& suspect) {
    return now + std::min<Clock::duration>(time - least_time(suspect), std::chrono::hours(1));
  };
  for (std::size_t i = 1; i < taken.size(); ++i) {
    probers.push_back(setting_.another());
    others.push_back(std::async(
        std::launch::async,
        [this, &suspect = taken[i], &prober = *probers.back(), until = until_of(taken[i])] {
          return look_into(suspect, {prober, until});
        }));
  }
  Outcome first = look_into(taken[0], {setting_.prober, until_of(taken[0])});
  std::vector<Outcome> outcomes;
  outcomes.push_back(std::move(first));
  for (auto& other : others) outcomes.push_back(other.get());
  // In the order of the queue, no matter which was done first.
  for (std::size_t i = 0; i < taken.size(); ++i) take_in(taken[i], std::move(outcomes[i]));
  for (const auto& prober : probers) more_trials_ += prober->trials();
  return true;
}

Proving::Outcome Proving::look_into(const Suspect& suspect, const Worker& worker) const {
  Prober& prober = worker.prober;
  Outcome out;
  out.suspicion = suspect.suspicion;
  auto recipe = provoke(suspect, prober);
  if (recipe && !simplify_method(out.suspicion, *recipe, prober)) {
    out.kind = Outcome::Kind::kKnown;
    return out;
  }
  if (recipe) {
    ServerFinding& finding = out.finding;
    finding.origin = suspect.origin();
    finding.found_at_case = suspect.found_at_case;
    finding.messages_before = count_messages(recipe->steps, setting_.is_http);
    out.recipe = std::move(*recipe);
    if (!prove_small(finding, out.recipe, out.suspicion, worker)) {
      out.kind = Outcome::Kind::kKnown;
      return out;
    }
    // If what was made small does not show it any more, what was not counts.
    if (finding.messages > 0 || confirm(finding, out.recipe, out.suspicion, prober)) {
      out.kind = Outcome::Kind::kProved;
    }
  }
  out.was_stopped = prober.is_stopped();
  return out;
}

void Proving::take_in(const Suspect& suspect, Outcome outcome) {
  const Suspicion& suspicion = outcome.suspicion;
  const std::string signature = suspicion.signature();
  if (signature != suspect.suspicion.signature()) ++looked_into_[signature];
  ServerFinding& finding = outcome.finding;
  switch (outcome.kind) {
    case Outcome::Kind::kKnown:
      count_again(signature);
      return;
    case Outcome::Kind::kNotShown: {
      const bool is_whole = outcome.recipe.steps.empty();
      if (is_whole && count_again(signature)) return;
      if (outcome.was_stopped || suspicion.oracle == Oracle::kCrash) {
        if (is_whole) {
          outcome.recipe = gather(suspect.before, 0, SIZE_MAX, suspect.manners, setting_.is_http);
        }
        note_unproved(suspicion, outcome.recipe, suspect.origin(), suspect.found_at_case,
                      !outcome.was_stopped);
      }
      if (!outcome.was_stopped && !suspicion.is_guess) ++not_reproduced_;
      return;
    }
    case Outcome::Kind::kProved:
      break;
  }
  finding.messages =
      std::max<std::size_t>(count_messages(finding.recipe.steps, setting_.is_http), 1);
  // What one message moved, another reads: it is unknown which of them led out.
  if (suspicion.oracle == Oracle::kTraversal && finding.messages > 1) {
    if (count_again(signature)) return;
    finding.id = suspected_id(suspicion);
    finding.proof = Proof::kNotAlone;
    keep_unproved(std::move(finding));
    return;
  }
  add_finding(std::move(finding));
}

MinimizeLimits Proving::limits(const Worker& worker) const {
  MinimizeLimits limits = setting_.minimize;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(worker.until - Clock::now());
  limits.time = std::clamp(left, std::chrono::milliseconds(0), limits.time);
  limits.stop = worker.prober.stop();
  return limits;
}

// Made small and shown twice more, with all the time it may want. False if it turned out to be one
// that is known.
bool Proving::prove_small(ServerFinding& finding, const Recipe& recipe, const Suspicion& suspicion,
                          const Worker& worker) const {
  Prober& prober = worker.prober;
  const std::string signature = suspicion.signature();
  if (!setting_.is_http && !recipe.is_fresh && is_survived(suspicion.oracle)) {
    const Waits quick = quick_waits(prober.waits(), kShortWaits[0], suspicion.oracle);
    const std::function<bool(const Recipe&)> may_show = [&](const Recipe& smaller) {
      return !prober.is_stopped() && prober.may_show(smaller, signature, quick);
    };
    const Recipe smaller = minimize(recipe, may_show, limits(worker));
    if (known_.contains(cause_key(suspicion, smaller))) return false;
    confirm(finding, smaller, suspicion, prober);
  }
  for (const auto wait : kShortWaits) {
    if (finding.messages > 0 || prober.is_stopped()) break;
    // What takes no waiting is made small once more if the whole of it still shows: a busy machine
    // kept the small one from showing again.
    const bool is_again = wait != kShortWaits[0] && !takes_waiting(suspicion.oracle);
    if (is_again && !prober.find(recipe, signature, prober.waits())) break;
    const Waits quick = shortened(prober.waits(), wait);
    const std::function<bool(const Recipe&)> shows = [&](const Recipe& smaller) {
      return !prober.is_stopped() && prober.find(smaller, signature, quick).has_value();
    };
    confirm(finding, minimize(recipe, shows, limits(worker)), suspicion, prober);
  }
  return true;
}

bool Proving::confirm(ServerFinding& finding, const Recipe& recipe, const Suspicion& suspicion,
                      Prober& prober) const {
  const std::string signature = suspicion.signature();
  harness::Transcript transcript = prober.transcript();
  if (prober.is_stopped()) return false;
  // Two processes are waited for no longer than one.
  const auto second =
      takes_waiting(suspicion.oracle) && can_wait_at_once() ? setting_.another() : nullptr;
  std::future<bool> is_shown_beside;
  if (second) {
    is_shown_beside = std::async(std::launch::async, [&recipe, &signature, &beside = *second] {
      harness::Transcript unread = beside.transcript();
      return beside.find(recipe, signature, beside.waits(), &unread).has_value();
    });
  } else if (!prober.find(recipe, signature, prober.waits())) {
    return false;
  }
  auto proof = prober.find(recipe, signature, prober.waits(), &transcript);
  const bool is_shown_twice = !second || is_shown_beside.get();
  if (!proof || !is_shown_twice) return false;
  finding.suspicion = std::move(*proof);
  finding.recipe = recipe;
  finding.messages = 1;
  finding.transcript = transcript.events();
  return true;
}

}  // namespace assay::fuzz
