#include "harness/cli/tools_option.h"

namespace assay::cli {

void ToolsOption::declare(Arguments& arguments) {
  arguments.text("--tools", tools_, "all|none|readonly|safe|NAME,...",
                 "Tools that may be called (default: read-only tools, and those of the profile; "
                 "safe: also those whose names and descriptions say that they only read)");
  arguments.seconds("--explore", explore_,
                    "Time to find out what tools do that no profile describes, in each run "
                    "(default: 20)");
}

void ToolsOption::apply(harness::CertifyOptions& options) const {
  options.tools = harness::ToolPolicy::parse(tools_);
  if (explore_ > 0) {
    options.exploration.total =
        std::chrono::milliseconds(static_cast<std::int64_t>(explore_ * 1e3));
  }
}

}  // namespace assay::cli
