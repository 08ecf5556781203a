#include "harness/runner/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/profile/ability.h"
#include "harness/runner/extensions.h"
#include "harness/script/abandoned.h"
#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "harness/script/usable.h"
#include "reference/wire/message.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

// YAML reads a key in one piece only up to a length.
constexpr std::size_t kLongestKey = 200;
constexpr std::size_t kLongestArguments = 4'000;
constexpr std::size_t kMostWritten = 500;  // tools, and of each other kind

transport::Failure draft_failure(std::string why) {
  return {transport::Failure::Kind::kOther, std::move(why)};
}

// JSON is YAML, but for characters that JSON writes as two escapes.
std::string yaml_value(const Json& value) {
  const std::string json = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] != '\\' || i + 1 >= json.size()) {
      out += json[i];
      continue;
    }
    const bool is_code = json[i + 1] == 'u' && i + 11 < json.size();
    const unsigned long high = is_code ? std::stoul(json.substr(i + 2, 4), nullptr, 16) : 0;
    if (high >= 0xD800 && high < 0xDC00) {
      const unsigned long low = std::stoul(json.substr(i + 8, 4), nullptr, 16);
      out += fmt::format("\\U{:08x}", 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
      i += 11;
      continue;
    }
    out += json.substr(i, 2);
    ++i;
  }
  return out;
}

std::string in_comment(std::string_view text) {
  constexpr std::size_t kLongestComment = 200;
  return reports::printable_line(reports::cut(text, kLongestComment));
}

bool can_be_written(std::string_view name) {
  return !name.empty() && name.size() <= kLongestKey;
}

std::string does_words(const ToolUse& use) {
  std::string out;
  for (const Ability ability : use.does) {
    out += (out.empty() ? "" : ", ") + std::string(name(ability));
  }
  return out;
}

// "    arguments: {...}\n", without what says nothing.
std::string use_text(const ToolUse& use, bool is_item) {
  std::string out;
  const auto add = [&](const std::string& key, const std::string& value) {
    out += fmt::format("    {}{}: {}\n", !is_item ? "" : out.empty() ? "- " : "  ", key, value);
  };
  const std::string arguments = yaml_value(use.arguments);
  if (!use.does.empty()) add("does", "[" + does_words(use) + "]");
  if (!use.arguments.empty() && arguments.size() <= kLongestArguments) add("arguments", arguments);
  if (out.empty() && is_item) add("arguments", "{}");
  return out;
}

bool is_failing(const ToolUse& use) {
  return use.can(Ability::kFails);
}

std::string tool_text(const KnownTool& tool) {
  const std::string key = yaml_value(tool.name);
  if (!tool.may_be_called || tool.uses.empty()) {
    return fmt::format(
        "  # It did not answer in time. Remove 'never', and write arguments with "
        "which it is quick.\n  {}: never\n",
        key);
  }
  std::string out;
  if (std::all_of(tool.uses.begin(), tool.uses.end(), is_failing)) {
    out += "  # It failed each time. Write arguments with which it succeeds, and remove 'fails'.\n";
  }
  out += fmt::format("  {}:\n", key);
  const bool is_list = tool.uses.size() > 1;
  for (const ToolUse& use : tool.uses) out += use_text(use, is_list);
  return out;
}

// Those that were not called are told as comments: the author knows whether they may be.
std::string uncalled_text(const Draft& draft) {
  std::string out;
  std::size_t written = 0;
  for (const Json& tool : draft.survey.tools().items) {
    const std::string_view name = text_member(tool, "name");
    const Profile& known = draft.tools.known;
    const bool was_tried =
        std::find(known.tried.begin(), known.tried.end(), name) != known.tried.end();
    if (!can_be_written(name) || known.tool(name) != nullptr || was_tried) continue;
    if (++written > kMostWritten) break;
    const auto guess = sample_arguments(member(tool, "inputSchema"));
    std::string arguments = guess ? yaml_value(*guess) : "{}";
    if (arguments.size() > kLongestArguments) arguments = "{}";
    out += fmt::format("  # {}: {{arguments: {}}}\n", yaml_value(Json(name)), arguments);
  }
  return out.empty() ? ""
                     : "  # These were not called. Remove '# ' where a tool may be, with arguments "
                       "that do no harm.\n" +
                           out;
}

// Tools that were tried, and of which nothing came: most of them run as tasks, and take long.
std::string fruitless_text(const Profile& known) {
  std::string out;
  for (const std::string& name : known.tried) {
    if (known.tool(name) != nullptr || !can_be_written(name)) continue;
    out += fmt::format("  # {}: {{does: task-takes-time, arguments: {{}}}}\n", yaml_value(name));
  }
  return out.empty() ? ""
                     : "  # These were tried, and did not end in time. Write arguments with which "
                       "they do.\n" +
                           out;
}

// What no tool was seen to do, of what scenarios ask for.
std::string lacking_text(const Draft& draft) {
  std::set<Ability> seen;
  for (const KnownTool& tool : draft.tools.known.tools) {
    for (const ToolUse& use : tool.uses) seen.insert(use.does.begin(), use.does.end());
  }
  std::string out;
  for (const Ability ability : abilities()) {
    if (seen.contains(ability)) continue;
    out += fmt::format("#   does: {:<18} a tool that {}\n", name(ability), words(ability));
  }
  return out.empty() ? ""
                     : "\n# No tool was seen to do any of these. If one of yours does, write it "
                       "above: more rules are tested then.\n" +
                           out;
}

std::string prompts_text(const Profile& known) {
  std::string out;
  for (const KnownPrompt& prompt : known.prompts) {
    if (!can_be_written(prompt.name)) continue;
    out += fmt::format("  {}:\n    arguments: {}\n", yaml_value(prompt.name),
                       yaml_value(prompt.arguments));
  }
  return out.empty() ? "" : "\nprompts:\n" + out;
}

