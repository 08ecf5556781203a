// From judgements to what verdicts are chosen from.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/judgement.h"
#include "harness/runner/offers.h"
#include "harness/script/script.h"
#include "reference/model/protocol.h"
#include "reports/result.h"

namespace assay::harness {

// Turns what scenarios and monitors found into candidates for verdicts, which reports::settle()
// weighs: for each requirement that holds in the run those that the judgements speak of, in their
// order, and of a rule that nobody spoke of that it was not exercised. What was not exercised is
// not applicable where the transport, the declared capabilities or what the server offers rule it
// out. `server` is the result of `initialize`; null if there was none, and then `cause` names why
// nothing could be judged.
struct VerdictInput {
  model::Revision revision;
  TransportKind transport;
  const Json& server;
  const Judgements& judgements;
  std::string cause;          // why nothing more could be judged; empty if all went well
  std::string cause_verdict;  // the requirement whose violation that is; may be empty
  std::function<bool(std::string_view scenario)> wants = [](std::string_view) { return true; };
  int catalogue_version = 0;     // only what this version of the catalogue had; 0: everything
  Party party = Party::kServer;  // whose rules they are
  // The params of `initialize`; null where they are not known, or the client is ours.
  const Json* client = nullptr;
  // Nobody provoked anything: what only a scenario judges is told so.
  bool is_passive = false;
  // They are the rules of an authorization server, and of neither party.
  bool is_of_authority = false;
  // Which extensions are judged; the rules of others are not applicable, and those of drafts are
  // not spoken of.
  model::ExtensionSet extensions = {};
  // Rules of drafts keep their level; otherwise they are reported as advice.
  bool binds_drafts = false;
  // What the server offers, as far as anybody has asked.
  Offers offers = {};
};
std::vector<reports::Candidate> make_candidates(const VerdictInput& input);

}  // namespace assay::harness
