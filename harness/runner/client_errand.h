// Errands: what an application can be made to do at a server that plays nothing, so that rules come
// up which wait for it. Who drives it by hand is told of those whose rules have not come up yet.
//
// Each registers itself, as scenarios do (client_scenario.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/catalogue/requirement_id.h"
#include "harness/script/link.h"
#include "reference/model/revision.h"
#include "reference/wire/message_fwd.h"

namespace assay::harness {

struct ClientErrand {
  std::string_view words;  // "call the tool test_slow, and cancel it"
  // The rules that it lets come up.
  std::vector<catalogue::RequirementId> requirements;
  // It is done once the client says something; with this method, where one is named,
  std::string_view method = "";
  // and of this tool or prompt, or this resource, where one is named;
  std::string_view target = "";
  // and with this member in its parameters: "cursor", "_meta.progressToken".
  std::string_view with = "";
  // In which of the revisions that have one of its rules. Null: in all.
  model::Revision::Question concerns = nullptr;
  std::vector<TransportKind> transports = {};  // empty: any
  // What the client has to declare, or it can do nothing of the kind: "elicitation".
  std::string_view capability = "";

  // Whether the revision has one of its rules, and it concerns it.
  bool holds_in(model::Revision revision) const;
  bool applies_to(model::Revision revision, TransportKind transport) const;
  // A message of the client's with which it is done.
  bool is_done_by(const wire::Message& message) const;
};

// Called before main(). They are told of in the order of one file.
struct ClientErrandRegistration {
  explicit ClientErrandRegistration(std::vector<ClientErrand> errands);
};

std::span<const ClientErrand> client_errands();

}  // namespace assay::harness
