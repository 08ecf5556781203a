// Asks a server for what the arguments of its prompts and URI templates may be.
//
// Specification: server/utilities/completion.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "harness/profile/profile.h"
#include "harness/script/clues.h"
#include "harness/script/connection.h"
#include "harness/script/survey.h"

namespace assay::harness {

// Prompts with arguments that no profile tells, or URI templates with variables.
bool has_unknown_arguments(const Survey& survey, const ToolPolicy& policy);

class Suggestions {
 public:
  // `is_over` is asked before each request.
  Suggestions(Connection& connection, std::chrono::milliseconds patience,
              std::function<bool()> is_over);

  // Asks for a few of each. What is suggested goes to the profile, as prompts with arguments,
  // resources to read and completions, and to the clues.
  void ask(const Survey& survey, const ToolPolicy& policy, Profile& profile, Clues& clues);

 private:
  // The first value that is suggested, be it what can be made of a number; empty: none.
  std::string first_for(const Json& reference, std::string_view argument);
  void ask_for_prompt(const Json& prompt, const ToolPolicy& policy, Profile& profile, Clues& clues);
  void ask_for_template(const std::string& uri_template, Profile& profile, Clues& clues);

  Connection& connection_;
  const std::chrono::milliseconds patience_;
  const std::function<bool()> is_over_;
};

}  // namespace assay::harness
