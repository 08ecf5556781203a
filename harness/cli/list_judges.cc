#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/cli/list_topics.h"
#include "harness/monitors/monitor.h"
#include "harness/profile/built_in.h"
#include "harness/runner/scenario.h"
#include "reference/server/faults/fault.h"

namespace assay::cli {
namespace {

std::string join(const auto& items, const auto& text_of) {
  std::string joined;
  for (const auto& item : items) {
    joined += fmt::format("{}{}", joined.empty() ? "" : ", ", text_of(item));
  }
  return joined;
}

}  // namespace

void list_scenarios() {
  for (const harness::Scenario& scenario : harness::scenarios()) {
    fmt::print("{}\n    {}\n", scenario.name,
               join(scenario.requirements, [](const auto& id) { return id.text(); }));
  }
}

void list_monitors() {
  for (const harness::MonitorFactory factory : harness::monitors()) {
    const auto monitor = factory();
    fmt::print("{}\n    {}\n", monitor->name(),
               join(monitor->requirements(), [](const auto& id) { return id.text(); }));
  }
}

void list_faults() {
  for (const server::Fault& fault : server::all_faults()) {
    fmt::print("{}\n    {}\n    breaks {}\n", fault.id, fault.description,
               join(fault.breaks, [](std::string_view id) { return id; }));
  }
}

void list_profiles() {
  bool is_first = true;
  for (const harness::Profile& profile : harness::built_in_profiles()) {
    fmt::print("{}{}", is_first ? "" : "---\n", harness::built_in_text(profile.name));
    is_first = false;
  }
}

}  // namespace assay::cli
