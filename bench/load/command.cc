// mcp-assay bench: how fast a server answers, and how evenly.
#include "harness/frame/command.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/load/limit_options.h"
#include "bench/load/load.h"
#include "bench/load/progress_line.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/revision_option.h"
#include "harness/frame/target_words.h"
#include "harness/frame/trust_option.h"
#include "reference/transport/offspring.h"
#include "reports/escape.h"
#include "reports/load/load_json.h"
#include "reports/load/load_text.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

constexpr std::int64_t kMostConnections = 10'000;

std::chrono::nanoseconds to_duration(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

double parse_rate(const std::string& text) {
  if (text.empty()) return 0;
  char* end = nullptr;
  const double rate = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !(rate > 0) || rate > bench::kHighestRate) {
    throw UsageError(
        fmt::format("--rate takes requests per second, above 0 and at most {}, not '{}'",
                    bench::kHighestRate, reports::printable_line(text)));
  }
  return rate;
}

bench::Mix read_mix(const std::string& path, model::Revision revision) {
  if (path.empty()) return bench::default_mix(revision);
  const reports::FileText file = reports::read_file(path);
  if (!file.error.empty()) throw UsageError(file.error);
  auto mix = bench::parse_mix(file.text);
  if (const auto* error = std::get_if<std::string>(&mix)) {
    throw UsageError(fmt::format("'{}': {}", reports::printable_line(path), *error));
  }
  return std::get<bench::Mix>(std::move(mix));
}

