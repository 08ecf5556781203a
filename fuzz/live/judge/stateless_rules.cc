#include "fuzz/live/judge/stateless_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "fuzz/live/judge/http_rules.h"
#include "fuzz/live/judge/refusals.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/ids.h"
#include "fuzz/live/target/text.h"
#include "reference/transport/header_value.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using wire::Message;

const Json& part(const Json& object, std::string_view key) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

std::optional<Suspicion> bad_meta_accepted(const Vocabulary& words, const Message& request) {
  // It begins a conversation of the other era, with whoever has that too.
  if (request.method() == "initialize") return std::nullopt;
  static const Json kNoParams;
  const Json& meta = part(request.has_params() ? request.params() : kNoParams, "_meta");
  const Json& version = part(meta, kVersionInMeta);
  if (version == std::string(kNoVersion)) {
    return accepted("unknown protocol version in _meta",
                    fmt::format("It answered {} with success, although it named revision {}",
                                shown(request.method(), 60), kNoVersion),
                    "A request whose revision the server does not support MUST be answered with "
                    "an UnsupportedProtocolVersionError (basic/versioning).",
                    false);
  }
  // Who speaks older revisions, too, may read what names no revision as one of those.
  const bool names_ours = version == std::string(words.revision.text());
  if (!names_ours && !words.is_modern_only) return std::nullopt;
  const char* wrong = !part(meta, kCapabilitiesInMeta).is_object() ? kCapabilitiesInMeta
                      : !version.is_string()                       ? kVersionInMeta
                                                                   : nullptr;
  if (wrong == nullptr) return std::nullopt;
  return accepted(fmt::format("_meta without a proper {}", wrong),
                  fmt::format("It answered {} with success, although its _meta has no proper '{}'",
                              shown(request.method(), 60), wrong),
                  "A request missing any required field is malformed; the server MUST reject it "
                  "with -32602 (basic, \"_meta\").",
                  false);
}

// What a client has to be able to do to be asked that.
constexpr std::pair<std::string_view, std::string_view> kNeeded[] = {
    {"elicitation/create", "elicitation"},
    {"sampling/createMessage", "sampling"},
    {"roots/list", "roots"},
};
constexpr std::string_view kMayAsk[] = {"tools/call", "prompts/get", "resources/read"};

std::optional<Suspicion> undue_question(const Message& request, const Message& answer) {
  if (answer.bytes().find("input_required") == std::string_view::npos) return std::nullopt;
  const Json& result = answer.result();
  if (part(result, "resultType") != "input_required") return std::nullopt;
  if (std::find(std::begin(kMayAsk), std::end(kMayAsk), request.method()) == std::end(kMayAsk)) {
    return accepted("input for " + shown(request.method(), 60),
                    fmt::format("It answered {} by asking for input", shown(request.method(), 60)),
                    "Servers MUST NOT send InputRequiredResult responses on any other requests "
                    "than tools/call, prompts/get and resources/read (basic/patterns/mrtr).",
                    false);
  }
  const Json& requests = part(result, "inputRequests");
  const Json& capabilities = part(part(request.params(), "_meta"), kCapabilitiesInMeta);
  if (!requests.is_object() || !capabilities.is_object()) return std::nullopt;
  for (const Json& each : requests) {
    for (const auto& [method, capability] : kNeeded) {
      if (part(each, "method") != std::string(method) || capabilities.contains(capability)) {
        continue;
      }
      return accepted(
          fmt::format("{} of a client without {}", method, capability),
          fmt::format("It asked for {} in the answer to {}, which declared no such capability",
                      method, shown(request.method(), 60)),
          "Servers MUST NOT send an inputRequests that the client has not declared support for "
          "(basic/patterns/mrtr).",
          false);
    }
  }
  return std::nullopt;
}

// What a notification needs in the filter.
constexpr std::pair<std::string_view, std::string_view> kFiltered[] = {
    {"notifications/tools/list_changed", "toolsListChanged"},
    {"notifications/prompts/list_changed", "promptsListChanged"},
    {"notifications/resources/list_changed", "resourcesListChanged"},
};

Suspicion unasked_notification(std::string_view what) {
  return accepted(
      fmt::format("subscription to {}", what),
      fmt::format("It subscribed its client to {}, which the filter did not ask for", what),
      "The server MUST NOT send notification types the client has not explicitly "
      "requested (basic/patterns/subscriptions).",
      false);
}

}  // namespace

std::optional<Suspicion> wrong_stateless_success(const Vocabulary& words, const Message& request,
                                                 const Message& result) {
  if (words.revision.has_sessions()) return std::nullopt;
  if (auto wrong = bad_meta_accepted(words, request)) return wrong;
  return undue_question(request, result);
}

std::optional<wire::Id> subscription_of(const Json& params) {
  const Json& id = part(part(params, "_meta"), "io.modelcontextprotocol/subscriptionId");
  if (!id.is_string() && !id.is_number()) return std::nullopt;
  return wire::Id::from_json_text(wire::encode(id));
}

std::optional<Suspicion> wrong_notification(const Message& listen, const Message& notification) {
  if (listen.method() != "subscriptions/listen" || !listen.has_params()) return std::nullopt;
  const Json& filter = part(listen.params(), "notifications");
  const bool is_acknowledged = notification.method() == "notifications/subscriptions/acknowledged";
  const Json& agreed = part(notification.params(), "notifications");
  for (const auto& [method, type] : kFiltered) {
    // A value that is no boolean may have been taken for one.
    const bool is_refused = part(filter, type).is_null() || part(filter, type) == false;
    const bool is_sent =
        notification.method() == method || (is_acknowledged && part(agreed, type) == true);
    if (is_refused && is_sent) return unasked_notification(type);
  }
  return std::nullopt;
}

std::optional<Suspicion> wrong_field_success(const Vocabulary& words,
                                             const transport::Headers& fields,
                                             std::string_view body) {
  if (!words.revision.has_mirrored_headers()) return std::nullopt;
  const wire::Decoded decoded = wire::decode(body);
  const auto* message = std::get_if<Message>(&decoded);
  if (message == nullptr || !is_plain_request(*message)) return std::nullopt;
  const transport::Headers right = repeated_fields(words, body);
  for (const auto& [field, value] : fields) {
    const auto expected = transport::find_header(right, field);
    if (!expected) continue;
    const bool is_version = field == "MCP-Protocol-Version";
    // Without it, a server of older revisions may take the request for one of those.
    const bool is_missing = value.empty() && (!is_version || words.is_modern_only);
    const bool is_other =
        !is_version && transport::decode_header_value(value) == std::string(kNoSuch);
    if (!is_missing && !is_other && !(is_version && value == kNoSuch)) continue;
    const std::string about = fmt::format("{} {}", is_missing ? "without" : "another", field);
    return accepted(about,
                    fmt::format("A POST of {} was accepted with {}", shown(message->method(), 60),
                                is_missing ? fmt::format("no {}", field)
                                           : fmt::format("another {} than its body has", field)),
                    "Servers MUST reject requests where the values specified in the headers do "
                    "not match the body, or a required header is missing "
                    "(basic/transports/streamable-http, \"Server Validation\").",
                    false);
  }
  return std::nullopt;
}

}  // namespace assay::fuzz
