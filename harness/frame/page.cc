#include "harness/frame/page.h"

#include <unistd.h>

#include <chrono>
#include <iostream>

#include "harness/frame/terminal_width.h"
#include "reports/interop/interop_text.h"
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

reports::ProgressOptions Page::progress(const std::string& title) const {
  reports::ProgressOptions shown;
  shown.title = title;
  shown.is_terminal = !is_quiet_ && is_capable_terminal(STDERR_FILENO);
  shown.width = terminal_width(STDERR_FILENO, shown.width);
  if (is_quiet_) shown.line_interval = std::chrono::hours(24 * 365);
  return shown;
}

reports::TerminalOptions Page::terminal(const std::vector<std::string>& kept) const {
  const int descriptor = is_elsewhere_ ? STDERR_FILENO : STDOUT_FILENO;
  reports::TerminalOptions options;
  options.color = color_ == "always" || (color_ == "auto" && wants_color(descriptor));
  options.width = terminal_width(descriptor, options.width);
  options.verbose = is_verbose_;
  options.quiet = is_quiet_;
  options.kept = kept;
  return options;
}

void Page::print(const reports::Result& result, const std::vector<std::string>& kept) const {
  stream() << reports::render_terminal(result, terminal(kept)) << std::flush;
}

void Page::print(const reports::InteropResult& result, const std::vector<std::string>& kept) const {
  stream() << reports::render_interop_text(result, terminal(kept)) << std::flush;
}

}  // namespace assay::cli
