#include "harness/script/tool_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

// More says nothing that the beginning does not.
constexpr std::size_t kMostTextRead = 2000;
constexpr std::size_t kMostProperties = 64;

constexpr std::array<std::string_view, 26> kReadingWords = {
    "get",    "list",    "search",  "describe", "read",    "find",     "show",    "view",   "fetch",
    "lookup", "count",   "inspect", "info",     "status",  "help",     "version", "ping",   "echo",
    "time",   "explain", "browse",  "check",    "display", "overview", "details", "preview"};

constexpr std::array<std::string_view, 75> kChangingWords = {
    "create",  "add",    "update", "delete",   "remove",  "set",      "put",       "post",
    "write",   "edit",   "move",   "rename",   "copy",    "save",     "store",     "insert",
    "upsert",  "patch",  "send",   "publish",  "push",    "commit",   "merge",     "execute",
    "exec",    "run",    "start",  "stop",     "restart", "kill",     "cancel",    "close",
    "import",  "upload", "submit", "approve",  "reject",  "enable",   "disable",   "reset",
    "clear",   "purge",  "drop",   "truncate", "install", "deploy",   "fork",      "star",
    "follow",  "invite", "grant",  "revoke",   "assign",  "lock",     "unlock",    "pay",
    "buy",     "order",  "book",   "transfer", "trigger", "toggle",   "change",    "modify",
    "replace", "append", "apply",  "archive",  "restore", "register", "subscribe", "complete",
    "replay",  "mark",   "sync"};

template <typename Words>
bool is_one_of(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

char lower_letter(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// The words of "getUserName", "get_user_name" and "get-user-name".
std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words;
  bool was_lower = false;
  for (const char c : name.substr(0, kMostTextRead)) {
    const auto letter = static_cast<unsigned char>(c);
    const bool is_new = words.empty() || (was_lower && std::isupper(letter) != 0);
    was_lower = std::islower(letter) != 0;
    if (std::isalnum(letter) == 0) {
      if (!words.empty() && !words.back().empty()) words.emplace_back();
      continue;
    }
    if (is_new) words.emplace_back();
    words.back() += lower_letter(c);
  }
  return words;
}

// "create" of "creates", and "push" of "pushes".
bool is_changing_word(std::string_view word) {
  if (is_one_of(kChangingWords, word)) return true;
  if (!word.ends_with('s')) return false;
  word.remove_suffix(1);
  if (is_one_of(kChangingWords, word)) return true;
  if (word.ends_with("ie")) {
    return is_one_of(kChangingWords, std::string(word.substr(0, word.size() - 2)) + "y");
  }
  return word.ends_with('e') && is_one_of(kChangingWords, word.substr(0, word.size() - 1));
}

// A word that says what the tool does stands first in its sentence, or after one of these.
bool precedes_a_verb(std::string_view word) {
  constexpr std::array<std::string_view, 9> kBefore = {"and", "or",  "then", "to",  "will",
                                                       "can", "may", "also", "this"};
  return is_one_of(kBefore, word);
}

// The description says that the tool changes something.
bool speaks_of_changing(std::string_view description) {
  std::string word;
  bool may_be_verb = true;
  for (const char c : std::string(description.substr(0, kMostTextRead)) + ".") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '\'') {
      word += lower_letter(c);
      continue;
    }
    if (!word.empty()) {
      if (may_be_verb && is_changing_word(word)) return true;
      may_be_verb = precedes_a_verb(word);
      word.clear();
    }
    if (std::string_view(".,;:!?\n(/").find(c) != std::string_view::npos) may_be_verb = true;
  }
  return false;
}

std::string lower_text(std::string_view text) {
  std::string out(text.substr(0, kMostTextRead));
  std::transform(out.begin(), out.end(), out.begin(), lower_letter);
  return out;
}

// What stands for an ability in the name, the description or the names of the arguments.
struct Promise {
  Ability ability;
  std::string_view words;  // parts of words, separated by '|'
};
constexpr std::array kPromises = {
    Promise{Ability::kElicits, "elicit|ask the user|asks the user|ask user|user input|confirm"},
    Promise{Ability::kElicitsByUrl, "elicitation by url|url elicitation|url-elicitation"},
    Promise{Ability::kSamples, "sampl|llm|language model|createmessage"},
    Promise{Ability::kReportsProgress, "progress|step"},
    Promise{Ability::kTakesTime, "long|slow|delay|sleep|wait|duration|simulat"},
    Promise{Ability::kLogs, "logging|log message|logs a|log level|loglevel"},
    Promise{Ability::kAsksRoots, "roots"},
    Promise{Ability::kChangesTools, "list_changed|listchanged|tool list|list of tools"},
    Promise{Ability::kUpdatesResource, "subscri|resource update|notification"},
    Promise{Ability::kFails, "error|fail|throw"},
};

bool has_part(std::string_view text, std::string_view parts) {
  while (!parts.empty()) {
    const std::string_view part = parts.substr(0, parts.find('|'));
    if (text.find(part) != std::string_view::npos) return true;
    parts.remove_prefix(std::min(part.size() + 1, parts.size()));
  }
  return false;
}

}  // namespace

bool says_it_only_reads(const Json& tool) {
  const Json& annotations = member(tool, "annotations");
  if (member(annotations, "readOnlyHint") == true) return true;
  if (member(annotations, "readOnlyHint") == false) return false;
  if (member(annotations, "destructiveHint") == true) return false;
  const std::string_view description = text_member(tool, "description");
  const std::vector<std::string> words = words_of_name(text_member(tool, "name"));
  const auto is_reading = [](const std::string& word) { return is_one_of(kReadingWords, word); };
  const std::string text = lower_text(description);
  const bool reads = std::any_of(words.begin(), words.end(), is_reading) ||
                     has_part(text, "read-only|read only|readonly");
  // "list_commits" has a noun.
  const auto is_changing = [](const std::string& word) { return is_one_of(kChangingWords, word); };
  const bool changes =
      std::any_of(words.begin(), words.end(), is_changing) || speaks_of_changing(description);
  return reads && !changes;
}

std::set<Ability> promises_of(const Json& tool) {
  std::string text =
      lower_text(text_member(tool, "name")) + "\n" + lower_text(text_member(tool, "description"));
  std::size_t known = 0;
  const Json& properties = member(member(tool, "inputSchema"), "properties");
  if (properties.is_object()) {
    for (const auto& [name, property] : properties.items()) {
      if (++known > kMostProperties) break;
      text += "\n" + lower_text(name);
    }
  }
  std::set<Ability> promises;
  for (const Promise& promise : kPromises) {
    if (has_part(text, promise.words)) promises.insert(promise.ability);
  }
  const std::string_view support = text_member(member(tool, "execution"), "taskSupport");
  if (support == "optional" || support == "required") promises.insert(Ability::kRunsAsTask);
  return promises;
}

}  // namespace assay::harness
