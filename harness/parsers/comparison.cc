#include "harness/parsers/comparison.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::DecodeError;
using wire::Message;
using wire::MessageKind;
using wire::Notice;
using Kind = Disagreement::Kind;

constexpr std::size_t kDeep = 16;  // levels that a parser may well refuse, though it should not
constexpr double kExactInDouble = 9007199254740992.0;  // 2^53
constexpr double kSmallest = 1e-307;                   // below it doubles lose their precision
constexpr double kRounding = 1e-15;  // relative; what two correct conversions may differ by

unsigned char byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

// Which of the forms that UTF-8 forbids stands first in the bytes.
std::string bad_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned char first = byte_at(bytes, i);
    const unsigned char second = byte_at(bytes, i + 1);
    const bool continues = (second & 0xC0u) == 0x80u;
    if (first == 0xC0 || first == 0xC1 || (first == 0xE0 && continues && second < 0xA0) ||
        (first == 0xF0 && continues && second < 0x90)) {
      return "an overlong form of UTF-8";
    }
    if (first == 0xED && continues && second >= 0xA0) return "a surrogate written as UTF-8";
    if (first == 0xF4 && continues && second >= 0x90) return "a character beyond U+10FFFF";
  }
  return "bytes that are not UTF-8";
}

// The words of a decode error as the name of a thing.
std::string as_thing(std::string_view what) {
  static constexpr std::pair<std::string_view, std::string_view> kThings[] = {
      {"a string holds a control", "a control character in a string"},
      {"a string is not closed", "a string without its end"},
      {"a string that is not closed", "a string without its end"},
      {"something follows", "something after the value"},
      {"no colon", "a member without a colon"},
      {"no member name", "a member without a name"},
      {"no JSON value", "something that is not a value"},
      {"neither a comma", "values without a comma between them"},
      {"the text ends", "a text that ends too early"},
  };
  for (const auto& [begin, thing] : kThings) {
    if (what.starts_with(begin)) return std::string(thing);
  }
  return std::string(what);
}

// `text` begins with what looks like a number.
std::string bad_number(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(",]} \t\r\n"), text.size());
  if (text.substr(0, end).find('\0') != std::string_view::npos) return "a number with a NUL in it";
  if (text.front() == '+') return "a number with a plus sign";
  if (text.front() == '-') text.remove_prefix(1);
  if (text.starts_with('.')) return "a number without an integer part";
  if (text.starts_with("0x") || text.starts_with("0X")) return "a number that is not decimal";
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
    return "a number with a leading zero";
  }
  return "a number that is not finished, or goes on";
}

// What stands where JSON has no place for it. `detail` is a decode error's: "... at byte 7".
std::string bad_token(std::string_view bytes, std::string_view detail) {
  constexpr std::string_view kAt = " at byte ";
  const std::size_t cut = detail.rfind(kAt);
  if (cut == std::string_view::npos) return as_thing(detail);
  const std::string_view digits = detail.substr(cut + kAt.size());
  const std::string what(detail.substr(0, cut));
  std::size_t at = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), at);
  const unsigned char c = byte_at(bytes, at);
  if (at >= bytes.size() || c == '"') return as_thing(what);
  const bool is_key = what.starts_with("no member name");
  const bool is_value = what.starts_with("no JSON value");
  if (c == 0) return "a NUL between tokens";
  if (c == '/' || c == '#') return "a comment";
  if (c == '\'') return "a string in single quotes";
  if (is_key && c == '}') return "a comma before the end of an object";
  if (is_value && c == ']') return "a comma before the end of an array";
  if ((is_value || is_key) && c == ',') return "a comma too many";
  if (is_value && (c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9'))) {
    return bad_number(bytes.substr(at));
  }
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  if (is_key && is_letter) return "a member name without quotes";
  if (is_value && is_letter) return "a word that JSON does not have";
  if (c < ' ' || c >= 0x7F) return "white space that is none of JSON's";
  return as_thing(what);
}

std::string why_refused(std::string_view bytes, const DecodeError& error) {
  switch (error.kind) {
    case DecodeError::Kind::kEmpty:
      return "nothing but white space";
    case DecodeError::Kind::kByteOrderMark:
      return "a byte order mark";
    case DecodeError::Kind::kInvalidUtf8:
      return bad_utf8(bytes);
    case DecodeError::Kind::kInvalidJson:
      return bad_token(bytes, error.detail);
    case DecodeError::Kind::kTooLarge:
    case DecodeError::Kind::kTooDeep:
      break;
  }
  return {};
}

std::size_t depth_of(const Json& value) {
  if (!value.is_structured()) return 0;
  std::size_t deepest = 0;
  for (const Json& part : value) deepest = std::max(deepest, depth_of(part));
  return deepest + 1;
}

// What is special about a text that is refused, as far as that can be seen from outside.
std::string why_accepted(std::string_view bytes, const Json& json) {
  if (depth_of(json) > kDeep) return "deep nesting";
  if (bytes.find("\\u0000") != std::string_view::npos) return "an escaped NUL";
  std::size_t digits = 0;
  for (const char c : bytes) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 18) return "a long number";
  }
  for (const char c : bytes) {
    if (c == 'e' || c == 'E') return "valid JSON, perhaps for a number with an exponent";
  }
  return "valid JSON";
}

