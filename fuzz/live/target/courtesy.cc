#include "fuzz/live/target/courtesy.h"

#include <variant>

#include "fuzz/live/target/sandbox.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

std::string wrong_answer(const wire::Id& id, int manners) {
  switch (manners) {
    case 2:
      return wire::encode_error(id, -32603, "Not today");
    case 1:
      return wire::encode_result(id, nullptr);
    case 4:
      return wire::encode_result(id, {{"unexpected", {1, 2, 3}}});
    case 3:
      return wire::encode_error(id, 1, "");
    default:
      return wire::encode_result(id, Json::array());
  }
}

}  // namespace

Handlers our_handlers(const Vocabulary& words) {
  Handlers handlers = harness::polite_handlers(words.revision);
  if (words.sandbox == nullptr) return handlers;
  handlers[kRootsMethod] = [uri = words.sandbox->served_uri()](const Json&) {
    return Json{{"roots", {{{"uri", uri}, {"name", "served"}}}}};
  };
  return handlers;
}

std::string Courtesy::answer(const wire::Message& request, int manners) const {
  const wire::Id id = *request.id();
  const bool is_always_polite =
      request.method() == "ping" || (has_sandbox_ && request.method() == kRootsMethod);
  if (manners != 0 && !is_always_polite) return wrong_answer(id, manners);
  const auto found = handlers_.find(request.method());
  if (found == handlers_.end()) {
    return wire::encode_error(id, wire::kMethodNotFound, "Method not found");
  }
  const harness::Answer answer = found->second(request.params());
  if (const Json* result = std::get_if<Json>(&answer)) return wire::encode_result(id, *result);
  const auto& refused = std::get<harness::RefusedRequest>(answer);
  return wire::encode_error(id, refused.code, refused.message);
}

}  // namespace assay::fuzz
