// Why a rule that nobody spoke of was not exercised, and what would let it be.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"
#include "harness/transcript/transcript.h"

namespace assay::harness {

struct Situation {
  std::string why;   // "the server asked the client for nothing"
  std::string hint;  // what would bring it about; empty if nothing of the user's does
};

// Which scenarios are part of the run.
using Wanted = std::function<bool(std::string_view scenario)>;

// What this rule waits for, as the catalogue says it. Of a
// rule that nobody judges, or only a scenario that was left out, it says so.
Situation situation_of(const catalogue::Requirement& requirement, const Wanted& wants);

// The same of a client, which scenarios of its own serve.
Situation situation_of_client(const catalogue::Requirement& requirement, const Wanted& wants);

// The same of an authorization server.
Situation situation_of_authority(const catalogue::Requirement& requirement, const Wanted& wants);

// The same where traffic was only watched, and nobody provoked anything.
Situation situation_in_traffic(const catalogue::Requirement& requirement, Party party);

}  // namespace assay::harness
