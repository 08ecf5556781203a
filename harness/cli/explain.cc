// mcp-assay explain: one requirement in full.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/catalogue/fixes.h"
#include "harness/coverage.h"
#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/frame/load_report.h"
#include "harness/rules/requirement_json.h"
#include "harness/rules/rule_pages.h"
#include "reference/model/extension.h"
#include "reports/escape.h"
#include "reports/text.h"

namespace assay::cli {
namespace {

using catalogue::Observation;
using catalogue::Requirement;

std::string observation_text(const Requirement& requirement) {
  switch (requirement.observe) {
    case Observation::kActive:
      return "active: a scenario has to provoke the situation";
    case Observation::kPassive:
      return "passive: any traffic can show it";
    case Observation::kNo:
      return fmt::format("no: {}", requirement.reason);
  }
  return "";
}

// How far an id is from what was asked for: first those of the very area that are near or hold the
// name, then near ones, then those that hold the name, then the rest of the area.
std::optional<std::size_t> rank(const Requirement& requirement, std::string_view asked) {
  constexpr std::size_t kNear = 4;  // slips of the fingers
  constexpr std::size_t kNextKind = 1000;
  const std::size_t dot = asked.find('.');
  const std::string_view area = asked.substr(0, dot);
  const std::string_view name = dot == std::string_view::npos ? asked : asked.substr(dot + 1);
  const std::size_t far = edit_distance(requirement.id, asked);
  const bool is_near = far <= kNear;
  const bool holds_name = !name.empty() && requirement.id.find(name) != std::string_view::npos;
  const bool is_in_area = requirement.area() == area;
  if (is_in_area && (is_near || holds_name)) return far;
  if (is_near) return kNextKind + far;
  if (holds_name) return 2 * kNextKind + far;
  if (is_in_area) return 3 * kNextKind + far;
  return std::nullopt;
}

// The nearest requirements; none for what resembles nothing.
std::vector<std::string_view> similar(std::string_view id) {
  constexpr std::size_t kMost = 5;
  constexpr std::size_t kLongestId = 200;
  std::vector<std::pair<std::size_t, std::string_view>> found;
  if (id.size() > kLongestId) return {};
  for (const Requirement& requirement : catalogue::all()) {
    if (const auto place = rank(requirement, id)) found.emplace_back(*place, requirement.id);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string_view> out;
  for (const auto& [place, each] : found) {
    if (out.size() < kMost) out.push_back(each);
  }
  return out;
}

void print_holdings(const Requirement& requirement) {
  for (const catalogue::Holding& holding : requirement.in) {
    fmt::print("  {}  {:<10}  {}\n", holding.revision.text(), reports::name(holding.level),
               requirement.link(holding.revision));
    if (holding.subject != requirement.subject) {
      fmt::print("{:>26}binds the {}\n", "", catalogue::name(holding.subject));
    }
    if (!holding.note.empty()) fmt::print("{:>26}{}\n", "", holding.note);
  }
}

bool binds_clients(const Requirement& requirement) {
  return std::any_of(requirement.in.begin(), requirement.in.end(), [&](const auto& holding) {
    return requirement.binds_client_in(holding.revision);
  });
}

void print_coverage(const Requirement& requirement, const harness::CoverageMap& coverage) {
  bool is_judged = false;
  bool is_judged_of_clients = false;
  for (const harness::Coverage& it : coverage.of(requirement.id)) {
    if (!harness::judges_bound_party(it, requirement)) continue;
    is_judged = true;
    is_judged_of_clients = is_judged_of_clients || it.judges_clients;
    const bool is_scenario = it.kind == harness::Coverage::Kind::kActive;
    fmt::print("  judged by the {} {}\n", is_scenario ? "scenario" : "monitor", it.judge);
  }
  const bool is_seen_of_clients = binds_clients(requirement) && requirement.is_seen_of_client();
  if (!is_judged && requirement.observe != Observation::kNo) {
    fmt::print("  No check judges it yet.\n");
  } else if (is_judged && is_seen_of_clients && !is_judged_of_clients) {
    fmt::print("  No check judges it for clients yet.\n");
  }
  if (is_judged && requirement.is_judged_in_part()) {
    fmt::print("  only in part: {}\n", requirement.part_judged);
  }
  for (const std::string& fault : coverage.faults_of(requirement.id)) {
    fmt::print("  proved by the fault {}\n", fault);
  }
  for (const std::string& fault : coverage.client_faults_of(requirement.id)) {
    fmt::print("  proved of clients by the fault {}\n", fault);
  }
}

void print_authority_faults(const Requirement& requirement, const harness::CoverageMap& coverage) {
  for (const std::string& fault : coverage.authority_faults_of(requirement.id)) {
    fmt::print("  proved of authorization servers by the fault {}\n", fault);
  }
}

void print(const Requirement& requirement, const harness::CoverageMap& coverage) {
  fmt::print("{}\n\n  {}\n\n", requirement.id, requirement.summary);
  fmt::print("  binds       {}\n", catalogue::name(requirement.subject));
  fmt::print("  transport   {}\n", catalogue::name(requirement.transport));
  if (const auto* const extension = model::find_extension(requirement.extension)) {
    fmt::print("  extension   {}, {} {}\n", extension->identifier, extension->title,
               extension->version);
    if (extension->is_draft) {
      fmt::print("              judged if asked for; reported as advice without --drafts\n");
    }
  }
  if (!requirement.capability.empty()) fmt::print("  capability  {}\n", requirement.capability);
  fmt::print("  observable  {}\n", observation_text(requirement));
  if (!requirement.unseen_of_server.empty()) {
    fmt::print("              but not of a server: {}\n", requirement.unseen_of_server);
  }
  if (!requirement.unseen_of_client.empty()) {
    fmt::print("              but not of a client: {}\n", requirement.unseen_of_client);
  }
  if (requirement.is_implied) {
    fmt::print("  It follows from the section as a whole; no single sentence says it.\n");
  }
  fmt::print("\n");
  print_holdings(requirement);
  if (const auto fix = catalogue::fix_of(requirement.id); !fix.empty()) {
    fmt::print("\n  how to fix: {}\n", fix);
  }
  fmt::print("\n");
  print_coverage(requirement, coverage);
  print_authority_faults(requirement, coverage);
}

// What the runs of a report came to about it, and how.
void print_verdicts(const reports::Result& result, std::string_view id) {
  for (const reports::Run& run : result.runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.requirement != id) continue;
      fmt::print("\n  {} over {}: {}{}{}\n", reports::printable_line(run.revision),
                 reports::printable_line(run.transport), reports::outcome_words(verdict.outcome),
                 verdict.detail.empty() ? "" : ", ", reports::printable_line(verdict.detail));
      for (const reports::Step& step : verdict.history) {
        fmt::print("    {}\n", reports::words_of(step));
      }
    }
  }
}

class ExplainCommand : public Command {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override { return "Explain one requirement"; }

