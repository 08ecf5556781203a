// How what was suspected is provoked again, from a fresh start.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "fuzz/live/proof/proving.h"
#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

// Cases before one whose answer was missed: they may have led to it.
constexpr std::size_t kNeighbours = 64;
// Cases after it: two calls that wait for each other are both missed, and either may be the first.
constexpr std::size_t kFollowers = 16;

}  // namespace

// From a fresh start: by the case it is laid to, by that and those around it, by all that the
// process was sent.
std::optional<Recipe> Proving::provoke(const Suspect& suspect, Prober& prober) const {
  const std::string signature = suspect.suspicion.signature();
  const Oracle oracle = suspect.suspicion.oracle;
  if (!suspect.culprit) {
    if (oracle == Oracle::kTraversal) return std::nullopt;
    return provoke_together(suspect, prober, {});
  }
  const Case& made = suspect.culprit->made;
  const bool leads_out = oracle == Oracle::kTraversal;
  // Who has not been told our roots, or was answered wrongly, may have had to serve something else.
  if (leads_out && made.is_fresh) return std::nullopt;
  Recipe alone{made.steps, made.is_fresh, leads_out ? 0 : suspect.culprit->manners};
  // What is proved later with all the time it may want need not be waited for now.
  const Waits quick = shortened(prober.waits(), kShortWaits[0]);
  if (prober.is_stopped()) return std::nullopt;
  const Steps call = answered_call(suspect);
  if (!call.empty()) {
    alone.manners = 0;
    alone.steps.insert(alone.steps.begin(), call.begin(), call.end());
  }
  const bool is_missed = oracle == Oracle::kMissing || oracle == Oracle::kHang;
  if (is_missed && prober.find(alone, signature, quick)) return alone;
  if (prober.find(alone, signature, prober.waits())) return alone;
  // A file that others moved, or a folder that others opened, is no way out by itself.
  return made.is_fresh || leads_out ? std::nullopt : provoke_together(suspect, prober, call);
}

std::optional<Recipe> Proving::provoke_together(const Suspect& suspect, Prober& prober,
                                                const Steps& first) const {
  const std::string signature = suspect.suspicion.signature();
  // What is known already is looked for after a case of its own, and not among all others.
  if (has_shown(signature) || prober.is_stopped()) return std::nullopt;
  std::size_t from = suspect.first_of_batch;
  std::size_t to = suspect.last_of_batch;
  int manners = suspect.manners;
  if (suspect.culprit) {
    manners = first.empty() ? suspect.culprit->manners : 0;
    // What is missed is missed some batches later.
    if (suspect.culprit->number < from) {
      from = suspect.culprit->number > kNeighbours ? suspect.culprit->number - kNeighbours : 1;
      to = suspect.culprit->number + kFollowers;
    }
  }
  const auto gathered = [&](std::size_t begin, std::size_t end) {
    Recipe recipe = gather(suspect.before, begin, end, manners, setting_.is_http);
    recipe.steps.insert(recipe.steps.begin(), first.begin(), first.end());
    return recipe;
  };
  // What came after the last answer.
  const std::size_t answered = suspect.suspicion.answered_case;
  if (suspect.culprit && answered > 0 && answered < suspect.culprit->number) {
    const Recipe near = gathered(answered, suspect.culprit->number);
    if (prober.find(near, signature, prober.waits())) return near;
  }
  const Recipe some = gathered(from, to);
  if (some.steps.size() > first.size() && prober.find(some, signature, prober.waits())) return some;
  // What may be slow by right is not worth as much.
  if (suspect.suspicion.is_guess) return std::nullopt;
  Recipe all = gathered(0, SIZE_MAX);
  if (all.steps.size() > some.steps.size() && !prober.is_stopped() &&
      prober.find(all, signature, prober.waits())) {
    return all;
  }
  return std::nullopt;
}

Steps Proving::answered_call(const Suspect& suspect) const {
  static constexpr std::string_view kCall = "tools/call ";
  const std::string& about = suspect.suspicion.about;
  if (suspect.suspicion.oracle != Oracle::kMissing || !about.starts_with(kCall)) return {};
  return setting_.prober.usual_call(about.substr(kCall.size()));
}

// A request is mostly lost for what is wrong with it, and not for its method: if a ping is lost in
// its place, that stands for all of them.
bool Proving::simplify_method(Suspicion& suspicion, Recipe& recipe, Prober& prober) const {
  if (suspicion.oracle != Oracle::kMissing || suspicion.about == "ping") return true;
  if (!setting_.has_ping) return true;
  const auto put_ping = [&](std::string_view label, std::string& bytes) {
    static constexpr std::string_view kMember = "\"method\":\"";
    for (std::size_t at = bytes.find(kMember); at != std::string::npos;
         at = bytes.find(kMember, at)) {
      at += kMember.size();
      const std::size_t size = std::min(bytes.find('"', at), bytes.size()) - at;
      if (prober.label(std::string_view(bytes).substr(at, size)) == label) {
        bytes.replace(at, size, "ping");
      }
    }
  };
  Recipe simpler = recipe;
  for (Step& step : simpler.steps) put_ping(suspicion.about, step.bytes);
  if (simpler == recipe || prober.is_stopped()) return true;
  Suspicion as_ping = suspicion;
  as_ping.about = "ping";
  const Waits quick = shortened(prober.waits(), kShortWaits[0]);
  auto found = prober.find(simpler, as_ping.signature(), quick);
  if (!found) return true;
  suspicion = std::move(*found);
  recipe = std::move(simpler);
  const auto looks = looked_into_.find(suspicion.signature());
  return looks == looked_into_.end() || looks->second < kMostOfSignature;
}

}  // namespace assay::fuzz
