#include "harness/script/failure_words.h"

#include <string_view>

#include "harness/script/clues.h"
#include "harness/script/json_member.h"
#include "reference/wire/peer_json.h"

namespace assay::harness {
namespace {

// A failure is told at the beginning; a text that goes on for longer may speak of anything.
constexpr std::size_t kMostRead = 300;
// A longer text is read as no JSON.
constexpr std::size_t kLongestObject = 64u << 10;

bool has_word(std::string_view text) {
  return mentions(text.substr(0, kMostRead),
                  {"error", "invalid", "failed", "failure", "unknown", "not found", "missing",
                   "must be", "unable", "could not", "cannot", "can't", "refused", "not allowed",
                   "denied", "not permitted", "is required"});
}

// {"success": false}, {"error": "..."}, {"status": "error"}
bool is_failure_object(const Json& json) {
  const auto is_false = [&](std::string_view name) {
    const Json& value = member(json, name);
    return value.is_boolean() && !value.get<bool>();
  };
  const Json& error = member(json, "error");
  const bool has_error = !error.is_null() && error != "" && error != false;
  return is_false("success") || is_false("ok") || has_error ||
         text_member(json, "status") == "error";
}

}  // namespace

bool speaks_of_failure(const Json& result) {
  if (is_failure_object(member(result, "structuredContent"))) return true;
  for (const Json& block : array_member(result, "content")) {
    const std::string_view text = text_member(block, "text");
    const bool may_be_json = text.starts_with('{') && text.size() <= kLongestObject;
    const Json json = may_be_json ? wire::parse_of_peer(text) : Json();
    if (json.is_object() ? is_failure_object(json) : has_word(text)) return true;
  }
  return false;
}

}  // namespace assay::harness
