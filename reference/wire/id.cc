#include "reference/wire/id.h"

#include <utility>

#include "reference/wire/json_text.h"

namespace assay::wire {
namespace {

// The text between the quotes, or nothing if `json` is no JSON string.
bool is_json_string(std::string_view json) {
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return false;
  const std::string_view content = json.substr(1, json.size() - 2);
  for (std::size_t at = 0; at < content.size(); ++at) {
    if (content[at] == '"' || static_cast<unsigned char>(content[at]) < 0x20) return false;
    if (content[at] == '\\') ++at;
  }
  return check_escapes(content).is_valid;
}

Id::Kind kind_of(std::string_view json) {
  if (json == "null") return Id::Kind::kNull;
  switch (number_form(json)) {
    case NumberForm::kInteger:
      return Id::Kind::kInteger;
    case NumberForm::kFraction:
      return Id::Kind::kNumber;
    case NumberForm::kNone:
      break;
  }
  return is_json_string(json) ? Id::Kind::kString : Id::Kind::kOther;
}

}  // namespace

Id Id::from_json_text(std::string json) {
  const Kind kind = kind_of(json);
  const bool has_escapes = kind == Kind::kString && json.find('\\') != std::string::npos;
  return Id(kind, has_escapes, std::move(json));
}

Id Id::of(std::int64_t number) {
  return Id(Kind::kInteger, false, std::to_string(number));
}

Id Id::of_string(std::string_view text) {
  return from_json_text(quote(text));
}

std::string Id::string_value() const {
  if (kind_ != Kind::kString) return {};
  const std::string_view content = std::string_view(json_text_).substr(1, json_text_.size() - 2);
  return has_escapes_ ? unescape(content, LoneSurrogate::kKeep) : std::string(content);
}

bool operator==(const Id& left, const Id& right) {
  return (left <=> right) == 0;
}

std::strong_ordering operator<=>(const Id& left, const Id& right) {
  if (const auto order = left.kind_ <=> right.kind_; order != 0) return order;
  if (!left.has_escapes_ && !right.has_escapes_) return left.json_text_ <=> right.json_text_;
  return left.string_value() <=> right.string_value();
}

}  // namespace assay::wire
