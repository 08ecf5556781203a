#include "reference/transport/http_fetch.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "reference/transport/signals.h"

namespace assay::transport {
namespace {

constexpr std::size_t kMostHeadBytes = 64u << 10;

// Breaks a connection off when its time is over.
class Alarm {
 public:
  Alarm(HttpConnection& connection, std::chrono::milliseconds timeout)
      : thread_([this, &connection, timeout](const std::stop_token& stop) {
          take_no_signals();
          std::unique_lock lock(mutex_);
          changed_.wait_for(lock, stop, timeout, [] { return false; });
          if (!stop.stop_requested()) connection.interrupt();
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // the last: it uses the two above
};

Observation observation_of(Observation::Kind kind, Party speaker, std::uint64_t lane,
                           std::string bytes = "") {
  Observation out;
  out.kind = kind;
  out.speaker = speaker;
  out.lane = {Lane::Kind::kHttp, lane};
  out.bytes = std::move(bytes);
  return out;
}

}  // namespace

std::variant<Fetched, Failure> fetch(std::string_view url, HttpMessage message,
                                     std::chrono::milliseconds timeout, Reach reach) {
  auto parsed = HttpUrl::parse(url);
  if (auto* failure = std::get_if<Failure>(&parsed)) return std::move(*failure);
  const auto& place = std::get<HttpUrl>(parsed);
  message.target = place.target;
  if (!find_header(message.headers, "Host")) {
    message.headers.emplace_back("Host", place.authority());
  }
  if (!find_header(message.headers, "Accept")) {
    message.headers.emplace_back("Accept", "application/json");
  }
  message.headers.emplace_back("Connection", "close");
  complete_headers(message);
  ConnectOptions options;
  options.reach = reach;
  HttpConnection connection(place, options, kMostHeadBytes);
  const Alarm alarm(connection, timeout);
  Fetched out;
  bool is_too_long = false;
  const HttpConnection::Handlers handlers{[&](const HttpHead& head) {
                                            out.status = head.status;
                                            out.headers = head.headers;
                                            return true;
                                          },
                                          [&](std::string_view piece) {
                                            is_too_long =
                                                out.body.size() + piece.size() > kMostFetchedBytes;
                                            if (!is_too_long) out.body += piece;
                                            return !is_too_long;
                                          }};
  auto failure = connection.perform(message, handlers);
  if (is_too_long) return Failure{Failure::Kind::kTooLarge, "the answer is too long"};
  if (failure) return *std::move(failure);
  return out;
}

std::variant<Fetched, Failure> fetch_watched(std::string_view url, HttpMessage message,
                                             std::chrono::milliseconds timeout, Observer& observer,
                                             std::uint64_t lane) {
  using Kind = Observation::Kind;
  auto parsed = HttpUrl::parse(url);
  if (auto* failure = std::get_if<Failure>(&parsed)) return std::move(*failure);
  const auto& place = std::get<HttpUrl>(parsed);
  const std::string method = message.method;
  Observation request = observation_of(Kind::kHttpRequest, Party::kClient, lane, message.body);
  request.http = HttpHead{method, place.target, 0, message.headers};
  request.http->headers.emplace_back("Host", place.authority());
  observer.observe(request);
  auto came = fetch(url, std::move(message), timeout);
  if (const auto* failure = std::get_if<Failure>(&came)) {
    observer.observe(observation_of(Kind::kBroken, Party::kServer, lane, failure->detail));
    return came;
  }
  const auto& fetched = std::get<Fetched>(came);
  Observation answer = observation_of(Kind::kHttpResponse, Party::kServer, lane);
  answer.http = HttpHead{method, "", fetched.status, fetched.headers};
  observer.observe(answer);
  answer.kind = Kind::kHttpBody;
  answer.bytes = fetched.body;
  observer.observe(answer);
  observer.observe(observation_of(Kind::kClosed, Party::kServer, lane, "answered"));
  return came;
}

}  // namespace assay::transport
