// What other topics need to know of the prompts. Specification: server/prompts.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "reference/model/revision.h"
#include "reference/server/answer.h"

namespace assay::server {

class Context;

struct PromptArgument {
  std::string_view name;
  std::string_view title;
  std::string_view description;
};

struct Prompt {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::span<const PromptArgument> arguments;  // all of them required
  Json (*messages)(const Json& arguments);
  // Which revisions have what the prompt shows; every one where this is null.
  model::Revision::Question exists = nullptr;
  // Asks the client for more, and adds it to the arguments; what to answer while it is missing.
  std::optional<Answer> (*gather)(const Context&, Json& arguments) = nullptr;
};

// Nothing where there is no such prompt.
const Prompt* find_prompt(const Context& context, std::string_view name);

}  // namespace assay::server