  void declare(Arguments& arguments) override {
    arguments.positional("ID", id_, true, "A requirement, such as pagination.invalid-cursor");
    arguments.text("--rules-url", rules_url_, "URL",
                   "Print the address of its page: URL is where you publish 'report --rules'");
    arguments.text("--verdicts", report_, "REPORT",
                   "Show what this JSON report says about it in each run, and why");
    arguments.flag("--json", as_json_, "Print JSON");
  }

  int run() override {
    const Requirement* const requirement = catalogue::find(id_);
    if (requirement == nullptr) {
      const auto known = similar(id_);
      throw UsageError(
          fmt::format("there is no requirement '{}'{}{}{}", id_,
                      known.empty() ? "; see 'mcp-assay list requirements'" : "; do you mean ",
                      fmt::join(known, ", "), known.empty() ? "" : "?"));
    }
    if (as_json_ && !report_.empty()) throw UsageError("--verdicts cannot be used with --json");
    check_rules_url(rules_url_);
    const reports::Result result = report_.empty() ? reports::Result{} : load_report(report_);
    const std::string page = reports::rule_address(rules_url_, requirement->id);
    const harness::CoverageMap coverage = harness::collect_coverage();
    if (as_json_) {
      fmt::print("{}\n", to_json(*requirement, coverage).dump(2));
    } else {
      print(*requirement, coverage);
      if (!page.empty()) fmt::print("\n  {}\n", page);
      print_verdicts(result, requirement->id);
    }
    return kConformant;
  }

 private:
  std::string id_;
  std::string rules_url_;
  std::string report_;
  bool as_json_ = false;
};

const CommandRegistration<ExplainCommand> kExplainCommandRegistration;

}  // namespace
}  // namespace assay::cli
