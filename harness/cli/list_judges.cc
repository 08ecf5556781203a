#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/cli/list_topics.h"
#include "harness/monitors/monitor.h"
#include "harness/profile/built_in.h"
#include "harness/project/project.h"
#include "harness/runner/authority_scenario.h"
#include "harness/runner/client_scenario.h"
#include "harness/runner/scenario.h"
#include "reference/authorization/fault.h"
#include "reference/client/faults/fault.h"
#include "reference/model/extension.h"
#include "reference/server/faults/fault.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

// Ids of requirements, as text.
std::vector<std::string> names_of(const auto& items, const auto& text_of) {
  std::vector<std::string> names;
  for (const auto& item : items) names.emplace_back(text_of(item));
  return names;
}

std::string_view text_of_id(const catalogue::RequirementId& id) {
  return id.text();
}

void print_json(const ordered_json& json) {
  fmt::print("{}\n", json.dump(2));
}

// What has revisions in which it holds.
ordered_json revisions_of(const auto& judge) {
  ordered_json revisions = ordered_json::array();
  for (const model::Revision revision : model::Revision::all()) {
    if (judge.holds_in(revision)) revisions.push_back(revision.text());
  }
  return revisions;
}

void list_client_scenarios(bool as_json, ordered_json& all) {
  for (const harness::ClientScenario& scenario : harness::client_scenarios()) {
    const auto judges = names_of(scenario.requirements, text_of_id);
    if (as_json) {
      all.push_back({{"name", scenario.name},
                     {"judges_of_clients", judges},
                     {"task", scenario.task},
                     {"revisions", revisions_of(scenario)}});
      continue;
    }
    fmt::print("{}\n    the client {}\n", scenario.name, scenario.task);
    if (!judges.empty()) fmt::print("    of clients: {}\n", fmt::join(judges, ", "));
  }
}

void list_authority_scenarios(bool as_json, ordered_json& all) {
  for (const harness::AuthorityScenario& scenario : harness::authority_scenarios()) {
    const auto judges = names_of(scenario.requirements, text_of_id);
    if (as_json) {
      all.push_back({{"name", scenario.name},
                     {"judges_of_authorization_servers", judges},
                     {"revisions", revisions_of(scenario)}});
      continue;
    }
    fmt::print("{}\n    of authorization servers: {}\n", scenario.name, fmt::join(judges, ", "));
  }
}

}  // namespace

void list_scenarios(bool as_json) {
  ordered_json all = ordered_json::array();
  for (const harness::Scenario& scenario : harness::scenarios()) {
    const auto judges = names_of(scenario.requirements, text_of_id);
    if (!as_json) {
      fmt::print("{}\n    {}\n", scenario.name, fmt::join(judges, ", "));
      continue;
    }
    all.push_back(
        {{"name", scenario.name}, {"judges", judges}, {"revisions", revisions_of(scenario)}});
  }
  list_client_scenarios(as_json, all);
  list_authority_scenarios(as_json, all);
  if (as_json) print_json(all);
}

void list_monitors(bool as_json) {
  ordered_json all = ordered_json::array();
  for (const harness::MonitorFactory factory : harness::monitors()) {
    const auto monitor = factory();
    const auto judges = names_of(monitor->server_requirements(), text_of_id);
    const auto of_clients = names_of(monitor->client_requirements(), text_of_id);
    if (as_json) {
      ordered_json one = {{"name", monitor->name()}, {"judges", judges}};
      if (!of_clients.empty()) one["judges_of_clients"] = of_clients;
      all.push_back(std::move(one));
      continue;
    }
    fmt::print("{}\n", monitor->name());
    if (!judges.empty()) fmt::print("    {}\n", fmt::join(judges, ", "));
    if (!of_clients.empty()) fmt::print("    of clients: {}\n", fmt::join(of_clients, ", "));
  }
  if (as_json) print_json(all);
}

void list_faults(bool as_json) {
  ordered_json all = ordered_json::array();
  const auto add = [&](const auto& faults, const char* peer) {
    for (const auto& fault : faults) {
      const auto breaks = names_of(fault.breaks, [](std::string_view id) { return id; });
      if (as_json) {
        all.push_back({{"id", fault.id},
                       {"peer", peer},
                       {"description", fault.description},
                       {"breaks", breaks}});
      } else {
        fmt::print("{}\n    {}: {}\n    breaks {}\n", fault.id, peer, fault.description,
                   fmt::join(breaks, ", "));
      }
    }
  };
  add(server::all_faults(), "reference-server");
  add(client::all_faults(), "reference-client");
  add(authorization::all_faults(), "reference-authorization-server");
  if (as_json) print_json(all);
}

void list_profiles(bool as_json) {
  ordered_json all = ordered_json::array();
  for (const harness::Profile& profile : harness::built_in_profiles()) {
    const auto text = harness::built_in_text(profile.name);
    if (as_json) {
      all.push_back({{"name", profile.name}, {"yaml", text}});
    } else {
      fmt::print("{}{}", &profile == &harness::built_in_profiles().front() ? "" : "---\n", text);
    }
  }
  if (as_json) print_json(all);
}

void list_revisions(bool as_json) {
  ordered_json all = ordered_json::array();
  for (const model::Revision revision : model::Revision::all()) {
    all.push_back(revision.text());
    if (!as_json) fmt::print("{}\n", revision.text());
  }
  if (as_json) print_json(all);
}

void list_extensions(bool as_json) {
  ordered_json all = ordered_json::array();
  for (const model::Extension& extension : model::extensions()) {
    const auto rules =
        std::count_if(catalogue::all().begin(), catalogue::all().end(),
                      [&](const auto& it) { return it.extension == extension.name; });
    std::vector<std::string> methods;
    for (const model::Method& method : extension.methods) methods.push_back(method.name);
    if (as_json) {
      all.push_back({{"name", extension.name},
                     {"identifier", extension.identifier},
                     {"title", extension.title},
                     {"version", extension.version},
                     {"extends", extension.base.text()},
                     {"spec", extension.address},
                     {"methods", methods},
                     {"requirements", rules}});
      continue;
    }
    const std::string named =
        methods.empty() ? "" : fmt::format("    methods: {}\n", fmt::join(methods, ", "));
    fmt::print("{}\n    {}, {} {}, extends {} and later\n    {}\n{}    {} requirements\n",
               extension.name, extension.identifier, extension.title, extension.version,
               extension.base.text(), extension.address, named, rules);
  }
  if (as_json) print_json(all);
}

void list_servers(bool as_json) {
  ordered_json all = ordered_json::array();
  for (const std::string& name : project_server_names()) {
    all.push_back(name);
    if (!as_json) fmt::print("{}\n", reports::printable_line(name));
  }
  if (as_json) print_json(all);
}

}  // namespace assay::cli