// "json=PATH": the path.
std::string parse_report(const std::string& text) {
  if (text.empty()) return "";
  if (!text.starts_with("json=") || text.size() == 5) {
    throw UsageError(
        fmt::format("--report takes json=PATH, not '{}'", reports::printable_line(text)));
  }
  const std::string path = text.substr(5);
  if (const auto trouble = reports::check_writable(path)) throw UsageError(*trouble);
  return path;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

class BenchCommand : public Command {
 public:
  std::string_view name() const override { return "bench"; }
  std::string_view summary() const override { return "Measure a server under load"; }

  void declare(Arguments& arguments) override {
    arguments.group("What to measure");
    arguments.command_line(command_, "The command that starts your server, over stdio");
    arguments.text("--url", url_, "URL",
                   "The MCP endpoint of a Streamable HTTP server (http only)");
    trust_.declare(arguments);
    arguments.texts("--header", headers_, "'NAME: VALUE'", "Send this HTTP header (repeatable)");
    arguments.texts("--env", environment_, "NAME=VALUE",
                    "Set this environment variable for COMMAND (repeatable)");
    arguments.text("--revision", revision_, "REVISION",
                   "Speak this revision (default: 2025-11-25)");
    arguments.flag("--plain", is_plain_,
                   "The target does not speak MCP: send no handshake, and count any line, or any "
                   "HTTP answer of status 2xx, as a good answer");
    arguments.group("Load");
    arguments.number("--connections", connections_, 1, kMostConnections, "N",
                     "Connections at once; over stdio each has its own process (default: 1)");
    arguments.number("--sessions", sessions_, 1, 1'000'000, "N",
                     "Open sessions over HTTP, which take turns on the connections (default: one "
                     "for each connection)");
    arguments.number("--pipeline", pipeline_, 1, 65'536, "N",
                     "Requests at once on a stdio connection (default: 1)");
    arguments.text("--rate", rate_, "R",
                   "Send R requests per second, whatever the server does; latency counts from when "
                   "a request was due (default: send the next request after each answer)");
    arguments.text("--mix", mix_, "FILE",
                   "Send the requests of this YAML file (default: ping or, in a revision without "
                   "it, server/discover)");
    arguments.seconds("--time", time_, "Measure for this time (default: 10)");
    arguments.seconds("--warm-up", warm_up_, "Send for this time before measuring (default: 1)");
    arguments.seconds("--timeout", timeout_, "Longest wait for an answer (default: 10)");
    find_limit_.declare(arguments);
    arguments.group("Output");
    arguments.text("--report", report_, "json=PATH",
                   "Write the result, for 'compare'; '-' is standard output");
    arguments.flag("--quiet", quiet_, "Show no progress");
    arguments.footer(
        "A mix is a list of requests. Each may have a weight:\n"
        "  requests:\n"
        "    - method: ping\n"
        "      weight: 3\n"
        "    - method: tools/call\n"
        "      params: {name: search, arguments: {query: load}}\n"
        "Tools in a mix are called thousands of times: choose harmless ones.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay bench -- node server.js\n"
        "  mcp-assay bench --pipeline 64 --time 5 --mix mix.yaml -- node server.js\n"
        "  mcp-assay bench --connections 16 --url http://127.0.0.1:3001/mcp\n"
        "  mcp-assay bench --connections 16 --rate 2000 --url http://127.0.0.1:3001/mcp\n"
        "  mcp-assay bench --find-limit --limit 20 --plot knee.svg -- node server.js\n"
        "  mcp-assay bench --report json=new.json -- node server.js\n"
        "  mcp-assay compare old.json new.json\n"
        "\n"
        "Exit status: 0 every request got a good answer (with --find-limit: a rate was held), 1 "
        "some did\n"
        "not (no rate was), 2 wrong command line, 3 the target could not be measured, 130 "
        "interrupted\n"
        "(what was measured is printed).");
  }

  int run() override {
    trust_.apply();
    const bench::LoadOptions options = read_options();
    const std::string report = parse_report(report_);
    find_limit_.check(options, report);
    std::signal(SIGPIPE, SIG_IGN);
    transport::adopt_orphans();
    if (find_limit_.is_wanted()) {
      return find_limit_.run(options, {.report = report, .started = now_text(), .quiet = quiet_});
    }
    return measure(options, report);
  }

 private:
  int measure(const bench::LoadOptions& options, const std::string& report) const {
    const Interrupt interrupt;
    std::variant<reports::LoadResult, transport::Failure> outcome;
    const std::string started = now_text();
    {
      bench::ProgressLine line(quiet_, options.time);
      outcome =
          bench::run_load(options, interrupt.token(),
                          [&line](const bench::LoadProgress& progress) { line.show(progress); });
    }
    if (const auto* failure = std::get_if<transport::Failure>(&outcome)) {
      fmt::print(stderr, "mcp-assay bench: {}\n", reports::printable_line(failure->detail));
      return interrupt.was_requested() ? kInterrupted : kNotTested;
    }
    auto& result = std::get<reports::LoadResult>(outcome);
    result.started = started;
    if (report != "-") fmt::print("{}", reports::load_text(result));
    if (!report.empty()) {
      if (const auto trouble = reports::write_file(report, reports::load_json(result))) {
        fmt::print(stderr, "mcp-assay bench: {}\n", *trouble);
        return kUsage;
      }
    }
    if (result.was_interrupted) return kInterrupted;
    return result.error_count() == 0 ? kConformant : kViolations;
  }

  bench::LoadOptions read_options() const {
    if (url_.empty() == command_.empty()) {
      throw UsageError(url_.empty() ? "name a target: --url URL, or -- COMMAND"
                                    : "name one target: --url URL, or -- COMMAND");
    }
    bench::LoadOptions options;
    options.command = command_;
    options.environment = parse_environment(environment_);
    options.headers = parse_headers(headers_);
    options.revision = revision_.empty() ? model::Revision::newest_handshake()
                                         : cli::parse_revision_option(revision_);
    options.mix = read_mix(mix_, options.revision);
    const bench::LoadDefaults defaults = find_limit_.defaults(!url_.empty());
    options.connections =
        connections_ > 0 ? static_cast<std::size_t>(connections_) : defaults.connections;
    options.sessions = static_cast<std::size_t>(sessions_);
    options.pipeline = pipeline_ > 0 ? static_cast<std::size_t>(pipeline_) : defaults.pipeline;
    options.rate = parse_rate(rate_);
    options.is_plain = is_plain_;
    options.warm_up = to_duration(warm_up_ > 0 ? warm_up_ : defaults.warm_up);
    options.time = to_duration(time_ > 0 ? time_ : defaults.time);
    options.timeout = to_duration(timeout_);
    if (url_.empty()) {
      if (sessions_ > 0)
        throw UsageError("--sessions is for --url: over stdio a connection is one");
      if (!headers_.empty()) throw UsageError("--header is for --url");
      return options;
    }
    if (pipeline_ > 1) throw UsageError("--pipeline is for stdio: over HTTP use --connections");
    if (!environment_.empty()) throw UsageError("--env is for a command");
    auto url = transport::HttpUrl::parse(url_);
    if (const auto* failure = std::get_if<transport::Failure>(&url)) {
      throw UsageError(fmt::format("--url: {}", failure->detail));
    }
    options.url = std::get<transport::HttpUrl>(std::move(url));
    if (options.url->is_tls) {
      throw UsageError("--url: bench speaks plain HTTP; measure the server without its TLS");
    }
    return options;
  }

  TrustOption trust_;
  std::string url_;
  // 0: not given.
  std::int64_t connections_ = 0;
  std::int64_t sessions_ = 0;
  std::int64_t pipeline_ = 0;
  std::string rate_;
  double time_ = 0;
  double warm_up_ = 0;
  double timeout_ = 10;
  bench::FindLimitOptions find_limit_;
  std::string mix_;
  std::string revision_;
  std::vector<std::string> headers_;
  std::vector<std::string> environment_;
  bool is_plain_ = false;
  std::string report_;
  bool quiet_ = false;
  std::vector<std::string> command_;
};

const CommandRegistration<BenchCommand> kBenchCommandRegistration;

}  // namespace
}  // namespace assay::cli
