#include "harness/script/started_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "harness/transcript/transcript.h"
#include "reference/transport/http_client.h"
#include "reference/transport/signals.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

// Between two tries; the command's exit ends the pause.
constexpr milliseconds kBetweenTries{50};
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

transport::StdioOptions command_in(const std::string& directory, std::vector<std::string> command,
                                   std::vector<std::pair<std::string, std::string>> environment) {
  transport::StdioOptions options =
      transport::deaf_command(std::move(command), std::move(environment));
  options.spawn.directory = directory;
  return options;
}

}  // namespace

StartedServer::StartedServer(std::vector<std::string> command,
                             std::vector<std::pair<std::string, std::string>> environment,
                             const std::string& directory, std::string called)
    : called_(std::move(called)),
      child_(command_in(directory, std::move(command), std::move(environment)), nobody_) {}

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
    const auto exit = child_.wait_for_exit(std::min(deadline, Clock::now() + kBetweenTries));
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
  const auto exit = child_.wait_for_exit(Clock::now() + kBetweenTries);
  return exit ? exit_before(*exit, "during the run") : "";
}

std::string StartedServer::exit_before(const transport::ProcessExit& exit,
                                       const std::string& when) const {
  return ending(exit.signal
                    ? fmt::format("{} was ended by {} {}", called_,
                                  transport::signal_words(*exit.signal), when)
                    : fmt::format("{} ended with exit status {} {}", called_, exit.code, when));
}

std::string StartedServer::ending(const std::string& what) const {
  std::string words = child_.stderr_tail();
  while (!words.empty() && (words.back() == '\n' || words.back() == '\r')) words.pop_back();
  if (words.empty()) return what;
  const std::size_t begin = words.size() > kMostLastWords ? words.size() - kMostLastWords : 0;
  return fmt::format("{}; its last words: {}", what,
                     reports::printable_line(std::string_view(words).substr(begin)));
}

}  // namespace assay::harness
