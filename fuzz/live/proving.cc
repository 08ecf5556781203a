// What becomes of a suspicion: provoked again from a fresh start, made small, proved, and told.
#include <algorithm>
#include <utility>

#include "fuzz/live/fuzzer.h"
#include "fuzz/live/text.h"

namespace assay::fuzz {
namespace {

// How often something that looks the same is looked into.
constexpr std::size_t kMostOfSignature = 5;
constexpr std::size_t kMostOfOrigin = 1;
// Cases before one whose answer was missed: they may have led to it.
constexpr std::size_t kNeighbours = 64;
// Of all that a process was sent, that much at its end is tried as one.
constexpr std::size_t kMostGathered = 4u << 20;
// While minimizing, a wait is cut to the first of these: the result is proved with the full waits
// again, and if that fails it was too short.
constexpr std::chrono::milliseconds kShortWaits[] = {std::chrono::milliseconds(250),
                                                     std::chrono::milliseconds(1500)};

Waits shortened(Waits waits, std::chrono::milliseconds most) {
  waits.ping = std::min(waits.ping, most);
  waits.answer = std::min(waits.answer, most);
  return waits;
}

// Whether seeing it means waiting for what does not come.
bool takes_waiting(Oracle oracle) {
  return oracle == Oracle::kHang || oracle == Oracle::kMissing;
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

bool is_growth(Oracle oracle) {
  return oracle == Oracle::kMemory || oracle == Oracle::kDescriptors;
}

}  // namespace

std::optional<Fuzzer::Sent> Fuzzer::find_culprit(const Suspicion& suspicion,
                                                 const Batch& batch) const {
  const std::size_t index = suspicion.case_number - batch.first_number;
  if (suspicion.case_number >= batch.first_number && index < batch.cases.size()) {
    return Sent{batch.cases[index], suspicion.case_number, batch.manners};
  }
  // What is missed is missed some batches later.
  const auto found = std::find_if(history_.rbegin(), history_.rend(), [&](const Sent& sent) {
    return sent.number == suspicion.case_number;
  });
  return found == history_.rend() ? std::nullopt : std::optional(*found);
}

void Fuzzer::investigate(const Suspicion& suspicion, const Batch& batch) {
  if (outcome_.findings.size() >= options_.most_findings) return;
  const std::optional<Sent> culprit = find_culprit(suspicion, batch);
  const std::string signature = suspicion.signature();
  const std::string origin =
      culprit ? culprit->made.origin.substr(0, culprit->made.origin.find(" again")) : "";
  std::size_t& of_signature = looked_into_[signature];
  std::size_t& of_origin = looked_into_[signature + " / " + origin];
  if (of_signature >= kMostOfSignature || of_origin >= kMostOfOrigin) {
    count_again(signature);
    return;
  }
  ++of_signature;
  ++of_origin;
  std::optional<Recipe> recipe = provoke(suspicion, batch, culprit);
  if (!recipe) {
    const bool is_known = count_again(signature);
    if (!is_known && !options_.stop.stop_requested()) ++outcome_.progress.not_reproduced;
    return;
  }
  prove(suspicion, std::move(*recipe), origin);
}

Recipe Fuzzer::gather(std::size_t first, std::size_t last, int manners) const {
  const bool is_stdio = access_.kind == harness::TransportKind::kStdio;
  Recipe recipe;
  recipe.manners = manners;
  std::size_t bytes = 0;
  auto begin = history_.end();
  while (begin != history_.begin() && bytes <= kMostGathered) bytes += bytes_of((--begin)->made);
  for (auto sent = begin; sent != history_.end(); ++sent) {
    if (sent->number < first || sent->number > last) continue;
    const Steps& steps = sent->made.steps;
    recipe.steps.insert(recipe.steps.end(), steps.begin(), steps.end());
    // A case ends with its line.
    if (is_stdio && !steps.empty() && !steps.back().bytes.ends_with('\n')) {
      recipe.steps.back().bytes += '\n';
    }
  }
  return recipe;
}

// From a fresh start: by the case it is laid to, by that and those around it, by all that the
// process was sent.
std::optional<Recipe> Fuzzer::provoke(const Suspicion& suspicion, const Batch& batch,
                                      const std::optional<Sent>& culprit) {
  const std::string signature = suspicion.signature();
  const auto shows = [&](const Recipe& recipe) {
    return !prober_->is_stopped() && prober_->find(recipe, signature, options_.waits).has_value();
  };
  const auto seems_to_show = [&](const Recipe& recipe) {
    const Waits quick = shortened(options_.waits, kShortWaits[0]);
    return suspicion.oracle == Oracle::kMissing && !prober_->is_stopped() &&
           prober_->find(recipe, signature, quick).has_value();
  };
  int manners = batch.manners;
  std::size_t first = batch.first_number;
  std::size_t last = first + batch.cases.size() - 1;
  if (culprit) {
    manners = culprit->manners;
    Recipe alone{culprit->made.steps, culprit->made.is_fresh, manners};
    // What is proved later with all the time it may want need not be waited for now.
    if (seems_to_show(alone) || shows(alone)) return alone;
    if (culprit->made.is_fresh) return std::nullopt;
    if (culprit->number < first) {
      last = culprit->number;
      first = last > kNeighbours ? last - kNeighbours : 1;
    }
  }
  // What is known already is looked for behind a case of its own, and not among all others.
  const bool is_known =
      std::any_of(outcome_.findings.begin(), outcome_.findings.end(),
                  [&](const Finding& each) { return each.suspicion.signature() == signature; });
  if (is_known) return std::nullopt;
  Recipe some = gather(first, last, manners);
  if (shows(some)) return some;
  Recipe all = gather(1, next_number_, manners);
  if (all.steps.size() > some.steps.size() && shows(all)) return all;
  return std::nullopt;
}

// A request is mostly lost for what is wrong with it, and not for its method: if a ping is lost in
// its place, that stands for all of them.
bool Fuzzer::simplify_method(Suspicion& suspicion, Recipe& recipe) {
  if (suspicion.oracle != Oracle::kMissing || suspicion.about == "ping") return true;
  const std::string method = "\"method\":\"" + suspicion.about + "\"";
  Recipe simpler = recipe;
  for (Step& step : simpler.steps) {
    for (auto at = step.bytes.find(method); at != std::string::npos;
         at = step.bytes.find(method, at)) {
      step.bytes.replace(at, method.size(), "\"method\":\"ping\"");
    }
  }
  if (simpler == recipe || prober_->is_stopped()) return true;
  Suspicion as_ping = suspicion;
  as_ping.about = "ping";
  const Waits quick = shortened(options_.waits, kShortWaits[0]);
  auto found = prober_->find(simpler, as_ping.signature(), quick);
  if (!found) return true;
  suspicion = std::move(*found);
  recipe = std::move(simpler);
  return looked_into_[suspicion.signature()]++ < kMostOfSignature;
}

void Fuzzer::prove(Suspicion suspicion, Recipe recipe, const std::string& origin) {
  const bool is_worth_it = simplify_method(suspicion, recipe);
  const std::string signature = suspicion.signature();
  if (!is_worth_it) {
    count_again(signature);
    return;
  }
  const bool is_http = access_.kind != harness::TransportKind::kStdio;
  Finding finding;
  finding.origin = origin;
  finding.found_at_case = outcome_.progress.cases;
  finding.messages_before = count_messages(recipe.steps, is_http);
  // Made small and shown twice more, with all the time it may want; else what was not minimized
  // counts.
  if (!is_http && !recipe.is_fresh && is_survived(suspicion.oracle)) {
    const Waits quick = shortened(options_.waits, kShortWaits[0]);
    const std::function<bool(const Recipe&)> may_show = [&](const Recipe& smaller) {
      return !prober_->is_stopped() && prober_->may_show(smaller, signature, quick);
    };
    const Recipe smaller = minimize(recipe, may_show, options_.minimize);
    if (known_.contains(signature + outline(smaller))) {
      count_again(signature);
      return;
    }
    confirm(finding, smaller, signature);
  }
  for (const auto wait : kShortWaits) {
    if (finding.messages > 0) break;
    if (wait != kShortWaits[0] && !takes_waiting(suspicion.oracle)) continue;
    const Waits quick = shortened(options_.waits, wait);
    const std::function<bool(const Recipe&)> shows = [&](const Recipe& smaller) {
      return !prober_->is_stopped() && prober_->find(smaller, signature, quick).has_value();
    };
    confirm(finding, minimize(recipe, shows, options_.minimize), signature);
  }
  if (finding.messages == 0 && !confirm(finding, recipe, signature)) {
    ++outcome_.progress.not_reproduced;
    return;
  }
  finding.messages = std::max<std::size_t>(count_messages(finding.recipe.steps, is_http), 1);
  add(std::move(finding));
}

bool Fuzzer::confirm(Finding& finding, const Recipe& recipe, const std::string& signature) {
  if (!prober_->find(recipe, signature, options_.waits)) return false;
  harness::Transcript transcript;
  auto proof = prober_->find(recipe, signature, options_.waits, &transcript);
  if (!proof) return false;
  finding.suspicion = std::move(*proof);
  finding.recipe = recipe;
  finding.messages = 1;
  finding.transcript = transcript.events();
  return true;
}

bool Fuzzer::count_again(const std::string& signature) {
  for (Finding& finding : outcome_.findings) {
    if (finding.suspicion.signature() != signature) continue;
    ++finding.seen_again;
    return true;
  }
  return false;
}

void Fuzzer::add(Finding finding) {
  const Oracle oracle = finding.suspicion.oracle;
  const bool costs_a_process = oracle == Oracle::kCrash || oracle == Oracle::kHang;
  if (costs_a_process || is_growth(oracle)) generator_->avoid(finding.origin);
  const std::string key = finding.suspicion.signature() + outline(finding.recipe);
  if (!known_.insert(key).second) {
    count_again(finding.suspicion.signature());
    return;
  }
  finding.id = std::string(name(oracle)) + "-" + short_hash(key);
  outcome_.findings.push_back(std::move(finding));
  outcome_.progress.findings = outcome_.findings.size();
  options_.on_finding(outcome_.findings.back());
}

}  // namespace assay::fuzz
