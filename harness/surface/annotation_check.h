// Whether the annotations of tools tell the truth: each tool is called in a sandbox, and what it
// did to the files there is compared with what it says of itself.
//
// Specification: server/tools, schema of ToolAnnotations, since 2025-03-26. Annotations are hints,
// and no sentence demands that they are true: so what is found here is advice, with what was seen.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "harness/script/connection.h"
#include "harness/script/survey.h"
#include "harness/surface/folder_state.h"
#include "reference/transport/client_transport.h"

namespace assay::harness {

struct AnnotationAdvice {
  std::string hint;  // "readOnlyHint"
  std::string what;  // "says that it only reads, and the call changed files"
  std::vector<FileChange> changes;
  std::vector<EventPtr> events;  // the call, its answer, and what it asked of the API that we play
};

// One tool.
struct AnnotatedTool {
  std::string name;  // as the target writes it
  std::vector<AnnotationAdvice> advice;
  // Why it could not be compared: it failed, or no arguments are known; empty if it was compared.
  std::string trouble;
  bool makes_a_claim = false;  // one of its annotations can be compared
};

struct AnnotationCheck {
  std::string server;  // its name; may be empty
  std::string revision;
  std::vector<AnnotatedTool> tools;
  // Names of the policy that the target does not list, and what it lists. With one of them no tool
  // is called: it is a slip, and the call that was meant would be missed.
  std::vector<std::string> unlisted;
  std::vector<std::string> listed;

  // How many tools have an annotation that can be compared, and of these: how many were.
  std::size_t claims() const;
  std::size_t compared() const;
  bool compared_nothing() const { return claims() > 0 && compared() == 0; }
};

// What bounds the work, whatever the target lists.
inline constexpr std::size_t kMostToolsCalled = 200;

// Calls every tool that claims something, also those that write: in a sandbox that the caller made.
// `policy` knows arguments (its profile), and may leave tools out.
std::variant<AnnotationCheck, transport::Failure> check_annotations(const TargetAccess& access,
                                                                    const std::string& sandbox,
                                                                    const ToolPolicy& policy,
                                                                    const Patience& patience,
                                                                    const std::stop_token& stop);

// Arguments that name things in the sandbox, where the names of arguments ask for a path.
Json sandbox_arguments(const Json& tool, const std::string& sandbox);

// The file that a sandbox has for tools that read, from the sandbox.
inline constexpr const char* kSandboxFile = "assay-file.txt";

}  // namespace assay::harness
