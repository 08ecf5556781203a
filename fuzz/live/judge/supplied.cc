#include "fuzz/live/judge/supplied.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

// What is shorter stands in much that is sent, by chance.
constexpr std::size_t kLeastPart = 3;
constexpr std::size_t kLeastText = 8;
constexpr std::size_t kLeastNumber = 4;
// Of a tool's description: what it says first.
constexpr std::size_t kMostDescription = 2000;

// Words of tools that wait: for a time, for a change, or for their client.
constexpr std::string_view kWaits[] = {
    "long",   "slow",     "wait",   "sleep", "delay", "poll",    "subscri", "watch",
    "stream", "sampl",    "elicit", "root",  "time",  "second",  "durati",  "interval",
    "block",  "progress", "task",   "async", "queue", "confirm", "listen",  "schedule"};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool speaks_of_waiting(std::string_view text) {
  const std::string plain = lower(text);
  return std::any_of(std::begin(kWaits), std::end(kWaits),
                     [&](std::string_view word) { return plain.find(word) != std::string::npos; });
}

bool is_format(model::Rule rule) {
  return rule != model::Rule::kShape && rule != model::Rule::kRange;
}

std::string_view last_member(std::string_view pointer) {
  return pointer.substr(std::min(pointer.rfind('/') + 1, pointer.size()));
}

// A part of a JSON pointer as the name that it stands for.
std::string unescaped(std::string_view part) {
  std::string name;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool is_escape = part[i] == '~' && i + 1 < part.size();
    name += !is_escape ? part[i] : part[++i] == '1' ? '/' : '~';
  }
  return name;
}

// Calls `visit(name, value)` for each value in `json`, itself included (its name is empty), until
// one says true. Recursion is bounded by what the decoder lets in.
template <typename Visit>
bool any_value(std::string_view name, const Json& json, const Visit& visit) {
  if (visit(name, json)) return true;
  if (json.is_object()) {
    for (const auto& [key, member] : json.items()) {
      if (any_value(key, member, visit)) return true;
    }
  } else if (json.is_array()) {
    for (const Json& item : json) {
      if (any_value("", item, visit)) return true;
    }
  }
  return false;
}

bool has_number(const Json& schema) {
  return any_value("", schema, [](std::string_view name, const Json& value) {
    return name == "type" && (value == "number" || value == "integer");
  });
}

}  // namespace

const Json* value_at(const Json& message, std::string_view pointer) {
  const Json* at = &message;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const std::string name = unescaped(pointer.substr(0, end));
    if (at->is_object()) {
      const auto found = at->find(name);
      if (found == at->end()) return nullptr;
      at = &*found;
    } else if (at->is_array()) {
      std::size_t index = 0;
      const auto read = std::from_chars(name.data(), name.data() + name.size(), index);
      const bool is_index = read.ec == std::errc() && read.ptr == name.data() + name.size();
      if (!is_index || index >= at->size()) return nullptr;
      at = &(*at)[index];
    } else {
      return nullptr;
    }
    pointer.remove_prefix(end);
  }
  return at;
}

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// "%20" as the byte that it stands for.
std::string without_percents(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const bool is_code = text[i] == '%' && i + 2 < text.size() &&
                         std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ptr ==
                             text.data() + i + 3;
    out += is_code ? static_cast<char>(code) : text[i];
    if (is_code) i += 2;
  }
  return out;
}

// What is left of a text where some of it was replaced for being no character.
std::string_view longest_kept(std::string_view text) {
  std::string_view longest;
  while (true) {
    const std::size_t at = text.find(kReplacement);
    const std::string_view piece = text.substr(0, at);
    if (piece.size() > longest.size()) longest = piece;
    if (at == std::string_view::npos) return longest;
    text.remove_prefix(at + kReplacement.size());
  }
}

