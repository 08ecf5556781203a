#include "fuzz/live/proof/proving.h"

#include <algorithm>
#include <utility>

#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kMostOfOrigin = 1;
constexpr std::size_t kMostLookedInto = 20'000;  // signatures, and origins of them
// Where it is no answer that is missed, what else is not answered is waited for so long.
constexpr std::chrono::milliseconds kBesides{20};

// Whether seeing it means waiting for what does not come.
bool takes_waiting(Oracle oracle) {
  return oracle == Oracle::kHang || oracle == Oracle::kMissing;
}

// What is waited for while minimizing.
Waits quick_waits(const Waits& waits, std::chrono::milliseconds most, Oracle oracle) {
  Waits quick = shortened(waits, most);
  if (!takes_waiting(oracle)) quick.answer = std::min(quick.answer, kBesides);
  return quick;
}

// The worst comes first.
std::size_t rank(const Suspicion& suspicion) {
  static constexpr Oracle kWorst[] = {Oracle::kCrash,        Oracle::kTraversal,   Oracle::kHang,
                                      Oracle::kOtherSession, Oracle::kMissing,     Oracle::kDoubled,
                                      Oracle::kMisdirected,  Oracle::kServerError, Oracle::kNoise};
  const auto at = std::find(std::begin(kWorst), std::end(kWorst), suspicion.oracle);
  return static_cast<std::size_t>(at - std::begin(kWorst)) * 2 + (suspicion.is_should ? 1 : 0);
}

// Whether a process lives on when it shows it, so that the same one can be asked again.
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

std::size_t bytes_of(const std::vector<SentPtr>& cases) {
  std::size_t bytes = 0;
  for (const SentPtr& sent : cases) bytes += assay::fuzz::bytes_of(sent->made);
  return bytes;
}

// Whether what is said of it names one place in one kind of answer, or one rule: it is then one
// cause, however it was provoked.
bool names_its_place(Oracle oracle) {
  return oracle == Oracle::kInvalid || oracle == Oracle::kAccepted || oracle == Oracle::kOutput ||
         oracle == Oracle::kTraversal;
}

// What a process says before it ends ("TypeError: x is null") names the cause; where it says
// nothing, the form of what was sent has to tell one cause from another.
std::string cause_key(const Suspicion& suspicion, const Recipe& recipe) {
  const bool names_cause =
      names_its_place(suspicion.oracle) ||
      (suspicion.oracle == Oracle::kCrash && suspicion.about.find(", ") != std::string::npos);
  return suspicion.signature() + (names_cause ? "" : outline(recipe));
}

std::string suspected_id(const Suspicion& suspicion) {
  return "suspected-" + std::string(name(suspicion.oracle)) + "-" +
         short_hash(suspicion.signature());
}

}  // namespace

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
  if (!wants(suspect)) return;
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

std::chrono::milliseconds Proving::least_time(const Suspect& suspect) const {
  if (!takes_waiting(suspect.suspicion.oracle)) return std::chrono::milliseconds(0);
  return 3 * setting_.prober.waits().answer;
}

bool Proving::prove_next(std::chrono::milliseconds time) {
  const auto next = std::find_if(waiting_.begin(), waiting_.end(), [&](const Suspect& suspect) {
    return least_time(suspect) <= time;
  });
  if (next == waiting_.end()) return false;
  Suspect suspect = std::move(*next);
  waiting_.erase(next);
  waiting_bytes_ -= bytes_of(suspect.before);
  const std::string signature = suspect.suspicion.signature();
  if (names_its_place(suspect.suspicion.oracle) && has_shown(signature)) {
    count_again(signature);
    return true;
  }
  until_ =
      Clock::now() + std::min<Clock::duration>(time - least_time(suspect), std::chrono::hours(1));
  look_into(std::move(suspect));
  return true;
}

void Proving::look_into(Suspect suspect) {
  const std::string signature = suspect.suspicion.signature();
  std::optional<Recipe> recipe = provoke(suspect);
  if (recipe) {
    prove(std::move(suspect), std::move(*recipe));
    return;
  }
  if (count_again(signature)) return;
  const bool was_stopped = setting_.prober.is_stopped();
  if (was_stopped || suspect.suspicion.oracle == Oracle::kCrash) {
    const Recipe all = gather(suspect.before, 0, SIZE_MAX, suspect.manners, setting_.is_http);
    note_unproved(suspect.suspicion, all, suspect.origin(), suspect.found_at_case, !was_stopped);
  }
  if (!was_stopped && !suspect.suspicion.is_guess) ++not_reproduced_;
}

MinimizeLimits Proving::limits() const {
  MinimizeLimits limits = setting_.minimize;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now());
  limits.time = std::clamp(left, std::chrono::milliseconds(0), limits.time);
  limits.stop = setting_.prober.stop();
  return limits;
}

