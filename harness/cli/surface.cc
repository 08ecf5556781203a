// mcp-assay surface: what a server offers, as a lock file, and whether a new version keeps it.
#include "harness/surface/surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"
#include "harness/parties/start_option.h"
#include "harness/project/server_jobs.h"
#include "harness/project/server_options.h"
#include "reference/transport/offspring.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

using harness::SurfaceChange;
using Kind = SurfaceChange::Kind;

constexpr std::size_t kLongestExample = 300;  // bytes of a value that is shown

Json read_surface_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) {
    throw UsageError(
        fmt::format("there is no lock file '{}': write it with the same command, without --check",
                    reports::printable_line(path)));
  }
  const reports::FileText file = reports::read_file(path);
  if (!file.error.empty()) throw UsageError(file.error);
  const std::string shown = reports::printable_line(path);
  const Json document = Json::parse(file.text, nullptr, false);
  if (document.is_discarded()) throw UsageError(fmt::format("'{}' is no JSON", shown));
  if (const auto trouble = harness::surface_trouble(document)) {
    throw UsageError(fmt::format("'{}' {}", shown, *trouble));
  }
  return document;
}

std::string_view word(Kind kind) {
  switch (kind) {
    case Kind::kBreaking:
      return "breaking";
    case Kind::kHarmless:
      return "harmless";
    case Kind::kUnclear:
      return "unclear";
  }
  return "";
}

std::size_t count(const std::vector<SurfaceChange>& changes, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(changes.begin(), changes.end(),
                    [kind](const SurfaceChange& change) { return change.kind == kind; }));
}

std::string as_text(const std::vector<SurfaceChange>& changes) {
  std::string out;
  for (const SurfaceChange& change : changes) {
    out += fmt::format("{}  {}: {}\n", word(change.kind), reports::printable_line(change.where),
                       reports::printable_line(change.what));
    if (change.kind == Kind::kBreaking && !change.example.is_null()) {
      out += fmt::format(
          "          for example {}\n",
          reports::printable_line(reports::cut(change.example.dump(), kLongestExample)));
    }
  }
  return out + fmt::format("{} breaking, {} unclear, {} harmless\n",
                           count(changes, Kind::kBreaking), count(changes, Kind::kUnclear),
                           count(changes, Kind::kHarmless));
}

std::string as_json(const std::vector<SurfaceChange>& changes) {
  Json all = Json::array();
  for (const SurfaceChange& change : changes) {
    Json one = {{"kind", word(change.kind)}, {"where", change.where}, {"what", change.what}};
    if (!change.example.is_null()) one["example"] = change.example;
    all.push_back(std::move(one));
  }
  return reports::safe_json(all.dump(2)) + "\n";
}

class SurfaceCommand : public Command {
 public:
  std::string_view name() const override { return "surface"; }
  std::string_view summary() const override {
    return "Write what a server offers to a lock file, or fail on a breaking change";
  }

  void declare(Arguments& arguments) override {
    arguments.group("What to read");
    declare_server(arguments, server_, "read");
    declare_credentials(arguments, server_);
    arguments.group("What to do");
    arguments.text("--file", file_, "FILE",
                   "The lock file (default: mcp-surface.json); '-' writes to standard output");
    arguments.flag("--check", is_check_,
                   "Compare the server with the lock file, and write nothing");
    arguments.flag("--strict", is_strict_, "With --check: an unclear change fails, too");
    arguments.flag("--json", is_json_, "With --check: print the changes as JSON");
    arguments.seconds("--timeout", timeout_,
                      "Longest wait for an answer (default: 5, and 30 for a server to start)");
    arguments.footer(
        "The lock file holds tools with their schemas and annotations, prompts, resources, "
        "capabilities, and\n"
        "the revisions that the server speaks. It is sorted, and changes only when the offer does: "
        "commit it.\n"
        "\n"
        "A change is breaking if a client that worked before may fail: something is gone, an "
        "argument\n"
        "is newly required, arguments are refused that were accepted, or a structured result may "
        "be\n"
        "what it never was. Schemas are compared by trying values on both, so writing a schema in\n"
        "another way is no change.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay surface -- node server.js\n"
        "  mcp-assay surface --check -- node server.js\n"
        "  mcp-assay surface --check --file old.json --url http://127.0.0.1:3001/mcp\n"
        "\n"
        "Exit status: 0 written, or no breaking change, 1 a breaking change, 2 wrong command line, "
        "3 the\n"
        "server could not be read, 130 interrupted.");
  }

