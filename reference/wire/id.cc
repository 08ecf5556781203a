#include "reference/wire/id.h"

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

}  // namespace

Id::Kind Id::kind_of(std::string_view json) {
  if (json == "null") return Kind::kNull;
  switch (number_form(json)) {
    case NumberForm::kInteger:
      return Kind::kInteger;
    case NumberForm::kFraction:
      return Kind::kNumber;
    case NumberForm::kNone:
      break;
  }
  return is_json_string(json) ? Kind::kString : Kind::kOther;
}

Id::Id(std::string_view json)
    : kind_(kind_of(json)),
      has_escapes_(kind_ == Kind::kString && json.find('\\') != std::string_view::npos),
      json_text_(json) {}

Id Id::of(std::int64_t number) {
  return Id(std::to_string(number));
}

Id Id::of_string(std::string_view text) {
  return Id(quote(text));
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
  if (left.has_escapes_ || right.has_escapes_) return left.string_value() <=> right.string_value();
  // Without the closing quote: a blank comes before it, and the two ways would not agree.
  const auto before_end = [](const Id& id) {
    const std::string_view text = id.json_text_;
    return id.kind_ == Id::Kind::kString ? text.substr(0, text.size() - 1) : text;
  };
  return before_end(left) <=> before_end(right);
}

}  // namespace assay::wire
