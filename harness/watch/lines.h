// What a tap tells a watch: one JSON object a line, each bounded.
//
//   {"session":{"name":"20251125T103000-4711","target":"npx ...","transport":"stdio"}}
//   {"message":{"n":5,"party":"client","lane":"stdio","text":"{...}"}}
//   {"message":{"n":6,"party":"server","lane":"stdio","note":"the server closed its output"}}
//   {"violation":{"n":6,"party":"server","rule":"ping.empty-result","level":"MUST","detail":"...",
//                 "before":"{...","marked":"\"pong\":1","after":"...}"}}
//   {"left_out":12}
//   {"end":true}
//
// Nothing in a line is trusted by whoever shows it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/finding.h"
#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"
#include "reference/wire/json.h"

namespace assay::harness {

// No longer line is taken for one.
inline constexpr std::size_t kLongestWatchLine = 16u << 10;

std::string session_line(std::string_view name, std::string_view target,
                         std::string_view transport);
// Nothing of an event that says nothing to a person.
std::optional<std::string> message_line(const Event& event, const reports::Vault& vault);
// Nothing where the rule is none of the revision's, or does not bind the party there.
std::optional<std::string> violation_line(const Finding& finding, model::Revision revision,
                                          const reports::Vault& vault);
std::string left_out_watch_line(std::size_t count);
std::string end_line();

// A line of a stranger's, as far as it is one of these; a null value if it is not.
Json read_watch_line(std::string_view line);

}  // namespace assay::harness
