// What the target under test offers, asked once before it is fuzzed: what cases are made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/script/connection.h"
#include "harness/script/mirrored_headers.h"
#include "harness/script/survey.h"
#include "reference/model/revision.h"
#include "reference/wire/json.h"

namespace assay::fuzz {

class Sandbox;

// A request that the target answered by asking for input, and what answers that politely.
struct InputRound {
  Json request;    // without an id
  Json responses;  // `inputResponses`; null where it asked for none
};

// Everything here but the revision comes from the target and is not trusted.
struct Vocabulary {
  // As `initialize` settled it, or one that has no `initialize`.
  model::Revision revision = model::Revision::v2025_11_25;
  std::string name;  // as the target introduced itself
  std::string version;
  Json initialize_params;  // what a client sends to begin
  Json request_meta;       // what every request carries, in a revision without `initialize`
  // The target speaks no revision with `initialize`, as far as it says.
  bool is_modern_only = false;
  Json capabilities = Json::object();
  std::vector<Json> tools;                   // those that may be called
  std::vector<std::string> forbidden_tools;  // names of the others
  std::vector<std::string> resources;        // URIs
  std::vector<std::string> templates;        // URI templates
  std::vector<Json> prompts;
  std::vector<std::string> cursors;  // `nextCursor`s that the target gave
  std::vector<InputRound> rounds;
  harness::MirroredParameters mirrored;  // what of the tools' arguments headers repeat
  // Where canaries lie that the target must not serve, and what we have for roots; outlives all
  // that is made of this. Null: there are none.
  Sandbox* sandbox = nullptr;
  // It asked for our roots as soon as the conversation had begun: until it knows them it may serve
  // something else. Known only where there is a sandbox.
  bool asks_for_roots = false;

  // A method as signatures name it: all that the specification does not know are one, for one cause
  // is not as many findings as there are names.
  std::string label(std::string_view method) const;
  // The tool of that name among those that may be called; null if there is none.
  const Json* tool(std::string_view tool_name) const;
  // False if these bytes, one line or the body of a request, could be read as a call of a tool that
  // must not be called. Says so rather too often.
  bool is_safe(std::string_view bytes) const;
};

inline constexpr std::string_view kUnknownMethod = "an unknown method";

// Bounds on what a target can make us remember of it.
inline constexpr std::size_t kMostNames = 200;           // of each kind
inline constexpr std::size_t kLongestName = 4096;        // bytes of a name or URI
inline constexpr std::size_t kLargestTool = 256u << 10;  // bytes of one tool as listed

inline constexpr std::size_t kMostRounds = 12;
inline constexpr std::size_t kMostAskedForRounds = 60;  // requests

// Begins in that revision, with a handshake in the one the target answers with, and reads its
// lists. Without a revision: the newest with a handshake or, where the target refuses that, those
// without, newest first. A Failure if it speaks none. `sandbox`: see Vocabulary; what is served
// there is our only root.
std::variant<Vocabulary, transport::Failure> survey(
    const harness::TargetAccess& access, const harness::ToolPolicy& tools,
    const harness::Patience& patience, std::stop_token stop,
    std::optional<model::Revision> revision = std::nullopt, Sandbox* sandbox = nullptr);

}  // namespace assay::fuzz
