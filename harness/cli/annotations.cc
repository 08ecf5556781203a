// mcp-assay annotations: whether tools do what their annotations say, in a sandbox.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/cli/profiles_option.h"
#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/named_tools.h"
#include "harness/parties/start_option.h"
#include "harness/parties/upstream.h"
#include "harness/project/server_jobs.h"
#include "harness/project/server_options.h"
#include "harness/surface/annotation_check.h"
#include "reference/transport/offspring.h"
#include "reports/escape.h"
#include "reports/output.h"
#include "reports/vault.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using harness::AnnotatedTool;
using harness::AnnotationAdvice;
using harness::FileChange;

constexpr const char* kPlaceOfSandbox = "{sandbox}";
constexpr const char* kVariableOfSandbox = "MCP_ASSAY_SANDBOX";
constexpr std::size_t kMostChangesShown = 20;
constexpr std::size_t kMostBytesShown = 500;  // of a message

// The folder, with a file for tools that read, which goes again.
class SandboxFolder {
 public:
  explicit SandboxFolder(const std::string& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    path_ = fs::canonical(folder, error).string();
    if (error || !fs::is_directory(path_)) {
      throw UsageError(fmt::format("--sandbox: '{}' cannot be used as a folder",
                                   reports::printable_line(folder)));
    }
    file_ = path_ + "/" + harness::kSandboxFile;
    if (fs::exists(fs::symlink_status(file_, error))) {
      file_.clear();
      return;
    }
    if (const auto problem = reports::write_file(file_, "A file of mcp-assay.\n")) {
      throw UsageError("--sandbox: " + *problem);
    }
  }
  ~SandboxFolder() {
    std::error_code ignored;
    if (!file_.empty()) fs::remove(file_, ignored);
  }
  SandboxFolder(const SandboxFolder&) = delete;
  SandboxFolder& operator=(const SandboxFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string file_;  // empty: it is the user's
};

std::string_view name_of(FileChange::Kind kind) {
  switch (kind) {
    case FileChange::Kind::kCreated:
      return "created";
    case FileChange::Kind::kChanged:
      return "changed";
    case FileChange::Kind::kShrunk:
      return "shrunk";
    case FileChange::Kind::kRemoved:
      return "removed";
  }
  return "";
}

std::string text_of(const harness::EventPtr& event) {
  std::string text(event->observation.bytes());
  if (const transport::HttpHead* head = event->observation.http(); head && text.empty()) {
    text = fmt::format("{} {}", head->method, head->target);
  }
  return reports::printable_line(reports::cut(text, kMostBytesShown));
}

std::string_view speaker_of(const harness::Event& event) {
  if (event.is_from_client()) return "client";
  const bool is_to_api = event.observation.kind == harness::KeptObservation::Kind::kHttpRequest;
  return is_to_api ? "server, to the API" : "server";
}

std::string advice_text(const std::string& tool, const AnnotationAdvice& advice) {
  std::string out =
      fmt::format("!  {}  {}\n    {}\n", reports::printable_line(tool), advice.hint, advice.what);
  for (std::size_t i = 0; i < advice.changes.size() && i < kMostChangesShown; ++i) {
    out += fmt::format("    {}  {}\n", name_of(advice.changes[i].kind),
                       reports::printable_line(advice.changes[i].path));
  }
  if (advice.changes.size() > kMostChangesShown) {
    out += fmt::format("    and {} more\n", advice.changes.size() - kMostChangesShown);
  }
  for (const harness::EventPtr& event : advice.events) {
    out += fmt::format("    {}  {}\n", speaker_of(*event), text_of(event));
  }
  return out;
}

Json as_json(const AnnotatedTool& tool) {
  Json advice = Json::array();
  for (const AnnotationAdvice& each : tool.advice) {
    Json changes = Json::array();
    for (const FileChange& change : each.changes) {
      changes.push_back({{"kind", name_of(change.kind)}, {"path", change.path}});
    }
    Json events = Json::array();
    for (const harness::EventPtr& event : each.events) events.push_back(text_of(event));
    advice.push_back({{"hint", each.hint},
                      {"what", each.what},
                      {"changes", std::move(changes)},
                      {"exchange", std::move(events)}});
  }
  Json out = {{"tool", tool.name}, {"advice", std::move(advice)}};
  if (!tool.trouble.empty()) out["not_compared"] = tool.trouble;
  return out;
}

class AnnotationsCommand : public Command {
 public:
  std::string_view name() const override { return "annotations"; }
  std::string_view summary() const override {
    return "Compare what tools do in a sandbox with their annotations";
  }

