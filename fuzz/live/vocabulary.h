// What the target under test offers, asked once before it is fuzzed: what cases are made of.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/script/connection.h"
#include "harness/script/survey.h"
#include "reference/model/revision.h"
#include "reference/wire/message.h"

namespace assay::fuzz {

// Everything here but the revision comes from the target and is not trusted.
struct Vocabulary {
  model::Revision revision = model::Revision::v2025_11_25;  // as `initialize` settled it
  std::string name;                                         // as the target introduced itself
  std::string version;
  Json initialize_params;  // what a client sends to begin
  Json capabilities = Json::object();
  std::vector<Json> tools;                   // those that may be called
  std::vector<std::string> forbidden_tools;  // names of the others
  std::vector<std::string> resources;        // URIs
  std::vector<std::string> templates;        // URI templates
  std::vector<Json> prompts;
  std::vector<std::string> cursors;  // `nextCursor`s that the target gave

  // The tool of that name among those that may be called; null if there is none.
  const Json* tool(std::string_view tool_name) const;
  // False if these bytes, one line or the body of a request, could be read as a call of a tool that
  // must not be called. Says so rather too often.
  bool is_safe(std::string_view bytes) const;
};

// Bounds on what a target can make us remember of it.
inline constexpr std::size_t kMostNames = 200;           // of each kind
inline constexpr std::size_t kLongestName = 4096;        // bytes of a name or URI
inline constexpr std::size_t kLargestTool = 256u << 10;  // bytes of one tool as listed

// Opens a session with the newest revision that begins with a handshake, or the one the target
// answers with, and reads its lists. A Failure if there is no such session.
std::variant<Vocabulary, transport::Failure> survey(const harness::TargetAccess& access,
                                                    const harness::ToolPolicy& tools,
                                                    const harness::Patience& patience,
                                                    std::stop_token stop);

}  // namespace assay::fuzz
