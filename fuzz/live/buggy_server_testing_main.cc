// The reference server with one planted bug, over stdio: the target of planted_bugs_test.
#include <csignal>
#include <cstdio>

#include "reference/server/bugs/buggy_server.h"
#include "reference/server/server.h"
#include "reference/transport/stdio_self.h"

int main(int argc, char** argv) {
  namespace server = assay::server;
  const server::Bug* bug = argc > 1 ? server::find_bug(argv[1]) : nullptr;
  if (argc > 1 && bug == nullptr) {
    std::fprintf(stderr, "no such bug: %s\n", argv[1]);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  static const server::Bug kNone;
  server::Options options;
  if (bug != nullptr && bug->inside) {
    options.switches.set(static_cast<std::size_t>(*bug->inside));
  }
  server::Server good(options);
  server::BuggyServer buggy(good, bug == nullptr ? kNone : *bug);
  assay::transport::serve_stdio(buggy, {.on_read = bug == nullptr ? nullptr : bug->read});
  return 0;
}
