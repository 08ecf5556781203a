#include "scenarios/mutation_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/monitor.h"
#include "harness/runner/runner.h"
#include "harness/runner/scenario.h"
#include "harness/runner/worker_pool.h"
#include "scenarios/fault_matrix_testing.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

bool is_about_extension(const server::Fault& fault, std::string_view name) {
  return std::any_of(fault.breaks.begin(), fault.breaks.end(), [&](std::string_view id) {
    const auto* const requirement = catalogue::find(id);
    return requirement != nullptr && requirement->extension == name;
  });
}

using Wants = std::function<bool(std::string_view)>;

// Which scopes of the protected reference server include others: no message says so.
harness::Profile scopes_of_reference() {
  harness::Profile profile;
  profile.name = "scopes";
  profile.scopes = {{"tools", {"tools:text"}}};
  const std::string tool(server::kScopedTool);
  profile.tools = {{.name = tool, .uses = {{.name = tool, .scopes = {"tools:text"}}}}};
  return profile;
}

// `slowness`: how many times longer than usual an answer may take.
reports::Result certify_with(const server::Fault& fault,
                             const std::vector<model::Revision>& revisions, Over over,
                             const Wants& wants, int slowness) {
  harness::CertifyOptions options;
  options.wants = wants;
  options.revisions = revisions;
  // A missing answer costs its time, and there are many; nothing in process takes half as long.
  options.patience.request = slowness * std::chrono::milliseconds(over == Over::kPipe ? 400 : 1000);
  options.patience.start = slowness * std::chrono::milliseconds(over == Over::kPipe ? 1000 : 4000);
  options.jobs = 8;
  server::Options server_options = options_for(fault);
  // Faults of one era are looked for in servers of that era alone.
  if (revisions.front().has_handshake()) {
    server_options.stateless_revisions.clear();
  } else {
    server_options.revisions.clear();
  }
  NoEvents events;
  if (over == Over::kPipe) {
    options.accesses = {reference_over_pipe(server_options, {&fault})};
    return harness::certify(options, events);
  }
  const ReferenceOverHttp reference(server_options, ReferenceOverHttp::Answers::kAuto, {&fault});
  const bool has_issuer = fault.overlooks || fault.needs_signed_tokens;
  // No server declares it, and it is a draft.
  if (is_about_extension(fault, "dpop")) options.extensions = {model::find_extension("dpop")};
  if (has_issuer) options.profiles.given.push_back(scopes_of_reference());
  options.accesses = {fault.needs_office       ? reference.http()
                      : has_issuer             ? reference.http_with_issuer()
                      : fault.needs_protection ? reference.http_with(reference_tokens())
                                               : reference.http()};
  return harness::certify(options, events);
}

// What a fault makes of certification: where it is missed, and what is blamed beside it.
struct Examined {
  const server::Fault* fault;
  std::vector<model::Revision> revisions;
  std::set<Matrix::Miss> missed;
  std::set<Matrix::Blame> blamed_wrongly;
};

Examined examine(const server::Fault& fault, const Ids& judged,
                 const std::vector<model::Revision>& revisions, Over over, const Wants& wants,
                 int slowness = 1) {
  const reports::Result result = certify_with(fault, revisions, over, wants, slowness);
  Examined examined{&fault, revisions, {}, {}};
  for (const reports::Run& run : result.runs) {
    const auto revision = model::Revision::parse(run.revision);
    bool is_caught_here = false;
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.outcome != reports::Outcome::kViolated) continue;
      if (fault.surely_breaks(verdict.requirement)) {
        is_caught_here = true;
      } else if (!fault.can_break(verdict.requirement)) {
        examined.blamed_wrongly.insert(
            {fault.id, verdict.requirement,
             fmt::format("{} ({} over {}): {} by {}: {}", fault.id, run.revision, run.transport,
                         verdict.requirement, verdict.scenario, verdict.detail)});
      }
    }
    const bool is_judged_here =
        std::any_of(fault.breaks.begin(), fault.breaks.end(), [&](std::string_view id) {
          const auto* requirement = catalogue::find(id);
          return judged.contains(id) && requirement != nullptr &&
                 requirement->binds_server_in(*revision);
        });
    if (!is_judged_here || is_caught_here) continue;
    examined.missed.insert(
        {fault.id, fmt::format("{} in {} over {}", fault.id, run.revision, run.transport)});
  }
  return examined;
}

