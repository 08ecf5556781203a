#include "fuzz/live/client/spoiling.h"

#include <algorithm>
#include <iterator>

#include "fuzz/live/target/text.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kPlainBytes = 256u << 10;
constexpr std::size_t kPlainDepth = 40;
constexpr std::size_t kPlainDigits = 15;  // a double holds all integers of so many

bool has_long_number(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > kPlainDigits) return true;
  }
  return false;
}

bool has_odd_meta(const Json& part) {
  const auto meta = part.is_object() ? part.find("_meta") : part.end();
  return part.is_object() && meta != part.end() && !meta->is_object();
}

}  // namespace

std::span<const Operator> all_operators() {
  static const std::vector<Operator> kAll = [] {
    std::vector<Operator> all;
    for (auto table : {value_operators(), message_operators(), reply_operators()}) {
      std::move(table.begin(), table.end(), std::back_inserter(all));
    }
    return all;
  }();
  return kAll;
}

const Operator* find_operator(std::string_view name) {
  const auto all = all_operators();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Operator& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool fits(const Operator& one, const SpoilPlace& place) {
  if (one.is_over_http && !place.is_http) return false;
  if (place.method == "GET" && one.reply == nullptr) return false;
  return one.fits == nullptr || one.fits(place);
}

bool is_plain_text(std::string_view text) {
  if (text.size() > kPlainBytes || nesting(text) > kPlainDepth || has_long_number(text) ||
      text.find("\\u0000") != std::string_view::npos || text.find('\n') != std::string_view::npos) {
    return false;
  }
  const wire::Decoded decoded = wire::decode(text);
  const auto* message = std::get_if<wire::Message>(&decoded);
  return message != nullptr && message->notices().empty() &&
         message->kind() != wire::MessageKind::kMalformed &&
         message->kind() != wire::MessageKind::kBatch;
}

bool is_plain_answer(std::string_view text, const wire::Message& request) {
  if (!is_plain_text(text)) return false;
  const wire::Decoded decoded = wire::decode(text);
  const wire::Message& message = std::get<wire::Message>(decoded);
  if (message.id() != request.id()) return false;
  if (message.kind() == wire::MessageKind::kResult) {
    return message.result().is_object() && !has_odd_meta(message.result());
  }
  const bool is_error = message.kind() == wire::MessageKind::kError;
  return is_error && message.error_code() && message.error().value("message", Json()).is_string();
}

}  // namespace assay::fuzz