  void declare(Arguments& arguments) override {
    arguments.group("What to test");
    declare_server(arguments, server_, "test");
    declare_credentials(arguments, server_);
    declare_upstream(arguments, server_);
    arguments.group("How");
    arguments.text("--sandbox", sandbox_, "DIR",
                   "The folder in which the server works; COMMAND gets it in place of {sandbox}, "
                   "and in MCP_ASSAY_SANDBOX");
    arguments.text("--tools", tools_, "all|readonly|NAME,...",
                   "Tools that may be called (default: all)");
    arguments.texts("--profile", profiles_, "FILE|NAME",
                    "Arguments for tools: a file, or a name from 'list profiles' (repeatable)");
    arguments.seconds("--timeout", timeout_, "Longest wait for an answer (default: 5)");
    arguments.group("Output");
    arguments.flag("--strict", is_strict_, "Fail if an annotation is not true");
    arguments.flag("--json", is_json_, "Print the result as JSON");
    arguments.footer(
        "Every tool with readOnlyHint: true, idempotentHint: true or destructiveHint: false is "
        "called, also\n"
        "those that write, with arguments that name files in DIR. What changes there without a "
        "call, such as\n"
        "a log, is left out. A server can also write elsewhere: run it where that does no harm.\n"
        "\n"
        "Annotations are hints, and no sentence of the specification demands that they are true. "
        "So the\n"
        "result is advice. Only files in DIR are compared, and with --upstream what read-only "
        "tools ask\n"
        "of that API (PUT, PATCH, DELETE).\n"
        "\n"
        "Examples:\n"
        "  mcp-assay annotations --sandbox /tmp/box -- node server.js {sandbox}\n"
        "  mcp-assay annotations --sandbox /tmp/box --profile tools.yaml --json -- node server.js\n"
        "\n"
        "Exit status: 0 compared, 1 with --strict: an annotation is not true, 2 wrong command "
        "line, 3 the\n"
        "server could not be tested, or none of the tools that claim something, 130 interrupted.");
  }

  int run() override {
    if (sandbox_.empty()) throw UsageError("give --sandbox DIR: tools that write are called, too");
    if (server_.command.empty() && server_.url.empty() && server_.sse_url.empty() &&
        server_.socket.empty()) {
      throw UsageError("no server to test: give --url URL, --sse-url URL, or -- COMMAND");
    }
    const SandboxFolder sandbox(sandbox_);
    harness::ToolPolicy policy = harness::ToolPolicy::parse(tools_);
    for (const harness::Profile& each : read_profiles(profiles_, transport::Party::kServer).given) {
      policy.known.add(each);
    }
    std::signal(SIGPIPE, SIG_IGN);
    transport::adopt_orphans();
    const Interrupt interrupt;
    ServerOptions told = server_;
    if (!told.command.empty()) {
      told = told_of(std::move(told), kPlaceOfSandbox, kVariableOfSandbox, sandbox.path());
    }
    const std::shared_ptr<harness::Upstream> upstream = started_upstream();
    if (upstream) told = told_of(*upstream, std::move(told));
    ServerJob job = make_job_with_one_way(told);
    watch_upstream(job, upstream);
    harness::Patience patience;
    if (timeout_ > 0) {
      patience.request = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3));
    }
    const Start started = start_server(told, patience.start, interrupt.token());
    auto found = started.problem.empty()
                     ? harness::check_annotations(job.accesses.front(), sandbox.path(), policy,
                                                  patience, interrupt.token())
                     : transport::Failure{transport::Failure::Kind::kOther, started.problem};
    if (const auto* failure = std::get_if<transport::Failure>(&found)) {
      std::string why = failure->detail;
      job.vault->redact(why);
      fmt::print(stderr, "mcp-assay annotations: the server could not be tested: {}\n",
                 reports::printable_line(why));
      return interrupt.was_requested() ? kInterrupted : kNotTested;
    }
    return tell(std::get<harness::AnnotationCheck>(found), *job.vault);
  }

 private:
  // The API that we play, if it is asked for.
  std::shared_ptr<harness::Upstream> started_upstream() const {
    if (!server_.has_upstream) {
      if (server_.upstream_port > 0) throw UsageError("--upstream-port needs --upstream");
      return nullptr;
    }
    auto upstream = std::make_shared<harness::Upstream>();
    const auto trouble = upstream->start(static_cast<int>(server_.upstream_port));
    if (trouble) throw UsageError("--upstream: " + *trouble);
    return upstream;
  }

  int tell(const harness::AnnotationCheck& check, const reports::Vault& vault) const {
    NamedTools(1).note(check.unlisted, check.listed);
    const auto advised =
        std::count_if(check.tools.begin(), check.tools.end(),
                      [](const AnnotatedTool& tool) { return !tool.advice.empty(); });
    std::string text = is_json_ ? json_text(check) : plain_text(check, advised);
    vault.redact(text);
    fmt::print("{}", text);
    if (is_strict_ && advised > 0) return kViolations;
    return check.compared_nothing() ? kNotTested : kConformant;
  }

  static std::string json_text(const harness::AnnotationCheck& check) {
    Json tools = Json::array();
    for (const AnnotatedTool& tool : check.tools) tools.push_back(as_json(tool));
    const Json out = {
        {"server", check.server}, {"revision", check.revision}, {"tools", std::move(tools)}};
    return reports::safe_json(out.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
  }

  static std::string plain_text(const harness::AnnotationCheck& check, std::ptrdiff_t advised) {
    std::string out;
    for (const AnnotatedTool& tool : check.tools) {
      for (const AnnotationAdvice& each : tool.advice) out += advice_text(tool.name, each);
      if (!tool.makes_a_claim || tool.trouble.empty()) continue;
      out += fmt::format("?  {}  {}\n", reports::printable_line(tool.name),
                         reports::printable_line(tool.trouble));
    }
    return out + fmt::format(
                     "{} of {} tools compared in {}, {} with an annotation that is not "
                     "true{}\n",
                     check.compared(), check.tools.size(), check.revision, advised,
                     check.claims() == 0 ? ": no tool has an annotation that can be compared" : "");
  }

  ServerOptions server_;
  std::string sandbox_;
  std::string tools_ = "all";
  std::vector<std::string> profiles_;
  double timeout_ = 0;
  bool is_strict_ = false;
  bool is_json_ = false;
};

const CommandRegistration<AnnotationsCommand> kAnnotationsCommandRegistration;

}  // namespace
}  // namespace assay::cli
