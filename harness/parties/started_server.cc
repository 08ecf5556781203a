#include "harness/parties/started_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <variant>

#include "harness/frame/command.h"
#include "harness/frame/target_words.h"
#include "reference/transport/http_client.h"
#include "reference/transport/signals.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Between two tries; the command's exit ends the pause.
constexpr milliseconds kPause{50};
// A server that has accepted a connection may still be busy with its start.
constexpr milliseconds kLongestTry{2000};
constexpr std::size_t kMostLastWords = 400;

// Waits for the head of one answer.
class FirstAnswer : public transport::Observer {
 public:
  void observe(const transport::Observation& observation) override {
    const bool is_head = observation.kind == transport::Observation::Kind::kHttpResponse;
    const bool is_end = observation.kind == transport::Observation::Kind::kBroken ||
                        observation.kind == transport::Observation::Kind::kClosed;
    if (!is_head && !is_end) return;
    const std::lock_guard lock(mutex_);
    if (is_head && observation.http) status_ = observation.http->status;
    is_over_ = true;
    changed_.notify_all();
  }

  // Zero if there was none.
  int wait(Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline, [this] { return is_over_; });
    return status_;
  }

 private:
  std::mutex mutex_;  // guards the two below
  int status_ = 0;
  bool is_over_ = false;
  std::condition_variable changed_;
};

// A way to a server that is not there.
class NoWay : public transport::ClientTransport {
 public:
  explicit NoWay(std::string why) : why_(std::move(why)) {}
  std::optional<transport::Failure> open() override {
    return transport::Failure{transport::Failure::Kind::kOther, why_};
  }
  transport::Lane send(std::string_view /*message*/) override { return {}; }
  transport::Lane send_raw(std::string_view /*bytes*/) override { return {}; }
  void close(transport::Deadline /*deadline*/) override {}

 private:
  std::string why_;
};

// True if the server itself answers: a gateway in front of it may say that there is none yet.
bool answers(const transport::HttpUrl& url, Clock::time_point deadline) {
  FirstAnswer answer;
  transport::HttpClientOptions options;
  options.connection.timeout = kLongestTry;
  transport::HttpClient client(url, options, answer);
  if (client.open()) return false;
  transport::HttpRequest request;
  request.method = "OPTIONS";  // harmless, and anything that speaks HTTP has an answer to it
  client.start(std::move(request));
  const int status = answer.wait(std::min(deadline, Clock::now() + kLongestTry));
  client.close(Clock::now());
  return status != 0 && (status < 502 || status > 504);
}

}  // namespace

StartedServer::StartedServer(std::vector<std::string> command,
                             std::vector<std::pair<std::string, std::string>> environment)
    : child_(transport::deaf_command(std::move(command), std::move(environment)), nobody_) {}

StartedServer::~StartedServer() {
  child_.close(Clock::now() + std::chrono::seconds(2));
}

bool StartedServer::is_answered(const transport::HttpUrl& url) {
  return answers(url, Clock::now() + kLongestTry);
}

std::optional<std::string> StartedServer::start(const transport::HttpUrl& url, milliseconds limit,
                                                const std::stop_token& stop) {
  if (const auto failure = child_.open()) return reports::printable_line(failure->detail);
  const Clock::time_point deadline = Clock::now() + limit;
  while (!answers(url, deadline)) {
    if (stop.stop_requested()) return "interrupted while the server started";
    const auto exit = child_.wait_for_exit(std::min(deadline, Clock::now() + kPause));
    if (exit) return exit_before(*exit, fmt::format("before it answered at {}", url.text()));
    if (Clock::now() >= deadline) {
      return ending(fmt::format("nothing answered at {} within {} s (--timeout)", url.text(),
                                static_cast<double>(limit.count()) / 1000));
    }
  }
  return std::nullopt;
}

std::string StartedServer::end() {
  // It may be noticed a little after what it caused.
  const auto exit = child_.wait_for_exit(Clock::now() + kPause);
  return exit ? exit_before(*exit, "during the run") : "";
}

std::string StartedServer::exit_before(const transport::ProcessExit& exit,
                                       const std::string& when) const {
  return ending(exit.signal ? fmt::format("the command of --start was ended by {} {}",
                                          transport::signal_words(*exit.signal), when)
                            : fmt::format("the command of --start ended with exit status {} {}",
                                          exit.code, when));
}

std::string StartedServer::ending(const std::string& what) const {
  std::string words = child_.stderr_tail();
  while (!words.empty() && (words.back() == '\n' || words.back() == '\r')) words.pop_back();
  if (words.empty()) return what;
  const std::size_t begin = words.size() > kMostLastWords ? words.size() - kMostLastWords : 0;
  return fmt::format("{}; its last words: {}", what,
                     reports::printable_line(std::string_view(words).substr(begin)));
}

Start start_server(const ServerOptions& options, milliseconds limit, const std::stop_token& stop) {
  if (!options.is_started) return {};
  const auto url = transport::HttpUrl::parse(options.url.empty() ? options.sse_url : options.url);
  const auto& endpoint = std::get<transport::HttpUrl>(url);
  if (StartedServer::is_answered(endpoint)) {
    throw UsageError(
        fmt::format("something answers at {} already, so --start starts nothing", endpoint.text()));
  }
  Start out;
  out.server =
      std::make_unique<StartedServer>(options.command, parse_environment(options.environment));
  out.problem = out.server->start(endpoint, limit, stop).value_or("");
  return out;
}

void close_ways(std::vector<harness::TargetAccess>& accesses, const std::string& problem) {
  for (harness::TargetAccess& access : accesses) {
    access.connect = [problem](transport::Observer&) {
      harness::Link link;
      link.transport = std::make_unique<NoWay>(problem);
      return link;
    };
  }
}

void mark_ended(reports::Result& result, const std::string& end) {
  using reports::RunStatus;
  for (reports::Run& run : result.runs) {
    if (run.status == RunStatus::kUnsupported) continue;  // it was there to say so
    const bool has_reason = run.status == RunStatus::kFailed && !run.reason.empty();
    run.reason = has_reason ? run.reason + "; " + end : end;
    run.status = RunStatus::kFailed;
    run.verdicts.clear();
    run.candidates.clear();
  }
}

}  // namespace assay::cli
