#include "fuzz/live/judge/canaries.h"

#include <fmt/format.h>

#include "fuzz/live/target/text.h"
#include "reference/wire/json.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

std::string_view rule_for(std::string_view method) {
  if (method == "resources/read") {
    return "Servers MUST validate all resource URIs (server/resources, \"Security "
           "Considerations\").";
  }
  if (method == "tools/call") {
    return "Servers MUST validate all tool inputs and implement proper access controls "
           "(server/tools, \"Security Considerations\").";
  }
  if (method == "prompts/get") {
    return "Implementations MUST carefully validate all prompt inputs and outputs to prevent "
           "unauthorized access to resources (server/prompts, \"Security\").";
  }
  return "";
}

// "tools/call read_file".
std::string named(const wire::Message* request) {
  if (request == nullptr) return "";
  std::string out = shown(request->method(), 60);
  if (request->has_params() && request->params().is_object()) {
    const std::string name = text_member(request->params(), "name");
    if (!name.empty()) out += " " + shown(name, 60);
  }
  return out;
}

// JSON may write any character by its number.
std::optional<Sandbox::Canary> canary_told(const Sandbox& sandbox, const wire::Message& message) {
  if (const auto plain = sandbox.canary_in(message.bytes())) return plain;
  if (message.bytes().find("\\u") == std::string_view::npos) return std::nullopt;
  return sandbox.canary_in(message.json().dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::optional<Suspicion> escape_in(const Sandbox& sandbox, const wire::Message& message,
                                   const wire::Message* request) {
  const auto canary = canary_told(sandbox, message);
  if (!canary) return std::nullopt;
  const bool has_inputs = request != nullptr && request->has_params() &&
                          request->params().is_object() &&
                          request->params().contains("inputResponses");
  if (has_inputs) return std::nullopt;
  const bool is_link = *canary == Sandbox::Canary::kLinked;
  const std::string asked = named(request);
  Suspicion out;
  out.oracle = Oracle::kTraversal;
  out.about = (asked.empty() ? "a message of its own" : asked) + (is_link ? " by a link" : "");
  out.detail =
      fmt::format("It told {} what is in {}, outside of the folder that it is to serve{}",
                  asked.empty() ? "us" : "the sender of " + asked, shown(sandbox.path_of(*canary)),
                  is_link ? "; a symbolic link in that folder leads there" : "");
  if (is_link) {
    // A target that may write into the folder can make one; but it may also be there on purpose.
    out.rule =
        "Access controls SHOULD be implemented for sensitive resources (server/resources, "
        "\"Security Considerations\"): a symbolic link leads out of what is served.";
    out.is_should = true;
  } else if (request != nullptr) {
    out.rule = rule_for(request->method());
  }
  return out;
}

}  // namespace assay::fuzz
