// What a client can be made to do: the words in which a profile says how, and in which scenarios
// for clients say what they need.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/wire/json.h"

namespace assay::harness {

enum class Act {
  kListsTools,  // all pages of them, and so on
  kListsResources,
  kListsPrompts,
  kCallsTool,
  kReadsResource,
  kGetsPrompt,
  kAnswersElicitation,  // calls a tool, and accepts the form that it is shown
  kLogsIn,              // lists the tools of a server that asks for a token
};

// All of them, in the order of the enumeration.
std::span<const Act> acts();
// As a profile writes it: "calls-tool".
std::string_view name(Act act);
std::optional<Act> parse_act(std::string_view text);
// What such a client does: "calls a tool".
std::string_view words(Act act);

// It is done with arguments: those of a tool, or of a prompt.
bool has_arguments(Act act);

// An act with what it is done to.
struct Deed {
  Act act = Act::kListsTools;
  std::string target = {};          // the tool, the prompt, or the resource's URI
  Json arguments = Json::object();  // of a tool or a prompt
};

// How a client is started to do one thing.
struct ClientWay {
  // Some words of its command line. In them stand, in braces, "tool", "prompt" or "uri" for what it
  // is done to, "arguments" for all arguments as JSON, and what a command line may have anyway:
  // "url", "server", "config".
  struct Words {
    std::vector<std::string> words;
    // They come once for each argument, with its name and value in place of "{name}" and "{value}".
    bool is_for_each_argument = false;
  };

  Act act = Act::kListsTools;
  std::vector<Words> words;
  // They are the whole command, and do not come behind the one that was given.
  bool is_whole = false;
  std::vector<std::pair<std::string, std::string>> environment = {};
  int line = 0;  // where the profile names it

  // The command line for that deed, where `command` was given.
  std::vector<std::string> command_for(const Deed& deed, std::vector<std::string> command) const;
};

// Why a word cannot stand in the profile's way to do that: an unknown word in braces, or one that
// has no meaning there. Nothing if it can.
std::optional<std::string> trouble_with_mark(Act act, std::string_view word,
                                             bool is_for_each_argument);

}  // namespace assay::harness
