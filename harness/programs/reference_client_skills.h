// How the reference client loads skills of the extension `io.modelcontextprotocol/skills`: what
// does not match its entry is not used, and no file is read that the entry does not list.
//
// Specification: the extension's page, "Integrity and Verification".
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "reference/wire/json.h"

namespace assay::cli {

// `ask` sends a request, and gives its result; null where there is none. `skills`: the entries that
// the server lists. `server`: what it says of itself.
using AskForResult = std::function<Json(std::string_view method, const Json& params)>;
void load_skills(const Json& server, const std::vector<Json>& skills, const AskForResult& ask);

}  // namespace assay::cli
