// Scenarios for clients: what a hosted server does, so that a client shows whether it keeps a rule.
//
// A client acts by itself; a scenario serves it, and looks afterwards at what passed. Each
// registers itself, under the name that the client is told in MCP_CONFORMANCE_SCENARIO.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "harness/catalogue/requirement_id.h"
#include "harness/profile/act.h"
#include "harness/script/link.h"
#include "reference/model/revision.h"
#include "reference/wire/json.h"

namespace assay::harness {

class Play;

struct ClientScenario {
  std::string_view name;  // "tools_call"
  // What the client is expected to do: "calls add_numbers with a: 5 and b: 3".
  std::string_view task;
  // All rules that its review may speak of.
  std::vector<catalogue::RequirementId> requirements;
  std::unique_ptr<Play> (*make)() = nullptr;
  // In which of the revisions that have one of its rules. Null: in all.
  model::Revision::Question concerns = nullptr;
  std::vector<TransportKind> transports = {};  // empty: any
  // A client may say by its exit status that it could do nothing.
  bool may_fail = false;
  // Of scenarios with the same word here the first that is played shows whether the client does
  // such a thing at all; if not, the others are left out.
  std::string_view topic = "";
  // By then all has been seen: a client that waits on is ended, and nothing is made of it. 0: it
  // may take as long as any.
  std::chrono::milliseconds enough{0};
  // What MCP_CONFORMANCE_CONTEXT holds; nothing where this is null.
  Json (*context)() = nullptr;
  // The extension that it is about, by name: played unless the client is known not to declare it.
  // Empty: the core protocol.
  std::string_view extension = "";
  // What is to be done, one thing after the other, with a client that is started for each: a
  // profile says how. Empty: it lists the tools.
  std::vector<Deed> deeds = {};

  // Whether the revision has one of its rules, or it has none of its own; and it concerns it.
  bool holds_in(model::Revision revision) const;
  bool applies_to(model::Revision revision, TransportKind transport) const;
};

// Whether one of the rules binds clients in the revision, or there are none.
bool binds_client_in(std::span<const catalogue::RequirementId> rules, model::Revision revision);

// Called before main().
struct ClientScenarioRegistration {
  explicit ClientScenarioRegistration(ClientScenario scenario);
};

// All of them, sorted by name.
std::span<const ClientScenario> client_scenarios();

}  // namespace assay::harness
