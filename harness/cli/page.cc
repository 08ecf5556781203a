#include "harness/cli/page.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "harness/cli/terminal_width.h"
#include "reports/terminal.h"

namespace assay::cli {

void Page::declare(Arguments& arguments) {
  arguments.flag("--verbose", is_verbose_, "Show all evidence, and what was not exercised");
  arguments.flag("--quiet", is_quiet_, "Print one line per violation, and the conclusion");
  arguments.choice("--color", color_, {"auto", "always", "never"}, "Use colours (default: auto)");
}

std::ostream& Page::stream() const {
  return is_elsewhere_ ? std::cerr : std::cout;
}

reports::ProgressOptions Page::progress() const {
  reports::ProgressOptions shown;
  shown.is_terminal = !is_quiet_ && isatty(STDERR_FILENO) == 1;
  shown.width = terminal_width(STDERR_FILENO, shown.width);
  if (is_quiet_) shown.line_interval = std::chrono::hours(24 * 365);
  return shown;
}

void Page::print(const reports::Result& result) const {
  const int descriptor = is_elsewhere_ ? STDERR_FILENO : STDOUT_FILENO;
  reports::TerminalOptions options;
  options.color = color_ == "always" || (color_ == "auto" && isatty(descriptor) == 1 &&
                                         std::getenv("NO_COLOR") == nullptr);
  options.width = terminal_width(descriptor, options.width);
  options.verbose = is_verbose_;
  options.quiet = is_quiet_;
  stream() << reports::render_terminal(result, options) << std::flush;
}

}  // namespace assay::cli
