#include "fuzz/live/judge/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fuzz/live/judge/stateless_rules.h"
#include "fuzz/live/target/text.h"
#include "reference/model/schema_check.h"
#include "reference/model/validate.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using wire::Message;

// Members without which a request cannot be understood.
constexpr std::pair<std::string_view, std::string_view> kEssential[] = {
    {"tools/call", "/params/name"},
    {"resources/read", "/params/uri"},
    {"resources/subscribe", "/params/uri"},
    {"resources/unsubscribe", "/params/uri"},
    {"prompts/get", "/params/name"},
    {"completion/complete", "/params/ref"},
    {"completion/complete", "/params/argument"},
    {"logging/setLevel", "/params/level"},
    {"tasks/get", "/params/taskId"},
    {"tasks/cancel", "/params/taskId"},
};

bool names_nothing(const Json& params, const char* key) {
  return text_member(params, key).find(kNoSuch) != std::string::npos;
}

// A result of `tools/call` that reports an error is a refusal.
bool is_refusal(const Message& result) {
  return result.result().is_object() && result.result().value("isError", Json()) == true;
}

std::optional<Suspicion> unknown_name(const Message& request) {
  struct Named {
    std::string_view method;
    const char* member;
    std::string_view thing;
    std::string_view where;
  };
  static constexpr Named kNamed[] = {
      {"tools/call", "name", "tool", "server/tools, \"Error Handling\""},
      {"prompts/get", "name", "prompt", "server/prompts, \"Error Handling\""},
      {"resources/read", "uri", "resource", "server/resources, \"Error Handling\""},
      {"tools/list", "cursor", "cursor", "server/utilities/pagination, \"Error Handling\""},
      {"resources/list", "cursor", "cursor", "server/utilities/pagination, \"Error Handling\""},
      {"resources/templates/list", "cursor", "cursor",
       "server/utilities/pagination, \"Error Handling\""},
      {"prompts/list", "cursor", "cursor", "server/utilities/pagination, \"Error Handling\""},
      {"tasks/list", "cursor", "cursor", "basic/utilities/tasks, \"Error Handling\""},
      {"tasks/get", "taskId", "task", "basic/utilities/tasks, \"Error Handling\""},
      {"tasks/cancel", "taskId", "task", "basic/utilities/tasks, \"Error Handling\""},
  };
  for (const Named& named : kNamed) {
    if (request.method() != named.method || !names_nothing(request.params(), named.member)) {
      continue;
    }
    return accepted(
        fmt::format("unknown {} {}", named.thing, named.method),
        fmt::format("It answered {} with success, although the {} does not exist", named.method,
                    named.thing),
        fmt::format("An unknown {} is refused with an error ({}).", named.thing, named.where),
        true);
  }
  return std::nullopt;
}

std::optional<Suspicion> missing_essential(const Vocabulary& words, const Message& request) {
  const bool has_any = std::any_of(std::begin(kEssential), std::end(kEssential),
                                   [&](const auto& one) { return one.first == request.method(); });
  if (!has_any) return std::nullopt;
  const model::Deviations deviations =
      model::validate_message(words.revision, model::Direction::kClientToServer, request.json());
  for (const model::Deviation& deviation : deviations) {
    for (const auto& [method, pointer] : kEssential) {
      if (method != request.method() || pointer != deviation.pointer ||
          deviation.strength != model::Strength::kMust || deviation.rule != model::Rule::kShape) {
        continue;
      }
      return accepted(
          fmt::format("{} without a proper {}", method, pointer.substr(8)),
          fmt::format("It answered {} with success, although {}", method,
                      model::to_text(deviation)),
          "Parameters that the schema does not allow are refused with error -32602 (JSON-RPC 2.0, "
          "section 5.1).",
          true);
    }
  }
  return std::nullopt;
}

// Arguments that break the tool's own schema. A member that the schema does not name is passed
// over: validators that strip such members are common, and no harm is done.
std::optional<Suspicion> bad_arguments(const Vocabulary& words, const Message& request) {
  const std::string name = text_member(request.params(), "name");
  const Json* tool = words.tool(name);
  if (tool == nullptr) return std::nullopt;
  const Json schema = tool->value("inputSchema", Json());
  const Json properties = schema.is_object() ? schema.value("properties", Json()) : Json();
  Json arguments = request.params().value("arguments", Json::object());
  if (!properties.is_object() || !arguments.is_object()) return std::nullopt;
  Json named = Json::object();
  for (const auto& [key, value] : arguments.items()) {
    if (properties.contains(key)) named[key] = value;
  }
  const model::SchemaVerdict verdict = model::check_against_schema(schema, named);
  if (verdict.outcome != model::SchemaOutcome::kInvalid || verdict.deviations.empty()) {
    return std::nullopt;
  }
  const model::Deviation& first = verdict.deviations.front();
  return accepted(
      shown(fmt::format("arguments {} {}", name, without_indexes(first.pointer))),
      fmt::format(
          "The call of '{}' succeeded, although its arguments break its own inputSchema: {}",
          shown(name, 60), model::to_text(first)),
      "Servers MUST validate all tool inputs (server/tools, \"Security Considerations\").", false);
}

}  // namespace

std::optional<Suspicion> wrong_success(const Vocabulary& words, const Message& request,
                                       const Message& result) {
  const std::string_view method = request.method();
  if (method.find(kNoSuch) != std::string_view::npos) {
    return accepted("unknown method",
                    fmt::format("It answered the unknown method '{}' with success", shown(method)),
                    "An unknown method is refused with error -32601 (JSON-RPC 2.0, section 5.1).",
                    false);
  }
  if (auto wrong = wrong_stateless_success(words, request, result)) return wrong;
  const bool is_call = method == "tools/call";
  if (is_call && is_refusal(result)) return std::nullopt;
  if (auto wrong = unknown_name(request)) return wrong;
  if (auto wrong = missing_essential(words, request)) return wrong;
  return is_call ? bad_arguments(words, request) : std::nullopt;
}

}  // namespace assay::fuzz
