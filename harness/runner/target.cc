#include "harness/runner/target.h"

#include <chrono>
#include <memory>
#include <utility>

#include "harness/runner/reproduce.h"
#include "reference/transport/stdio_child.h"

namespace assay::harness {

TargetAccess over_stdio(const CommandTarget& target) {
  transport::StdioOptions options;
  options.spawn.command = target.words;
  options.spawn.directory = target.directory;
  // A scenario whose topic is the end of a session waits for it by itself; everywhere else the
  // child is only to be gone.
  options.exit_grace = std::chrono::milliseconds(200);
  for (const std::string& assignment : target.environment) {
    const std::size_t equals = assignment.find('=');
    options.spawn.environment.emplace_back(
        assignment.substr(0, equals),
        equals == std::string::npos ? std::string() : assignment.substr(equals + 1));
  }
  TargetAccess access;
  access.kind = TransportKind::kStdio;
  access.connect = [options](transport::Observer& observer) {
    auto child = std::make_unique<transport::StdioChild>(options, observer);
    Link link;
    link.child = child.get();
    link.transport = std::move(child);
    return link;
  };
  for (const std::string& word : target.words) {
    if (!access.shell_form.empty()) access.shell_form += ' ';
    access.shell_form += shell_quote(word);
  }
  return access;
}

}  // namespace assay::harness
