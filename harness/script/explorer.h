// Finds out what the tools of a stranger's server do, where no profile says so: by calling each
// once or twice, and looking at what comes meanwhile.
#pragma once

#include <chrono>
#include <vector>

#include "harness/profile/profile.h"
#include "harness/script/connection.h"
#include "harness/script/survey.h"

namespace assay::harness {

// The listed tools that may be called, and of which nothing is known: at most a few. Those that
// can run as tasks only are none of them.
std::vector<Json> tools_to_try(const Survey& survey, const ToolPolicy& policy);

// Bounds on what finding out may cost.
struct ExplorerLimits {
  std::chrono::milliseconds call{3'000};   // for one answer: a tool that takes longer is let be
  std::chrono::milliseconds total{8'000};  // then no further tool is tried
  // A tool that takes at least this long, twice, is one that takes time.
  std::chrono::milliseconds slow{200};
};

// Whether there is anything to find out: such tools, or prompts whose arguments the server
// completes. `server` is the result of `initialize`.
bool is_worth_exploring(const Survey& survey, const ToolPolicy& policy, const Json& server);

// Calls them on an initialized connection of its own, with arguments made up from their schemas,
// and completes the arguments of prompts. What comes of it is a profile that says what each did;
// its `tried` names them all.
Profile explore(Connection& connection, const Survey& survey, const ToolPolicy& policy,
                ExplorerLimits limits = {});

}  // namespace assay::harness