std::string resources_text(const Profile& known) {
  std::string out;
  for (const std::string& uri : known.resources) out += fmt::format("    - {}\n", yaml_value(uri));
  return out.empty() ? "" : "\nresources:\n  read:\n" + out;
}

std::string completions_text(const Profile& known) {
  std::string out;
  for (const KnownCompletion& completion : known.completions) {
    const bool is_prompt = text_member(completion.reference, "type") == "ref/prompt";
    out += fmt::format("  - {}: {}\n    argument: {}\n    value: {}\n",
                       is_prompt ? "prompt" : "resource",
                       yaml_value(member(completion.reference, is_prompt ? "name" : "uri")),
                       yaml_value(completion.argument), yaml_value(completion.value));
  }
  return out.empty() ? "" : "\ncompletions:\n" + out;
}

// What the server calls itself; null if nothing.
Json introduced_name(const Draft& draft) {
  return member(server_info(draft.server), "name");
}

// What came of beginning in one revision.
struct Beginning {
  std::optional<Draft> draft;
  std::string trouble;                       // why there is none
  bool is_in_vain = false;                   // no other revision will fare better
  bool is_answered = false;                  // by a message of any kind
  std::optional<model::Revision> offered{};  // that the server speaks instead
};

// Begins in this revision, and finds out what there is.
Beginning draft_in(const TargetAccess& access, model::Revision revision, const Patience& patience,
                   const ToolPolicy& tools, const ExplorerLimits& limits,
                   const std::stop_token& stop) {
  Beginning out;
  const auto connection = connect(access, revision, patience, stop);
  if (const auto failure = connection->open()) {
    out.trouble = failure->detail;
    out.is_in_vain = true;
    return out;
  }
  const Reply reply = connection->begin();
  out.is_answered = reply.is_answered();
  const Json& named = member(connection->server(), "protocolVersion");
  const bool is_other = revision.has_handshake() && named != revision.text();
  if (!connection->has_begun() || is_other) {
    out.trouble = fmt::format("the answer to the first request was {}", reply.describe());
    if (named.is_string())
      out.offered = model::Revision::parse(named.get_ref<const std::string&>());
    return out;
  }
  out.draft = Draft{connection->server(), Survey::take(*connection), tools};
  out.draft->tools.known.add(explore(*connection, out.draft->survey, out.draft->tools, limits,
                                     declared_by_server(revision, connection->server())));
  connection->close();
  return out;
}

// In which order revisions are tried until one is spoken: a server answers the newest handshake
// with the revision that it wants, if it has any.
std::vector<model::Revision> revisions_to_try() {
  const auto with_handshake = model::Revision::handshake();
  const auto without = model::Revision::stateless();
  std::vector<model::Revision> order = {model::Revision::newest_handshake()};
  order.insert(order.end(), without.rbegin(), without.rend());
  order.insert(order.end(), with_handshake.rbegin() + 1, with_handshake.rend());
  return order;
}

}  // namespace

std::variant<Draft, transport::Failure> make_draft(const TargetAccess& access,
                                                   const Patience& patience, ToolPolicy tools,
                                                   const ExplorerLimits& limits,
                                                   const std::stop_token& stop) {
  // What the newest handshake came to says most: others are tried only because of it.
  std::string trouble;
  bool is_silent = false;
  try {
    std::vector<model::Revision> order = revisions_to_try();
    for (std::size_t i = 0; i < order.size(); ++i) {
      // Who does not answer one handshake does not answer another: that costs a start each time.
      if (is_silent && order[i].has_handshake()) continue;
      Beginning begun = draft_in(access, order[i], patience, tools, limits, stop);
      if (begun.draft) return *std::move(begun.draft);
      if (trouble.empty()) trouble = begun.trouble;
      if (begun.is_in_vain) break;
      is_silent = is_silent || (order[i].has_handshake() && !begun.is_answered);
      if (!begun.offered) continue;
      const auto later = std::find(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, order.end(),
                                   *begun.offered);
      if (later == order.end()) continue;
      std::rotate(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, later, later + 1);
    }
  } catch (const Abandoned& reason) {
    return draft_failure(reason.why());
  }
  return draft_failure(trouble);
}

std::string draft_text(const Draft& draft) {
  const Profile& known = draft.tools.known;
  std::string out =
      "# A draft by 'mcp-assay profile --draft': check the arguments, and add what only you know.\n"
      "# Use it with 'mcp-assay server --profile FILE'.\n";
  const Json name = introduced_name(draft);
  if (name.is_string() && can_be_written(name.get_ref<const std::string&>())) {
    out += fmt::format("about: {}\n", yaml_value("drafted for " + name.get<std::string>()));
  }
  std::string tools;
  std::size_t written = 0;
  for (const KnownTool& tool : known.tools) {
    if (!can_be_written(tool.name)) continue;
    if (++written > kMostWritten) break;
    tools += tool_text(tool);
  }
  const std::string uncalled = uncalled_text(draft);
  if (!tools.empty()) out += "\ntools:\n" + tools;
  const std::string comments = fruitless_text(known) + uncalled;
  if (!comments.empty()) out += (tools.empty() ? "\n# tools:\n" : "") + comments;
  out += prompts_text(known) + resources_text(known) + completions_text(known);
  if (!draft.survey.tools().items.empty()) out += lacking_text(draft);
  for (const std::string& each : known.left_out) {
    if (&each == &known.left_out.front()) {
      out += "\n# There was no time to try these (--explore gives it more):\n";
    }
    out += fmt::format("#   {}\n", in_comment(each));
  }
  return out;
}

}  // namespace assay::harness
