// The options with which `fuzz` and `replay` name their target and their patience.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/live/target/sandbox.h"
#include "fuzz/live/target/vocabulary.h"
#include "fuzz/live/wire/wire.h"
#include "harness/frame/command.h"
#include "harness/frame/trust_option.h"
#include "harness/script/link.h"

namespace assay::fuzz {

class TargetOptions {
 public:
  void declare(cli::Arguments& arguments, const std::string& command_help);

  bool is_given() const { return !command_.empty() || !url_.empty(); }
  const std::vector<std::string>& command() const { return command_; }
  const std::string& url() const { return url_; }
  // With these --env beside those that were given, unless the same variable is among them.
  void set_target(std::vector<std::string> command, std::string url,
                  const std::vector<std::string>& environment);
  // Whether the command, or an --env, names the sandbox.
  bool names_sandbox() const;
  // As it was given; empty: none was.
  const std::string& sandbox() const { return sandbox_; }
  // Null if none is asked for. Throws cli::UsageError where none can be made.
  std::unique_ptr<Sandbox> make_sandbox() const;
  // The --env that name it: what the command needs to be told again.
  std::vector<std::string> sandbox_environment() const;
  // Of a command that is told where the sandbox is, unless that is null. Throws cli::UsageError for
  // what cannot be a target, and where neither the command nor an --env names the sandbox: nobody
  // would tell the server what it is to serve. Its vault holds what was given in confidence: the
  // values of headers and variables, and the credentials in the URL.
  harness::TargetAccess access(const Sandbox* sandbox) const;
  Waits waits() const;
  // Of a client: what it is started with, and nothing that only servers have.
  std::vector<std::pair<std::string, std::string>> client_environment() const;

 private:
  std::vector<std::string> command_;
  cli::TrustOption trust_;
  std::string url_;
  std::vector<std::string> headers_;
  std::vector<std::string> environment_;
  std::string sandbox_;
  double timeout_ = 0;  // not given
};

// `tools` as --tools has it: a name that the target does not list is a mistake, and no quieter run.
// Throws cli::UsageError.
void check_tools(const Vocabulary& words, std::string_view tools);

}  // namespace assay::fuzz