  int run() override {
    if (!is_check_ && (is_strict_ || is_json_)) {
      throw UsageError("--strict and --json go with --check");
    }
    if (is_check_ && file_ == "-") throw UsageError("--check needs a lock file, not '-'");
    if (server_.command.empty() && server_.url.empty() && server_.sse_url.empty() &&
        server_.socket.empty()) {
      throw UsageError("no server to read: give --url URL, --sse-url URL, or -- COMMAND");
    }
    const Json before = is_check_ ? read_surface_file(file_) : Json();
    if (!is_check_ && file_ != "-") {
      if (const auto trouble = reports::check_writable(file_)) throw UsageError(*trouble);
    }
    const ServerJob job = make_job_with_one_way(server_);
    std::signal(SIGPIPE, SIG_IGN);
    transport::adopt_orphans();
    const Interrupt interrupt;
    harness::Patience patience;
    if (timeout_ > 0) {
      patience.request = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3));
      patience.start = patience.request;
    }
    const Start started = start_server(server_, patience.start, interrupt.token());
    std::variant<Json, transport::Failure> read =
        transport::Failure{transport::Failure::Kind::kOther, started.problem};
    if (started.problem.empty()) {
      read = harness::read_surface(job.accesses.front(), patience, interrupt.token());
    }
    if (const auto* failure = std::get_if<transport::Failure>(&read)) {
      std::string why = failure->detail;
      job.vault->redact(why);
      fmt::print(stderr, "mcp-assay surface: the server could not be read: {}\n",
                 reports::printable_line(why));
      return interrupt.was_requested() ? kInterrupted : kNotTested;
    }
    return is_check_ ? check(before, masked(*job.vault, std::get<Json>(read)))
                     : write(masked(*job.vault, std::get<Json>(read)));
  }

 private:
  // A server may repeat what it was given in confidence, in a description say.
  static Json masked(const reports::Vault& vault, const Json& surface) {
    std::string text = surface.dump();
    vault.redact(text);
    Json masked = Json::parse(text, nullptr, false);
    if (masked.is_discarded()) throw UsageError("what the server offers holds a secret value");
    return masked;
  }

  int write(const Json& surface) const {
    const std::string text = reports::safe_json(surface.dump(2)) + "\n";
    if (const auto trouble = reports::write_file(file_, text)) throw UsageError(*trouble);
    if (file_ != "-") {
      fmt::print("wrote {}: {} tools, {} prompts, {} resources, {} resource templates\n",
                 reports::printable_line(file_), surface["tools"].size(), surface["prompts"].size(),
                 surface["resources"].size(), surface["resourceTemplates"].size());
    }
    return kConformant;
  }

  int check(const Json& before, const Json& after) const {
    const std::vector<SurfaceChange> changes = harness::compare_surfaces(before, after);
    fmt::print("{}", is_json_ ? as_json(changes) : as_text(changes));
    const bool fails =
        count(changes, Kind::kBreaking) > 0 || (is_strict_ && count(changes, Kind::kUnclear) > 0);
    return fails ? kViolations : kConformant;
  }

  ServerOptions server_;
  std::string file_ = "mcp-surface.json";
  bool is_check_ = false;
  bool is_strict_ = false;
  bool is_json_ = false;
  double timeout_ = 0;
};

const CommandRegistration<SurfaceCommand> kSurfaceCommandRegistration;

}  // namespace
}  // namespace assay::cli
