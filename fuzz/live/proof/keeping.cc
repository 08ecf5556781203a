// What is kept of what was proved, and of what was not.
#include <algorithm>
#include <utility>

#include "fuzz/live/proof/proving.h"
#include "fuzz/live/target/text.h"

namespace assay::fuzz {

bool names_its_place(Oracle oracle) {
  return oracle == Oracle::kInvalid || oracle == Oracle::kAccepted || oracle == Oracle::kOutput ||
         oracle == Oracle::kTraversal || oracle == Oracle::kInjection;
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
  const auto seen = suspected_.find(signature);
  const std::size_t times = seen == suspected_.end() ? 1 : seen->second;
  // One guess is worth no word.
  const bool is_lone_guess = suspicion.is_guess && times < 2;
  if (is_lone_guess || count_again(signature)) return;
  ServerFinding finding;
  finding.seen_again = times - 1;
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
