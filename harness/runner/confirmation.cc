#include "harness/runner/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace assay::harness {
namespace {

bool is_same_rule(const Judgement& one, const Judgement& other) {
  return one.finding.requirement == other.finding.requirement &&
         one.finding.party == other.finding.party;
}

bool is_broken_in(const Judgement& judgement, const Judgements& others) {
  return std::any_of(others.begin(), others.end(), [&](const Judgement& other) {
    return is_breach(other) && is_same_rule(judgement, other);
  });
}

void withdraw(Judgement& judgement, std::string_view why) {
  judgement.history.push_back(
      {std::string(reports::kNotConfirmed), judgement.finding.judge, std::string(why)});
  judgement.finding.kind = Finding::Kind::kUnclear;
  judgement.finding.detail = fmt::format("{}: {}", why, judgement.finding.detail);
}

// Compares what was found in one look with what was found in the other.
void weigh(Judgements& judgements, const Judgements& others, std::string_view why_not) {
  for (Judgement& judgement : judgements) {
    if (!needs_second_look(judgement)) continue;
    if (is_broken_in(judgement, others)) {
      confirm(judgement, "the rule was broken again, alone and with more patience");
    } else {
      withdraw(judgement, why_not);
    }
  }
}

}  // namespace

void confirm(Judgement& judgement, std::string how) {
  judgement.is_confirmed = true;
  judgement.history.push_back({"confirmed", judgement.finding.judge, std::move(how)});
}

bool needs_second_look(const Judgement& judgement) {
  return is_breach(judgement) && !judgement.is_confirmed &&
         judgement.finding.proof.needs_second_look();
}

bool needs_second_look(const Judgements& judgements) {
  return std::any_of(judgements.begin(), judgements.end(),
                     [](const Judgement& each) { return needs_second_look(each); });
}

Judgements confirmed(Judgements first, Judgements second) {
  const Judgements before = first;
  weigh(first, second, "seen once, and not again when it was tried alone");
  weigh(second, before, "seen only when it was tried again, alone");
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

void settle_without_second_look(Judgements& judgements, std::string_view why) {
  const auto sightings = [&](const Judgement& judgement) {
    std::set<std::string_view> sessions;
    for (const Judgement& other : judgements) {
      if (is_breach(other) && is_same_rule(judgement, other)) sessions.insert(other.from);
    }
    return sessions.size();
  };
  std::vector<Judgement*> open;
  for (Judgement& judgement : judgements) {
    if (!needs_second_look(judgement)) continue;
    const bool is_order = judgement.finding.proof.kind() == Proof::Kind::kOrder;
    if (is_order && sightings(judgement) > 1) {
      confirm(judgement, "seen in two sessions");
    } else {
      open.push_back(&judgement);
    }
  }
  for (Judgement* judgement : open) withdraw(*judgement, why);
}

}  // namespace assay::harness