void Proving::prove(Suspect suspect, Recipe recipe) {
  Suspicion& suspicion = suspect.suspicion;
  const bool is_worth_it = simplify_method(suspicion, recipe);
  const std::string signature = suspicion.signature();
  if (!is_worth_it) {
    count_again(signature);
    return;
  }
  ServerFinding finding;
  finding.origin = suspect.origin();
  finding.found_at_case = suspect.found_at_case;
  finding.messages_before = count_messages(recipe.steps, setting_.is_http);
  if (!prove_small(finding, recipe, suspicion)) return;
  // If what was made small does not show it any more, what was not counts.
  if (finding.messages == 0 && !confirm(finding, recipe, signature)) {
    const bool was_stopped = setting_.prober.is_stopped();
    if (was_stopped || suspicion.oracle == Oracle::kCrash) {
      note_unproved(suspicion, recipe, finding.origin, suspect.found_at_case, !was_stopped);
    }
    if (!was_stopped) ++not_reproduced_;
    return;
  }
  finding.messages =
      std::max<std::size_t>(count_messages(finding.recipe.steps, setting_.is_http), 1);
  // What one message moved, another reads: nobody knows which of them led out.
  if (suspicion.oracle == Oracle::kTraversal && finding.messages > 1) {
    if (count_again(signature)) return;
    finding.id = suspected_id(suspicion);
    finding.proof = Proof::kNotAlone;
    keep_unproved(std::move(finding));
    return;
  }
  add_finding(std::move(finding));
}

// Made small and shown twice more, with all the time it may want. False if it turned out to be one
// that is known.
bool Proving::prove_small(ServerFinding& finding, const Recipe& recipe,
                          const Suspicion& suspicion) {
  Prober& prober = setting_.prober;
  const std::string signature = suspicion.signature();
  if (!setting_.is_http && !recipe.is_fresh && is_survived(suspicion.oracle)) {
    const Waits quick = quick_waits(prober.waits(), kShortWaits[0], suspicion.oracle);
    const std::function<bool(const Recipe&)> may_show = [&](const Recipe& smaller) {
      return !prober.is_stopped() && prober.may_show(smaller, signature, quick);
    };
    const Recipe smaller = minimize(recipe, may_show, limits());
    if (known_.contains(cause_key(suspicion, smaller))) {
      count_again(signature);
      return false;
    }
    confirm(finding, smaller, signature);
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
    confirm(finding, minimize(recipe, shows, limits()), signature);
  }
  return true;
}

bool Proving::confirm(ServerFinding& finding, const Recipe& recipe, const std::string& signature) {
  Prober& prober = setting_.prober;
  if (prober.is_stopped() || !prober.find(recipe, signature, prober.waits())) return false;
  harness::Transcript transcript = prober.transcript();
  auto proof = prober.find(recipe, signature, prober.waits(), &transcript);
  if (!proof) return false;
  finding.suspicion = std::move(*proof);
  finding.recipe = recipe;
  finding.messages = 1;
  finding.transcript = transcript.events();
  return true;
}

bool Proving::has_shown(const std::string& signature) const {
  return std::any_of(findings_.begin(), findings_.end(), [&](const ServerFinding& each) {
    return each.suspicion.signature() == signature;
  });
}

bool Proving::count_again(const std::string& signature) {
  for (std::vector<ServerFinding>* kept : {&findings_, &unproved_}) {
    for (ServerFinding& finding : *kept) {
      if (finding.suspicion.signature() != signature) continue;
      ++finding.seen_again;
      return true;
    }
  }
  return false;
}

void Proving::add_finding(ServerFinding finding) {
  const std::string key = cause_key(finding.suspicion, finding.recipe);
  const std::string signature = finding.suspicion.signature();
  if (!known_.insert(key).second) {
    count_again(signature);
    return;
  }
  // What was seen before, and could not be shown then, is this.
  std::erase_if(unproved_,
                [&](const ServerFinding& each) { return each.suspicion.signature() == signature; });
  finding.id = std::string(name(finding.suspicion.oracle)) + "-" + short_hash(key);
  findings_.push_back(std::move(finding));
  setting_.on_finding(findings_.back());
}

void Proving::note_unproved(const Suspicion& suspicion, const Recipe& recipe,
                            const std::string& origin, std::size_t found_at_case, bool was_tried) {
  const std::string signature = suspicion.signature();
  if (suspicion.is_guess || count_again(signature)) return;
  ServerFinding finding;
  finding.id = suspected_id(suspicion);
  finding.suspicion = suspicion;
  finding.recipe = recipe;
  finding.origin = origin;
  finding.found_at_case = found_at_case;
  finding.messages = count_messages(recipe.steps, setting_.is_http);
  finding.messages_before = finding.messages;
  finding.proof = was_tried ? Proof::kNotShownAgain : Proof::kNotTried;
  keep_unproved(std::move(finding));
}

void Proving::keep_unproved(ServerFinding finding) {
  if (unproved_.size() < kMostUnproved) {
    unproved_.push_back(std::move(finding));
    return;
  }
  // A process that died fails the run, and takes the place of what does not.
  const auto place = std::find_if_not(unproved_.begin(), unproved_.end(), counts);
  if (counts(finding) && place != unproved_.end()) *place = std::move(finding);
}

void Proving::note_not_reproduced(const Suspicion& suspicion, const Recipe& recipe,
                                  std::size_t found_at_case, bool was_cut) {
  if (was_cut) {
    note_unproved(suspicion, recipe, "", found_at_case, false);
  } else {
    ++not_reproduced_;
  }
}

void Proving::give_up() {
  for (Suspect& suspect : std::exchange(waiting_, {})) {
    const Recipe all = gather(suspect.before, 0, SIZE_MAX, suspect.manners, setting_.is_http);
    note_unproved(suspect.suspicion, all, suspect.origin(), suspect.found_at_case, false);
  }
  waiting_bytes_ = 0;
}

}  // namespace assay::fuzz