// Whether the text is ours, be it that some of it was replaced or encoded on the way.
bool is_changed_text(const std::string& text, const std::string& ours) {
  const std::string plain = without_percents(text);
  if (plain != text && plain.find(without_percents(ours)) != std::string::npos) return true;
  if (text.find(kReplacement) == std::string::npos) return false;
  const std::string_view kept = longest_kept(text);
  if (kept.size() >= kLeastPart) return ours.find(kept) != std::string::npos;
  // Nothing but what was replaced: it stands for anything that is no plain text.
  return std::any_of(ours.begin(), ours.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// A number that is ours, as somebody wrote it who has other numbers: rounded, or as a double.
bool is_changed_number(const Json& value, const Json& ours) {
  const double theirs = value.get<double>();
  const double sent = ours.get<double>();
  return std::abs(theirs - sent) < 1 || static_cast<float>(theirs) == static_cast<float>(sent);
}

// Whether the number stands in what was sent, as a value of its own.
bool holds_number(std::string_view sent, const std::string& text) {
  for (std::size_t at = sent.find(text); at != std::string_view::npos;
       at = sent.find(text, at + 1)) {
    const std::size_t end = at + text.size();
    const bool begins =
        at > 0 && std::string_view(":[, ").find(sent[at - 1]) != std::string_view::npos;
    const bool ends =
        end == sent.size() || std::string_view(",]} \n").find(sent[end]) != std::string_view::npos;
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

bool is_supplied(const model::Deviation& deviation, const Json& value, const Json& params) {
  const std::string_view wrong_name =
      deviation.rule == model::Rule::kMetaKey ? last_member(deviation.pointer) : "";
  return any_value("", params, [&](std::string_view name, const Json& ours) {
    if (!wrong_name.empty() && name == wrong_name) return true;
    if (ours == value) return true;
    if (ours.is_number() && value.is_number()) return is_changed_number(value, ours);
    if (!ours.is_string() || !value.is_string()) return false;
    const auto& text = ours.get_ref<const std::string&>();
    const auto& theirs = value.get_ref<const std::string&>();
    const bool is_part = text.size() >= kLeastPart && theirs.find(text) != std::string::npos;
    return is_part || (text.size() >= kLeastPart && is_changed_text(theirs, text));
  });
}

bool is_supplied_in(const model::Deviation& deviation, const Json& value, std::string_view sent) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  // A fraction where an integer belongs is no number that a server makes up.
  const bool is_telling = value.is_number_float() || text.size() >= kLeastNumber;
  if (value.is_number()) return is_telling && holds_number(sent, text);
  if (value.is_string() && sent.find(text) == std::string_view::npos) {
    const auto& theirs = value.get_ref<const std::string&>();
    const std::string plain = without_percents(theirs);
    const std::string_view kept = longest_kept(plain);
    const bool is_changed = plain != theirs || kept.size() != plain.size();
    if (is_changed && kept.size() >= kLeastText && sent.find(kept) != std::string_view::npos) {
      return true;
    }
  }
  const std::size_t least =
      is_format(deviation.rule) && value.is_string() ? kLeastPart : kLeastText;
  return text.size() >= least && sent.find(text) != std::string_view::npos;
}

std::string prompt_tool(const Vocabulary& words, const Json& params) {
  const std::string name = text_member(params, "name");
  const Json* tool = words.tool(name);
  if (tool == nullptr || params.contains("task") || speaks_of_waiting(name)) return "";
  const Json schema = tool->value("inputSchema", Json());
  const std::string about = text_member(*tool, "description").substr(0, kMostDescription);
  if (speaks_of_waiting(about) || has_number(schema)) return "";
  const bool has_time = any_value(
      "", schema, [](std::string_view member, const Json&) { return speaks_of_waiting(member); });
  const Json arguments = params.value("arguments", Json());
  const bool is_given_number = any_value(
      "", arguments, [](std::string_view, const Json& value) { return value.is_number(); });
  return has_time || is_given_number ? "" : name;
}

}  // namespace assay::fuzz
