#include "scenarios/client_mutation_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "scenarios/fault_matrix_testing.h"

namespace assay::scenarios {

using client::Fault;
using harness::TransportKind;
using model::Revision;

bool is_of_login_extension(std::string_view rule) {
  const auto* const requirement = catalogue::find(rule);
  if (requirement == nullptr) return false;
  const auto* const extension = model::find_extension(requirement->extension);
  return extension != nullptr && extension->folder == "auth";
}

bool is_about_login(const Fault& fault) {
  return std::any_of(fault.breaks.begin(), fault.breaks.end(), [](std::string_view rule) {
    return rule.starts_with("authorization.") || is_of_login_extension(rule);
  });
}

harness::CertifyClientOptions reference_client_options(const std::vector<std::string>& words,
                                                       TransportKind transport, int slowness) {
  harness::CertifyClientOptions options;
  options.command.words = {ASSAY_PROGRAM, "reference-client", "--timeout=10"};
  options.command.words.insert(options.command.words.end(), words.begin(), words.end());
  options.command.transport = transport;
  options.command.relay_program = ASSAY_PROGRAM;
  if (transport.has_process()) {
    options.command.words.insert(options.command.words.end(), {"--", "{server}"});
  }
  options.jobs = 4;
  options.patience.question = slowness * std::chrono::seconds(1);
  options.vault = std::make_shared<reports::Vault>();
  return options;
}

std::set<std::string> violated_rules(const reports::Result& result) {
  std::set<std::string> rules;
  for (const reports::Verdict& verdict : result.runs.at(0).verdicts) {
    if (verdict.outcome == reports::Outcome::kViolated) rules.insert(verdict.requirement);
  }
  return rules;
}

bool binds_clients(std::string_view rule, Revision revision, TransportKind transport) {
  const auto* requirement = catalogue::find(rule);
  if (requirement == nullptr || !requirement->binds_client_in(revision)) return false;
  // Over HTTP the older pair of endpoints is served as well, where the revision has it.
  if (requirement->transport == catalogue::Transport::kHttpSse) {
    return transport.is_streamable_http() && revision.has_http_sse();
  }
  return requirement->transport == catalogue::Transport::kAny ||
         catalogue::name(requirement->transport) == name(transport);
}

std::vector<Revision> revisions_of(const Fault& fault, TransportKind transport) {
  const bool is_out = transport.has_process() ? fault.seen_over == client::SeenOver::kHttpOnly
                                              : fault.seen_over == client::SeenOver::kStdioOnly;
  std::vector<Revision> all;
  for (const Revision revision : Revision::all()) {
    const bool is_concerned = revision.satisfies(fault.concerns);
    const bool breaks_any = std::any_of(
        fault.breaks.begin(), fault.breaks.end(),
        [&](std::string_view rule) { return binds_clients(rule, revision, transport); });
    if (!is_out && is_concerned && breaks_any) all.push_back(revision);
  }
  if (all.size() > 2 && !is_whole_matrix()) all.erase(all.begin() + 1, all.end() - 1);
  return all;
}

void Row::take(const Fault& fault, const reports::Result& result, Revision revision,
               TransportKind transport) {
  std::set<std::string> found = violated_rules(result);
  const auto where =
      fmt::format("{} in {} over {}", fault.id, revision.text(), harness::name(transport));
  for (const std::string_view rule : fault.breaks) {
    if (!binds_clients(rule, revision, transport)) continue;
    if (found.erase(std::string(rule)) > 0) continue;
    missed += fmt::format("{}: {}", where, rule);
    for (const reports::Verdict& verdict : result.runs.at(0).verdicts) {
      if (verdict.requirement != rule) continue;
      missed += fmt::format(" is {}: {}", reports::name(verdict.outcome), verdict.detail);
    }
    missed += '\n';
  }
  for (const std::string_view rule : fault.may_break) found.erase(std::string(rule));
  for (const reports::Verdict& verdict : result.runs.at(0).verdicts) {
    if (!found.contains(verdict.requirement)) continue;
    wrongly += fmt::format("{}: {} by {}: {}\n", where, verdict.requirement, verdict.scenario,
                           verdict.detail);
    for (const reports::Evidence& evidence : verdict.evidence) {
      wrongly += fmt::format("    {}: {}\n", evidence.party, evidence.text.substr(0, 200));
    }
  }
}

std::vector<const model::Extension*> extensions_of(const Fault& fault) {
  std::vector<const model::Extension*> all;
  for (const std::string_view rule : fault.breaks) {
    const auto* const requirement = catalogue::find(rule);
    const bool is_of_one = requirement != nullptr && !requirement->extension.empty();
    if (is_of_one) all.push_back(model::find_extension(requirement->extension));
  }
  return all;
}

namespace {

// What the matrix takes, and which rows take most of it: for who wants it shorter.
void tell_slowest(const std::vector<const Fault*>& faults, const std::vector<double>& seconds) {
  constexpr std::size_t kShown = 12;
  std::vector<std::size_t> rows(faults.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(),
            [&](std::size_t one, std::size_t other) { return seconds[one] > seconds[other]; });
  std::printf("%.0f s in %zu rows\n", std::accumulate(seconds.begin(), seconds.end(), 0.0),
              rows.size());
  for (std::size_t at = 0; at < std::min(kShown, rows.size()); ++at) {
    std::printf("%6.1f s  %s\n", seconds[rows[at]], std::string(faults[rows[at]]->id).c_str());
  }
}

}  // namespace

void expect_each_caught(const std::vector<const Fault*>& faults,
                        const std::function<Row(const Fault& fault, int slowness)>& play) {
  constexpr int kSlowness = 4;
  ASSERT_FALSE(faults.empty()) << "ASSAY_FAULTS names no fault of this matrix";
  std::vector<Row> rows(faults.size());
  std::vector<double> seconds(faults.size());
  play_rows(faults.size(), [&](std::size_t at) {
    const auto began = std::chrono::steady_clock::now();
    rows[at] = play(*faults[at], 1);
    seconds[at] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  });
  tell_slowest(faults, seconds);
  for (std::size_t at = 0; at < faults.size(); ++at) {
    if (!rows[at].missed.empty()) {
      const Row first = std::move(rows[at]);
      std::printf("looked for once more: %s", first.missed.c_str());
      rows[at] = play(*faults[at], kSlowness);
      rows[at].wrongly += first.wrongly;
      if (!rows[at].missed.empty()) rows[at].missed += "and before that\n" + first.missed;
    }
    EXPECT_EQ(rows[at].missed, "") << "was not caught";
    EXPECT_EQ(rows[at].wrongly, "") << "was blamed wrongly";
  }
}

}  // namespace assay::scenarios
