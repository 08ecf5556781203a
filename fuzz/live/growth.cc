// Whether the process that is fuzzed grows, and which of the cases makes it.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "fuzz/live/fuzzer.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kEvery = 32;        // batches between two looks at descriptors
constexpr std::size_t kMostLooks = 3;     // for each kind of growth
constexpr std::size_t kMostGrowers = 64;  // cases among which the one that grows is searched for
constexpr std::size_t kLargestGrower = 16u << 10;  // big ones leave big buffers behind
// Memory of a process is read after each batch, and it is ended and another one started where it
// has taken too much, so that it never takes the machine's.
constexpr std::size_t kLeastRoom = 256u << 20;

// What stays open on purpose takes memory by right.
bool stays_open(const Case& made) {
  return std::any_of(made.steps.begin(), made.steps.end(), [](const Step& step) {
    return step.bytes.find("subscriptions/listen") != std::string::npos &&
           step.bytes.find("notifications/cancelled") == std::string::npos;
  });
}

// Those among them that grow together, steadily. Where all take too much, a half of them is tried,
// and then the other one.
template <typename GrowthOf>
std::vector<Case> small_enough(std::vector<Case> suspects, const GrowthOf& growth_of) {
  std::vector<std::vector<Case>> groups;
  if (!suspects.empty()) groups.push_back(std::move(suspects));
  while (!groups.empty()) {
    std::vector<Case> group = std::move(groups.back());
    groups.pop_back();
    const Growth growth = growth_of(group);
    if (growth == Growth::kSteady) return group;
    if (growth != Growth::kTooMuch || group.size() == 1) continue;
    const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
    groups.emplace_back(group.begin(), middle);
    groups.emplace_back(middle, group.end());
  }
  return {};
}

}  // namespace

void Fuzzer::watch_growth() {
  const auto memory = wire_->held(Oracle::kMemory);
  if (!memory || !memory_at_start_) return;
  GrowthLimits limits = options_.growth;
  limits.least_room = std::max(limits.least_room, kLeastRoom);
  const bool takes_too_much = *memory > *memory_at_start_ + memory_room(*memory_at_start_, limits);
  if (!takes_too_much && batches_ % kEvery != 0) return;
  const std::size_t descriptors = wire_->held(Oracle::kDescriptors).value_or(0);
  // The first look is at a process that has warmed up.
  const bool is_first = held_before_.empty();
  const auto memory_before = held_before_.try_emplace(Oracle::kMemory, *memory).first;
  const auto descriptors_before = held_before_.try_emplace(Oracle::kDescriptors, descriptors).first;
  const auto start = Clock::now();
  if (takes_too_much || *memory > memory_before->second + options_.memory_step) {
    memory_before->second = *memory;
    if (!is_first || takes_too_much) find_grower(Oracle::kMemory);
  }
  if (!is_first && descriptors > descriptors_before->second + options_.descriptor_step) {
    descriptors_before->second = descriptors;
    find_grower(Oracle::kDescriptors);
  }
  not_fuzzing_ += Clock::now() - start;
  proving_time_ += Clock::now() - start;
  if (takes_too_much && !limit_.is_over()) needs_restart_ = true;
}

// The recent cases of different forms.
std::vector<Case> Fuzzer::growth_suspects() const {
  std::vector<Case> suspects;
  std::unordered_set<std::string> seen;
  const auto& all = history_.all();
  for (auto sent = all.rbegin(); sent != all.rend() && suspects.size() < kMostGrowers; ++sent) {
    const Case& one = (*sent)->made;
    if (bytes_of(one) > kLargestGrower || stays_open(one)) continue;
    if (seen.insert(outline({one.steps, false, 0})).second) suspects.push_back(one);
  }
  return suspects;
}

// Among them: the one, and the step of it, that grows by itself.
void Fuzzer::find_grower(Oracle what) {
  if (!options_.checks.contains(what) || growth_looks_[what]++ >= kMostLooks) return;
  auto share = options_.growth.time;
  if (options_.time) share = std::clamp(*options_.time / 5, std::chrono::milliseconds(1), share);
  const auto until = Clock::now() + share;
  std::vector<Case> suspects = growth_suspects();
  const auto is_cut = [&] { return prober_->is_stopped() || Clock::now() >= until; };
  const auto growth_of = [&](const std::vector<Case>& cases) {
    if (is_cut()) return Growth::kNone;
    GrowthLimits limits = options_.growth;
    limits.repeats = std::max<std::size_t>(limits.repeats / cases.size(), 8);
    return prober_->may_grow(cases, what, limits, until);
  };
  const auto grows = [&](const std::vector<Case>& cases) {
    return growth_of(cases) == Growth::kSteady;
  };
  Recipe together;
  for (const Case& each : suspects) {
    together.steps.insert(together.steps.end(), each.steps.begin(), each.steps.end());
  }
  Suspicion suspicion;
  suspicion.oracle = what;
  suspicion.about = "with each repetition";
  suspicion.detail = what == Oracle::kMemory ? "Its memory grew" : "Its open descriptors grew";
  suspects = small_enough(std::move(suspects), growth_of);
  if (suspects.empty()) {
    proving_->note_not_reproduced(suspicion, together, outcome_.progress.cases, is_cut());
    return;
  }
  ServerFinding finding;
  finding.messages_before = count_messages(together.steps, is_http());
  const Case grower = narrow(std::move(suspects), grows);
  auto proof = is_cut() ? std::nullopt : prober_->grows({grower}, what, options_.growth, until);
  if (!proof) {
    proving_->note_not_reproduced(suspicion, together, outcome_.progress.cases, is_cut());
    return;
  }
  finding.suspicion = std::move(*proof);
  finding.origin = grower.origin;
  finding.recipe = {grower.steps, false, 0};
  finding.found_at_case = outcome_.progress.cases;
  finding.messages = count_messages(grower.steps, is_http());
  harness::Transcript transcript = prober_->transcript();
  (void)prober_->run(finding.recipe, options_.waits, &transcript);
  finding.transcript = transcript.events();
  generator_->avoid(finding.origin);
  proving_->add_finding(std::move(finding));
}

}  // namespace assay::fuzz
