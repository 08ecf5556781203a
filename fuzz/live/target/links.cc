#include "fuzz/live/target/links.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kMostIdentifiers = 16;  // of one result
constexpr std::size_t kLongestMember = 64;
constexpr std::size_t kLongestValue = 512;
constexpr std::size_t kDeepestLevel = 6;
constexpr std::size_t kMostVisited = 512;            // values of one result
constexpr std::size_t kLongestJsonText = 32u << 10;  // of a text that may be JSON

constexpr std::array<std::string_view, 8> kKinds = {"id",     "uri", "url",   "uuid",
                                                    "handle", "key", "token", "cursor"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestMember &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

// "note_id", "noteId" and "note-id" alike.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// "id" of "note_id" and of "noteId", and not of "valid"; empty if it is no identifier's name.
std::string_view kind_of(std::string_view name) {
  const std::string all = plain(name);
  for (const std::string_view kind : kKinds) {
    if (all == kind) return kind;
    if (name.size() <= kind.size() || plain(name.substr(name.size() - kind.size())) != kind) {
      continue;
    }
    const char first = name[name.size() - kind.size()];
    const char before = name[name.size() - kind.size() - 1];
    if (before == '_' || before == '-' || (first >= 'A' && first <= 'Z')) return kind;
  }
  return {};
}

struct Search {
  std::vector<Identifier> found = {};
  std::size_t visited = 0;
};

void take_identifier(Search& search, const std::string& key, const Json& value) {
  if (search.found.size() >= kMostIdentifiers || !is_plain_name(key) || kind_of(key).empty())
    return;
  const bool is_text = value.is_string() && !value.get_ref<const std::string&>().empty() &&
                       value.get_ref<const std::string&>().size() <= kLongestValue;
  if (!is_text && !value.is_number_integer()) return;
  const bool is_there = std::any_of(search.found.begin(), search.found.end(),
                                    [&](const Identifier& each) { return each.member == key; });
  if (!is_there) search.found.push_back({key, value});
}

void search_in(Search& search, const Json& value, std::size_t depth) {
  if (depth > kDeepestLevel || !value.is_structured()) return;
  for (const auto& [key, member] : value.items()) {
    if (++search.visited > kMostVisited) return;
    if (value.is_object()) take_identifier(search, key, member);
    search_in(search, member, depth + 1);
  }
}

}  // namespace

std::vector<Identifier> identifiers_in(const Json& result) {
  Search search;
  if (!result.is_object() || result.value("isError", Json()) == true) return {};
  search_in(search, result.value("structuredContent", Json()), 0);
  const Json content = result.value("content", Json());
  if (!content.is_array()) return std::move(search.found);
  for (const Json& block : content) {
    if (search.visited > kMostVisited) break;
    const std::string text = text_member(block, "text");
    const bool may_be_json = text.size() > 1 && text.size() <= kLongestJsonText &&
                             (text[0] == '{' || text[0] == '[') && nesting(text) <= 64;
    if (may_be_json) search_in(search, Json::parse(text, nullptr, false), 0);
    search_in(search, block, kDeepestLevel - 1);
  }
  return std::move(search.found);
}

bool asks_for(std::string_view argument, std::string_view member) {
  const std::string_view kind = kind_of(argument);
  if (kind.empty() || kind_of(member) != kind) return false;
  const std::string one = plain(argument);
  const std::string other = plain(member);
  return one == other || one == kind || other == kind;
}

void LinkLearner::hear(const std::string& tool, const Json& result) {
  const auto at = heard_.find(tool);
  if (at == heard_.end() && heard_.size() >= kMostTools) return;
  std::size_t& count = at == heard_.end() ? heard_[tool] : at->second;
  if (count >= kMostAnswers) return;
  ++count;
  for (const Identifier& each : identifiers_in(result)) learnt_.push_back({tool, each.member});
}

}  // namespace assay::fuzz
