// mcp-assay profile: drafts what is to be known about a server, for its author to correct.
#include <fmt/format.h>

#include <csignal>
#include <string>
#include <utility>
#include <variant>

#include "harness/cli/tools_option.h"
#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"
#include "harness/project/server_jobs.h"
#include "harness/project/server_options.h"
#include "harness/runner/draft.h"
#include "harness/script/started_server.h"
#include "reference/transport/offspring.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

class ProfileCommand : public Command {
 public:
  std::string_view name() const override { return "profile"; }
  std::string_view summary() const override {
    return "Draft a profile of a server: what its tools do, and what is still unknown";
  }

  void declare(Arguments& arguments) override {
    arguments.group("What to look at");
    arguments.command_line(server_.command, "The command that starts your server, over stdio");
    arguments.text("--url", server_.url, "URL", "The MCP endpoint of a Streamable HTTP server");
    arguments.text("--sse-url", server_.sse_url, "URL",
                   "The event stream of an HTTP+SSE server (2024-11-05)");
    arguments.flag("--start", server_.is_started,
                   "Start COMMAND, look at --url as soon as it answers, then stop COMMAND");
    declare_credentials(arguments, server_);
    arguments.group("What to do");
    arguments.flag("--draft", is_draft_, "Try the tools that may be called, and write a profile");
    tools_.declare(arguments);
    arguments.text("--file", file_, "FILE", "Write to this file (default: standard output)");
    arguments.seconds("--timeout", timeout_,
                      "Longest wait for an answer (default: 5, and 30 for a server to start)");
    arguments.footer(
        "The draft holds the tools that were called, with the arguments and what they did. "
        "Comments say which\n"
        "tools were not called, which failed, and what no tool was seen to do. Correct it, and "
        "give "
        "it to\n"
        "'mcp-assay server --profile FILE', so that more rules are tested.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay profile --draft --file known.yaml -- node server.js\n"
        "  mcp-assay profile --draft --tools safe --url http://127.0.0.1:3001/mcp\n"
        "\n"
        "Exit status: 0 written, 2 wrong command line, 3 the server could not be tried, 130 "
        "interrupted.");
  }

  int run() override {
    if (!is_draft_) throw UsageError("give --draft: this command has nothing else to do");
    if (server_.command.empty() && server_.url.empty() && server_.sse_url.empty()) {
      throw UsageError("no server to look at: give --url URL, --sse-url URL, or -- COMMAND");
    }
    if (!file_.empty()) {
      if (const auto trouble = reports::check_writable(file_)) throw UsageError(*trouble);
    }
    const ServerJob job = make_job_with_one_way(server_);
    std::signal(SIGPIPE, SIG_IGN);
    transport::adopt_orphans();
    const Interrupt interrupt;
    harness::CertifyOptions options;
    tools_.apply(options);
    if (timeout_ > 0) {
      options.patience.request =
          std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3));
      options.patience.start = options.patience.request;
    }
    const Start started = start_server(server_, options.patience.start, interrupt.token());
    std::variant<harness::Draft, transport::Failure> draft =
        transport::Failure{transport::Failure::Kind::kOther, started.problem};
    if (started.problem.empty()) {
      draft = harness::make_draft(job.accesses.front(), options.patience, options.tools,
                                  options.exploration, interrupt.token());
    }
    if (auto* failure = std::get_if<transport::Failure>(&draft)) {
      job.vault->redact(failure->detail);
      fmt::print(stderr, "mcp-assay profile: the server could not be tried: {}\n",
                 reports::printable_line(failure->detail));
      return interrupt.was_requested() ? kInterrupted : kNotTested;
    }
    return write(job, std::get<harness::Draft>(draft));
  }

 private:
  int write(const ServerJob& job, const harness::Draft& draft) const {
    std::string text = harness::draft_text(draft);
    // A server may repeat what it was given in confidence.
    job.vault->redact(text);
    if (const auto trouble = reports::write_file(file_.empty() ? "-" : file_, text)) {
      throw UsageError(*trouble);
    }
    const auto& known = draft.tools.known;
    fmt::print(stderr, "tried {} of {} tools{}{}\n", known.tried.size(),
               draft.survey.tools().items.size(), file_.empty() ? "" : ", wrote ",
               reports::printable_line(file_));
    return kConformant;
  }

  ServerOptions server_;
  ToolsOption tools_;
  std::string file_;
  bool is_draft_ = false;
  double timeout_ = 0;
};

const CommandRegistration<ProfileCommand> kProfileCommandRegistration;

}  // namespace
}  // namespace assay::cli
