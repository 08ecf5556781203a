#include "harness/interop/pair_verdicts.h"

#include <algorithm>
#include <utility>

#include "harness/runner/passive.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

constexpr std::size_t kLongestIntroduction = 120;

std::string introduction(const reports::Target& target) {
  const std::string text =
      target.version.empty() ? target.name : target.name + " " + target.version;
  return reports::printable_line(reports::cut(text, kLongestIntroduction));
}

bool is_broken(const reports::Verdict& verdict) {
  return verdict.outcome == reports::Outcome::kViolated;
}

}  // namespace

PairVerdicts judge_pair(const std::vector<SeenStart>& starts,
                        const std::vector<ReadSession>& sessions, bool has_gateway,
                        const reports::Vault& vault, const std::set<OpenBreach>& seen_before) {
  PairVerdicts out;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const std::string& start = starts[sessions[i].start].start.name;
    const auto role = [&](Party party) -> std::string {
      const Party gateway = sessions[i].is_after_gateway ? Party::kClient : Party::kServer;
      return has_gateway && party == gateway ? "gateway" : std::string(transport::name(party));
    };
    for (const Party party : {Party::kClient, Party::kServer}) {
      PassiveJudge judge(party);
      if (!judge.add(*sessions[i].session)) continue;
      for (const std::string& rule : judge.open_breaches()) {
        out.open.emplace(party, start, rule);
        // All acts may have been seen in one start, and each in its own at the second look.
        if (seen_before.contains({party, start, rule}) || seen_before.contains({party, "", rule})) {
          judge.confirm(rule);
        }
      }
      reports::Result result = judge.finish({});
      vault.redact(result);
      const bool is_of_party = role(party) == transport::name(party);
      std::string& name = party == Party::kClient ? out.client : out.server;
      if (is_of_party && name.empty()) name = introduction(result.target);
      for (reports::Run& run : result.runs) {
        for (reports::Verdict& verdict : run.verdicts) {
          if (!is_broken(verdict)) continue;
          // What stands around the proof is in the session, which the report shows.
          std::erase_if(verdict.evidence, [](const auto& event) { return event.is_context; });
          out.breaches.push_back({role(party), i, std::move(verdict)});
        }
      }
    }
  }
  return out;
}

std::vector<std::size_t> breaches_in(const std::set<EventPlace>& events,
                                     const std::vector<reports::PairBreach>& breaches) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < breaches.size(); ++i) {
    const reports::PairBreach& breach = breaches[i];
    const auto& evidence = breach.verdict.evidence;
    const bool is_in = std::any_of(evidence.begin(), evidence.end(), [&](const auto& event) {
      return events.contains({breach.session, event.n});
    });
    if (is_in) out.push_back(i);
  }
  return out;
}

}  // namespace assay::harness
