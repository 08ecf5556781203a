// mcp-assay explain: one requirement in full.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/requirement_json.h"
#include "harness/coverage.h"

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

// Requirements of the same area, or whose name holds the same word.
std::vector<std::string_view> similar(std::string_view id) {
  constexpr std::size_t kMost = 5;
  const std::size_t dot = id.find('.');
  const std::string_view word = dot == std::string_view::npos ? id : id.substr(dot + 1);
  std::vector<std::string_view> out;
  for (const Requirement& requirement : catalogue::all()) {
    if (out.size() == kMost) break;
    if (!word.empty() && requirement.id.find(word) != std::string_view::npos) {
      out.push_back(requirement.id);
    }
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
    fmt::print("  Nobody judges it yet.\n");
  } else if (is_judged && is_seen_of_clients && !is_judged_of_clients) {
    fmt::print("  Of clients nobody judges it yet.\n");
  }
  for (const std::string& fault : coverage.faults_of(requirement.id)) {
    fmt::print("  proved by the fault {}\n", fault);
  }
}

void print(const Requirement& requirement, const harness::CoverageMap& coverage) {
  fmt::print("{}\n\n  {}\n\n", requirement.id, requirement.summary);
  fmt::print("  binds       {}\n", catalogue::name(requirement.subject));
  fmt::print("  transport   {}\n", catalogue::name(requirement.transport));
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
  fmt::print("\n");
  print_coverage(requirement, coverage);
}

class ExplainCommand : public Command {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override { return "Explain a requirement in full"; }

  void declare(Arguments& arguments) override {
    arguments.positional("ID", id_, true, "A requirement, such as pagination.invalid-cursor");
    arguments.flag("--json", as_json_, "Print JSON");
  }

  int run() override {
    const Requirement* const requirement = catalogue::find(id_);
    if (requirement == nullptr) {
      const auto known = similar(id_);
      throw UsageError(
          fmt::format("there is no requirement '{}'{}{}", id_,
                      known.empty() ? "; see 'mcp-assay list requirements'" : "; do you mean ",
                      fmt::join(known, ", ")));
    }
    const harness::CoverageMap coverage = harness::collect_coverage();
    if (as_json_) {
      fmt::print("{}\n", to_json(*requirement, coverage).dump(2));
    } else {
      print(*requirement, coverage);
    }
    return kConformant;
  }

 private:
  std::string id_;
  bool as_json_ = false;
};

const CommandRegistration<ExplainCommand> kExplainCommandRegistration;

}  // namespace
}  // namespace assay::cli
