// Specification: server/utilities/completion.
#include <fmt/format.h>

#include "reference/server/call.h"
#include "reference/server/handlers.h"
#include "reference/server/prompts.h"
#include "reference/server/resources.h"
#include "reference/server/session.h"

namespace assay::server {
namespace {

constexpr std::size_t kMostValues = 100;  // of one answer, as the specification has it
constexpr int kKnownValues = 150;         // so that an empty prefix has more than one answer holds

// The names a completion of `argument` can have; an argument already resolved narrows them down.
std::string stem(const Context& context, const Json& params, const std::string& argument) {
  if (!context.speaks().has_completion_context()) return argument;
  const Json& resolved = member(member(params, "context"), "arguments");
  if (!resolved.is_object()) return argument;
  for (const auto& [name, value] : resolved.items()) {
    if (name != argument && value.is_string()) {
      return fmt::format("{}-{}", value.get_ref<const std::string&>(), argument);
    }
  }
  return argument;
}

// What is completed, if the reference names something that the server has.
std::optional<Refusal> check_reference(const Context& context, const Json& reference,
                                       const std::string& argument) {
  const std::optional<std::string> type = string_member(reference, "type");
  if (type == "ref/prompt") {
    const std::optional<std::string> name = string_member(reference, "name");
    const Prompt* prompt = name ? find_prompt(context, *name) : nullptr;
    if (!prompt) return invalid_params("Unknown prompt");
    for (const PromptArgument& known : prompt->arguments) {
      if (known.name == argument) return std::nullopt;
    }
    return invalid_params("The prompt has no such argument");
  }
  if (type == "ref/resource") {
    const std::optional<std::string> uri = string_member(reference, "uri");
    const std::optional<std::string_view> variable = uri ? variable_of(*uri) : std::nullopt;
    if (!variable) return invalid_params("Unknown resource template");
    if (argument != *variable) return invalid_params("The template has no such variable");
    return std::nullopt;
  }
  return invalid_params("ref must be a prompt or a resource template");
}

}  // namespace

Answer complete(Context& context, Call& call) {
  const Json& params = call.params();
  const std::optional<std::string> name = string_member(member(params, "argument"), "name");
  const std::optional<std::string> value = string_member(member(params, "argument"), "value");
  if (!name || !value) return invalid_params("argument must have a name and a value");
  if (const auto refusal = check_reference(context, member(params, "ref"), *name)) return *refusal;

  const std::string known = stem(context, params, *name);
  Json values = Json::array();
  std::size_t total = 0;
  for (int number = 1; number <= kKnownValues; ++number) {
    std::string candidate = fmt::format("{}-{:03}", known, number);
    if (!candidate.starts_with(*value)) continue;
    if (++total <= kMostValues) values.push_back(std::move(candidate));
  }
  const bool has_more = total > kMostValues;
  return Json{
      {"completion", {{"values", std::move(values)}, {"total", total}, {"hasMore", has_more}}}};
}

}  // namespace assay::server
