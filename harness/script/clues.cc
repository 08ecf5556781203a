#include "harness/script/clues.h"

#include <algorithm>
#include <cctype>

#include "harness/script/json_member.h"
#include "harness/script/usable.h"
#include "reference/wire/peer_json.h"

namespace assay::harness {
namespace {

constexpr std::size_t kMostPaths = 8;
constexpr std::size_t kMostValues = 128;
constexpr std::size_t kLongestValue = 200;
// A longer text is read as no JSON.
constexpr std::size_t kLongestJson = 64u << 10;
constexpr int kDeepest = 6;
// Of the items of one array; the rest are alike.
constexpr std::size_t kMostItems = 3;
// What our side says that its root is (polite_client.cc).
constexpr std::string_view kRoot = "/tmp";

// "userid" of "user_id" and "userId".
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) out += static_cast<char>(std::tolower(letter));
  }
  return out;
}

// "user" of "users".
std::string_view singular(std::string_view name) {
  if (name.ends_with('s')) name.remove_suffix(1);
  return name;
}

bool is_scalar(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return !text.empty() && text.size() <= kLongestValue;
  }
  return value.is_number();
}

// What sample_value gives where nothing tells what would be right.
bool is_guess(const Json& value) {
  return value == "assay" || value == "https://example.com/" || value == 1 ||
         value == "123e4567-e89b-42d3-a456-426614174000";
}

bool is_of_type_of(const Json& value, const Json& guess) {
  return value.is_string() == guess.is_string();
}

}  // namespace

bool mentions(std::string_view name, std::initializer_list<std::string_view> words) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

Clues::Clues(const Survey& survey) {
  for (const Json& resource : survey.resources().items) {
    if (!is_readable(resource)) continue;
    uri_ = text_member(resource, "uri");
    break;
  }
}

void Clues::note(const Json& result, const Json& arguments) {
  const auto is_path = [](const Json& each) {
    return each.is_string() && each.get_ref<const std::string&>().starts_with('/');
  };
  const auto folder = arguments.is_object()
                          ? std::find_if(arguments.begin(), arguments.end(), is_path)
                          : arguments.end();
  for (const Json& block : array_member(result, "content")) {
    const std::string_view text = text_member(block, "text");
    note_paths(text);
    if (folder != arguments.end()) note_files(text, folder->get_ref<const std::string&>());
    const bool may_be_json = !text.empty() && (text.front() == '{' || text.front() == '[');
    if (may_be_json && text.size() <= kLongestJson) note_members(wire::parse_of_peer(text), "", 0);
  }
  note_members(member(result, "structuredContent"), "", 0);
}

void Clues::note_suggestion(std::string_view argument, const std::string& value) {
  keep(argument, value);
}

// Absolute ones, each a word of its own.
void Clues::note_paths(std::string_view text) {
  while (paths_.size() < kMostPaths) {
    const std::size_t begin = text.find('/');
    if (begin == std::string_view::npos) return;
    const bool is_word =
        begin == 0 || std::string_view(" \n\t\"'").find(text[begin - 1]) != std::string_view::npos;
    const std::size_t end = std::min(text.find_first_of(" \n\t\"'<>", begin), text.size());
    if (is_word && end - begin > 1) paths_.emplace_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

// Words that look like the name of a file: "a.txt".
void Clues::note_files(std::string_view text, std::string_view folder) {
  constexpr std::string_view kBetween = " \n\t\"'<>[],;:{}";
  while (files_.size() < kMostPaths && !text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBetween), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t dot = word.rfind('.');
    const bool is_file = dot != std::string_view::npos && dot > 0 && dot + 1 < word.size() &&
                         word.size() <= kLongestValue && word.find('/') == std::string_view::npos;
    if (is_file) {
      files_.emplace_back(folder).append(folder.ends_with('/') ? "" : "/").append(word);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// `of` is what the JSON is an item of: {"users": [{"id": 7}]} tells a "userId".
void Clues::note_members(const Json& json, std::string_view of, int depth) {
  if (depth > kDeepest) return;
  if (json.is_array()) {
    for (std::size_t i = 0; i < std::min(json.size(), kMostItems); ++i) {
      if (is_scalar(json[i]) && !of.empty()) keep(singular(of), json[i]);
      note_members(json[i], of, depth + 1);
    }
    return;
  }
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    if (is_scalar(value)) {
      keep(key, value);
      if (!of.empty()) keep(std::string(singular(of)) + key, value);
    } else {
      note_members(value, key, depth + 1);
    }
  }
}

void Clues::keep(std::string_view key, const Json& value) {
  if (values_.size() < kMostValues && is_scalar(value)) values_.try_emplace(plain_name(key), value);
}

Json Clues::value_for(std::string_view name, Paths paths) const {
  const std::string key = plain_name(name);
  for (const std::string_view each : {std::string_view(key), singular(key)}) {
    if (const auto found = values_.find(each); found != values_.end()) return found->second;
  }
  if (mentions(name, {"path", "file", "dir", "folder", "root"})) {
    const bool may_be_file = paths == Paths::kOfFiles || mentions(name, {"file"});
    if (may_be_file && !files_.empty()) return files_.front();
    return paths_.empty() ? std::string(kRoot) : paths_.front();
  }
  if (mentions(name, {"uri"}) && !uri_.empty()) return uri_;
  return nullptr;
}

Json Clues::improved(Json arguments, Paths paths) const {
  for (auto& [name, value] : arguments.items()) {
    Json& guess = value.is_array() && !value.empty() ? value[0] : value;
    if (!is_guess(guess)) continue;
    const Json better = value_for(name, paths);
    if (!better.is_null() && is_of_type_of(better, guess)) guess = better;
  }
  return arguments;
}

}  // namespace assay::harness