// The scenarios that judge what the fault breaks, and a part of the others. All, where a rule is
// told by a monitor alone, which may see it in any.
Wants pertinent_and_some(const server::Fault& fault, std::size_t row, const Wants& wants) {
  if (is_whole_matrix()) return wants;
  std::set<std::string_view> names;
  for (const std::string_view broken : fault.breaks) {
    const std::size_t before = names.size();
    for (const harness::Scenario& scenario : harness::scenarios()) {
      if (scenario.may_judge(broken)) names.insert(scenario.name);
    }
    if (names.size() == before) return wants;
  }
  const auto all = harness::scenarios();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_in_part_of(row, i)) names.insert(all[i].name);
  }
  return [names = std::move(names), wants](std::string_view scenario) {
    return names.contains(scenario) && wants(scenario);
  };
}

// Those that the fault concerns: the last of them, and one of the others for each row in turn.
std::vector<model::Revision> last_and_another(const server::Fault& fault, std::size_t row,
                                              std::vector<model::Revision> revisions) {
  std::erase_if(revisions, [&](model::Revision each) { return !each.satisfies(fault.concerns); });
  if (is_whole_matrix() || revisions.size() <= 2) return revisions;
  return {revisions[row % (revisions.size() - 1)], revisions.back()};
}

}  // namespace

Ids judged_requirements() {
  Ids ids;
  for (const harness::Scenario& scenario : harness::scenarios()) {
    for (const auto& requirement : scenario.requirements) ids.insert(requirement.text());
  }
  for (const harness::MonitorFactory factory : harness::monitors()) {
    for (const auto& requirement : factory()->server_requirements()) ids.insert(requirement.text());
  }
  return ids;
}

bool is_seen_over_a_pipe(const server::Fault& fault) {
  return !fault.is_of_http() && fault.seen_over != server::SeenOver::kProcessOnly;
}

server::Options options_for(const server::Fault& fault) {
  server::Options options;
  if (fault.is_about_pages()) options.page_size = 4;
  // A server that reads nothing while a tool runs must not wait for our answers as long as it
  // would; one that takes them from anybody has to be there when somebody answers.
  const bool takes_any =
      fault.needs_protection || fault.surely_breaks("elicitation.bound-to-client-and-user");
  // What is wrong with the core protocol shows without them, and sooner.
  options.has_tasks_extension = is_about_extension(fault, "tasks");
  options.has_skills_extension = is_about_extension(fault, "skills");
  options.has_apps_extension = is_about_extension(fault, "apps");
  options.client_timeout =
      takes_any ? std::chrono::milliseconds(5000) : std::chrono::milliseconds(300);
  return options;
}

std::string Matrix::summary() const {
  return fmt::format("caught {} of {}, blamed wrongly {}", caught, tried, blamed_wrongly.size());
}

std::string Matrix::all_missed() const {
  std::string text;
  for (const Miss& miss : missed) text += miss.where + "\n";
  return text;
}

std::string Matrix::all_blamed() const {
  std::string text;
  for (const Blame& blame : blamed_wrongly) text += blame.told + "\n";
  return text;
}

Matrix play(const std::vector<const server::Fault*>& faults,
            const std::vector<model::Revision>& revisions, Over over, const Wants& wants) {
  const Ids judged = judged_requirements();
  Matrix matrix;
  std::vector<Examined> all;
  std::mutex mutex;  // guards all
  {
    // Most of the time is spent waiting for what a fault keeps back.
    harness::WorkerPool pool(over == Over::kPipe ? 16 : 6);
    for (const server::Fault* fault : faults) {
      const bool is_judged = std::any_of(fault->breaks.begin(), fault->breaks.end(),
                                         [&](std::string_view id) { return judged.contains(id); });
      if (!is_judged) continue;
      const auto row = static_cast<std::size_t>(matrix.tried);
      auto played = last_and_another(*fault, row, revisions);
      if (played.empty()) continue;
      ++matrix.tried;
      pool.add([&, fault, row, played = std::move(played)] {
        Examined examined =
            examine(*fault, judged, played, over, pertinent_and_some(*fault, row, wants));
        const std::lock_guard lock(mutex);
        all.push_back(std::move(examined));
      });
    }
  }
  for (Examined& examined : all) {
    matrix.blamed_wrongly.merge(examined.blamed_wrongly);
    // On a busy machine a scenario may have given up, and what shows the fault may have been left
    // out: once more, alone, with patience and with all scenarios. What is blamed wrongly has no
    // such excuse.
    if (!examined.missed.empty()) {
      constexpr int kSlowness = 4;
      examined = examine(*examined.fault, judged, examined.revisions, over, wants, kSlowness);
      matrix.blamed_wrongly.merge(examined.blamed_wrongly);
    }
    if (examined.missed.empty()) ++matrix.caught;
    matrix.missed.merge(examined.missed);
  }
  return matrix;
}

}  // namespace assay::scenarios
