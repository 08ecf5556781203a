// Finds out what the tools of a stranger's server do, where no profile says so: by calling each a
// few times, and looking at what comes meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "harness/profile/profile.h"
#include "harness/script/connection.h"
#include "harness/script/survey.h"
#include "reference/model/protocol.h"

namespace assay::harness {

// The listed tools that may be called, and of which nothing is known, in the order in which they
// are tried: first those that need no arguments, which may say what others can be called with, and
// of these first what promises to do more than answer (tool_words.h).
std::vector<Json> tools_to_try(const Survey& survey, const ToolPolicy& policy);

// Bounds on what finding out may cost.
struct ExplorerLimits {
  std::chrono::milliseconds call{3'000};    // for one answer: a tool that takes longer is let be
  std::chrono::milliseconds total{20'000};  // then no further tool is tried
  std::size_t tools = 200;                  // a longer list is tried in part
  // A tool that takes at least this long, twice, is one that takes time.
  std::chrono::milliseconds slow{200};
};

// Whether there is anything to find out: such tools, or prompts and URI templates whose arguments
// the server completes. `server` is the result of `initialize`.
bool is_worth_exploring(const Survey& survey, const ToolPolicy& policy, const Json& server);

// Calls them on an initialized connection of its own, with arguments made up from their schemas, by
// themselves and as tasks, and completes the arguments of prompts and URI templates. What comes of
// it is a profile that says what each did; its `tried` and `left_out` name them all. `extensions`:
// what else may come of a call, and is looked for.
Profile explore(Connection& connection, const Survey& survey, const ToolPolicy& policy,
                ExplorerLimits limits = {}, model::ExtensionSet extensions = {});

}  // namespace assay::harness