bool has_notice(const Message& message, Notice::Kind kind) {
  return std::any_of(message.notices().begin(), message.notices().end(),
                     [kind](const Notice& notice) { return notice.kind == kind; });
}

std::string number_difference(const Json& ours, const Json& theirs) {
  const auto mine = ours.get<double>();
  const auto other = theirs.get<double>();
  const bool is_large = std::abs(mine) >= kExactInDouble;
  if (ours.is_number_integer()) {
    const bool is_same = theirs.is_number_integer() ? ours == theirs : !is_large && mine == other;
    if (is_same) return {};
  } else if (std::abs(mine - other) <= kRounding * std::abs(mine) ||
             std::abs(mine - other) < kSmallest) {
    return {};
  }
  if (is_large) return "a number beyond 53 bits";
  return ours.is_number_integer() ? "an integer" : "a number with a fraction";
}

std::string difference(const Json& ours, const Json& theirs);

std::string object_difference(const Json& ours, const Json& theirs) {
  for (const auto& [key, value] : ours.items()) {
    const auto other = theirs.find(key);
    if (other == theirs.end()) {
      return key.find('\0') == std::string::npos ? "the members of an object"
                                                 : "a member's name with a NUL in it";
    }
    if (std::string found = difference(value, *other); !found.empty()) return found;
  }
  return ours.size() == theirs.size() ? "" : "the members of an object";
}

// What of the value changed first; empty if nothing did.
std::string difference(const Json& ours, const Json& theirs) {
  if (ours.is_number() && theirs.is_number()) return number_difference(ours, theirs);
  if (ours.type() != theirs.type()) {
    return ours.is_number() ? "a number into something else" : "a value into another type";
  }
  if (ours.is_string()) {
    if (ours == theirs) return {};
    return ours.get_ref<const std::string&>().find('\0') == std::string::npos
               ? "a string"
               : "a string with a NUL in it";
  }
  if (ours.is_object()) return object_difference(ours, theirs);
  if (ours.is_array()) {
    if (ours.size() != theirs.size()) return "the length of an array";
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (std::string found = difference(ours[i], theirs[i]); !found.empty()) return found;
    }
    return {};
  }
  return ours == theirs ? "" : "a value";
}

std::optional<Disagreement> compare_values(const Message& message, const std::string& canonical) {
  // What has no exact value for everyone has none to compare.
  if (has_notice(message, Notice::Kind::kNumberOutOfRange) ||
      has_notice(message, Notice::Kind::kLoneSurrogate)) {
    return std::nullopt;
  }
  const wire::Decoded decoded = wire::decode(canonical);
  const auto* theirs = std::get_if<Message>(&decoded);
  if (theirs == nullptr)
    return Disagreement{Kind::kChanges, "the text into something that is not JSON"};
  const std::string found = difference(message.json(), theirs->json());
  if (found.empty()) return std::nullopt;
  if (has_notice(message, Notice::Kind::kDuplicateMember)) return std::nullopt;
  return Disagreement{Kind::kChanges, found};
}

// JSON-RPC refuses it, or a member of it.
std::string message_defect(const Message& message) {
  if (message.kind() == MessageKind::kMalformed) return std::string(message.defect());
  if (message.kind() == MessageKind::kBatch && message.members().empty())
    return "is an empty batch";
  for (const Message& member : message.members()) {
    if (std::string defect = message_defect(member); !defect.empty()) return defect;
  }
  return {};
}

}  // namespace

std::string_view name(Disagreement::Kind kind) {
  switch (kind) {
    case Kind::kAccepts:
      return "accepts";
    case Kind::kRefuses:
      return "refuses";
    case Kind::kChanges:
      return "changes";
  }
  return {};
}

std::optional<Disagreement> compare(std::string_view bytes, const ParserAnswer& answer,
                                    ParserLevel level) {
  const wire::Decoded decoded = wire::decode(bytes);
  if (const auto* error = std::get_if<DecodeError>(&decoded)) {
    const std::string why = why_refused(bytes, *error);
    if (!answer.accepts || why.empty()) return std::nullopt;
    return Disagreement{Kind::kAccepts, why};
  }
  const auto& message = std::get<Message>(decoded);
  if (level == ParserLevel::kMessage) {
    if (const std::string defect = message_defect(message); !defect.empty()) {
      if (!answer.accepts) return std::nullopt;
      return Disagreement{Kind::kAccepts, "no message: " + defect};
    }
  }
  if (answer.accepts) {
    return answer.canonical ? compare_values(message, *answer.canonical) : std::nullopt;
  }
  // No message is a lone scalar, and where there is a notice a parser may refuse.
  if (!message.notices().empty() || !message.json().is_structured()) return std::nullopt;
  return Disagreement{Kind::kRefuses, why_accepted(bytes, message.json())};
}

}  // namespace assay::harness
