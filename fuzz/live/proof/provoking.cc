// How what was suspected is provoked again, from a fresh start.
#include <cstdint>
#include <utility>

#include "fuzz/live/proof/proving.h"
#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

// Cases before one whose answer was missed: they may have led to it.
constexpr std::size_t kNeighbours = 64;

}  // namespace

// From a fresh start: by the case it is laid to, by that and those around it, by all that the
// process was sent.
std::optional<Recipe> Proving::provoke(const Suspect& suspect) {
  Prober& prober = setting_.prober;
  const std::string signature = suspect.suspicion.signature();
  if (!suspect.culprit) {
    if (suspect.suspicion.oracle == Oracle::kTraversal) return std::nullopt;
    return provoke_together(suspect);
  }
  const Case& made = suspect.culprit->made;
  const bool leads_out = suspect.suspicion.oracle == Oracle::kTraversal;
  // Who has not been told our roots, or was answered wrongly, may have had to serve something else.
  if (leads_out && made.is_fresh) return std::nullopt;
  const Recipe alone{made.steps, made.is_fresh, leads_out ? 0 : suspect.culprit->manners};
  // What is proved later with all the time it may want need not be waited for now.
  const Waits quick = shortened(prober.waits(), kShortWaits[0]);
  const bool is_missing = suspect.suspicion.oracle == Oracle::kMissing;
  if (prober.is_stopped()) return std::nullopt;
  if (const auto with_call = after_answered_call(suspect)) {
    return prober.find(*with_call, signature, prober.waits()) ? with_call : std::nullopt;
  }
  if (is_missing && prober.find(alone, signature, quick)) return alone;
  if (prober.find(alone, signature, prober.waits())) return alone;
  // A file that others moved, or a folder that others opened, is no way out by itself.
  return made.is_fresh || leads_out ? std::nullopt : provoke_together(suspect);
}

std::optional<Recipe> Proving::provoke_together(const Suspect& suspect) {
  Prober& prober = setting_.prober;
  const std::string signature = suspect.suspicion.signature();
  // What is known already is looked for behind a case of its own, and not among all others.
  if (has_shown(signature) || prober.is_stopped()) return std::nullopt;
  std::size_t first = suspect.first_of_batch;
  std::size_t last = suspect.last_of_batch;
  int manners = suspect.manners;
  if (suspect.culprit) {
    manners = suspect.culprit->manners;
    // What is missed is missed some batches later.
    if (suspect.culprit->number < first) {
      last = suspect.culprit->number;
      first = last > kNeighbours ? last - kNeighbours : 1;
    }
  }
  Recipe some = gather(suspect.before, first, last, manners, setting_.is_http);
  if (!some.steps.empty() && prober.find(some, signature, prober.waits())) return some;
  Recipe all = gather(suspect.before, 0, SIZE_MAX, manners, setting_.is_http);
  if (all.steps.size() > some.steps.size() && !prober.is_stopped() &&
      prober.find(all, signature, prober.waits())) {
    return all;
  }
  return std::nullopt;
}

std::optional<Recipe> Proving::after_answered_call(const Suspect& suspect) const {
  static constexpr std::string_view kCall = "tools/call ";
  const std::string& about = suspect.suspicion.about;
  if (suspect.suspicion.oracle != Oracle::kMissing || !about.starts_with(kCall)) {
    return std::nullopt;
  }
  Recipe recipe{setting_.prober.usual_call(about.substr(kCall.size())), false, 0};
  if (recipe.steps.empty()) return std::nullopt;
  const Steps& own = suspect.culprit->made.steps;
  recipe.steps.insert(recipe.steps.end(), own.begin(), own.end());
  return recipe;
}

// A request is mostly lost for what is wrong with it, and not for its method: if a ping is lost in
// its place, that stands for all of them.
bool Proving::simplify_method(Suspicion& suspicion, Recipe& recipe) {
  if (suspicion.oracle != Oracle::kMissing || suspicion.about == "ping") return true;
  if (!setting_.has_ping) return true;
  const std::string method = "\"method\":\"" + suspicion.about + "\"";
  Recipe simpler = recipe;
  for (Step& step : simpler.steps) replace_each(step.bytes, method, "\"method\":\"ping\"");
  Prober& prober = setting_.prober;
  if (simpler == recipe || prober.is_stopped()) return true;
  Suspicion as_ping = suspicion;
  as_ping.about = "ping";
  const Waits quick = shortened(prober.waits(), kShortWaits[0]);
  auto found = prober.find(simpler, as_ping.signature(), quick);
  if (!found) return true;
  suspicion = std::move(*found);
  recipe = std::move(simpler);
  return looked_into_[suspicion.signature()]++ < kMostOfSignature;
}

}  // namespace assay::fuzz
