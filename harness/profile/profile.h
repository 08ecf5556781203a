// What is known of a server beyond what it lists: which tools may be called, with which arguments
// and what for, and which prompts, resources and completions to use. Or of a client: with which
// command lines it does what.
//
// Nobody can see from a listing that a tool logs, takes its time or asks the user. A profile says
// so. Well-known servers have one built in (built_in.h); anybody can write one for theirs (the
// format: README.md).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/profile/ability.h"
#include "harness/profile/act.h"
#include "reference/wire/json.h"

namespace assay::harness {

// Far more than any profile that a person writes.
inline constexpr std::size_t kMaxProfileBytes = 1U << 20U;

// One way to call a tool.
struct ToolUse {
  std::string name;
  Json arguments = Json::object();
  std::vector<Ability> does = {};        // empty: it only answers
  std::string resource = {};             // for kUpdatesResource: the URI of what changes
  std::vector<std::string> scopes = {};  // that a token needs for such a call, all of them

  bool can(Ability ability) const;
};

struct KnownTool {
  std::string name;
  bool may_be_called = true;
  std::vector<ToolUse> uses;  // at least one if it may be called
  int line = 0;               // where the profile names it
};

struct KnownPrompt {
  std::string name;
  Json arguments = Json::object();
  int line = 0;
};

// An argument that can be completed.
struct KnownCompletion {
  Json reference;  // as completion/complete takes it: {"type": "ref/prompt", "name": ...}
  std::string argument;
  std::string value;  // what has been typed so far
};

// A scope of tokens with which one may do what others allow.
struct BroadScope {
  std::string name;
  std::vector<std::string> includes;
};

struct Profile {
  std::string name;   // "server-everything", or the file
  std::string about;  // one line
  // It fits a server that introduces itself by one of these names, or lists so many of `tools`.
  // Without either it fits every server.
  std::vector<std::string> detect_names;
  std::size_t detect_tools = 0;

  std::vector<KnownTool> tools;
  std::vector<KnownPrompt> prompts;
  std::vector<std::string> resources;          // to be read, listed or not
  std::vector<std::string> skipped_resources;  // not to be read
  std::vector<KnownCompletion> completions;
  std::vector<BroadScope> scopes;
  std::vector<ClientWay> client;      // each act once at most
  std::vector<std::string> tried;     // tools that were called to find out what they do
  std::vector<std::string> left_out;  // tools for which there was no time

  const KnownTool* tool(std::string_view name) const;
  const KnownPrompt* prompt(std::string_view name) const;
  const ClientWay* way(Act act) const;
  // It says how a client is started, and nothing else.
  bool is_only_of_client() const;
  bool skips(std::string_view uri) const;
  // Does it belong to this server? `server` is the result of `initialize`, `listed` the names of
  // the tools. What is known of nothing but a client belongs to no server.
  bool fits(const Json& server, const std::vector<std::string>& listed) const;
  // Takes over what `other` knows and this one does not.
  void add(const Profile& other);
};

// Reads YAML; `name` is the profile's name unless the text gives one. Or one sentence that begins
// with the line that is wrong.
std::variant<Profile, std::string> parse_profile(std::string_view yaml, std::string name);

}  // namespace assay::harness
