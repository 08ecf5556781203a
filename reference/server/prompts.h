// What other topics need to know of the prompts. Specification: server/prompts.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "reference/server/answer.h"

namespace assay::server {

class Session;

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
};

// Nothing where the session has no such prompt.
const Prompt* find_prompt(const Session& session, std::string_view name);

}  // namespace assay::server
