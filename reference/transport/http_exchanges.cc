#include "reference/transport/http_exchanges.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reference/transport/signals.h"
#include "reference/transport/workers.h"

namespace assay::transport {
namespace {

using Clock = Deadline::clock;

// How often the deadlines of running exchanges are looked at.
constexpr std::chrono::milliseconds kWatchInterval{25};

// A body or an event that grows is held twice for a moment, and handed on as a copy.
constexpr std::size_t kBodyCopies = 2;

// Packed in a way that we would have to unpack, and what comes in it may be a message.
bool is_packed(const HttpHead& head) {
  const auto coding = find_header(head.headers, "Content-Encoding");
  if (!coding || coding->empty() || lower_case(*coding) == "identity") return false;
  const std::string type = media_type(head.headers);
  return type == "application/json" || type == "text/event-stream";
}

// Leaves what is shown of an event that is too large.
void shorten(wire::SseEvent& event) {
  for (std::string* const part : {&event.data, &event.raw}) {
    if (part->size() <= kShownOfTooLarge) continue;
    part->resize(kShownOfTooLarge);
    part->shrink_to_fit();
  }
}

struct Exchange {
  Lane lane;
  HttpMessage message;
  HttpExchanges::Hooks hooks;
  // Guarded by the pool's mutex.
  HttpConnection* connection = nullptr;  // while it runs
  std::optional<Deadline> deadline;
  bool has_head = false;
  std::string given_up;  // why we break it off
};

using ExchangePtr = std::shared_ptr<Exchange>;

}  // namespace

class HttpExchanges::Impl {
 public:
  Impl(HttpUrl url, ConnectOptions options, HttpLimits limits, Observer& observer)
      : url_(std::move(url)),
        options_(options),
        limits_(limits),
        observer_(observer),
        workers_(std::make_unique<Workers>(limits.max_concurrent, limits.max_waiting)) {}
  ~Impl() { close(); }

  Lane start(HttpMessage message, Hooks hooks);
  void abandon(Lane lane, std::string_view why);
  void close();

 private:
  struct Answer;

  bool enqueue(const ExchangePtr& exchange);
  void watch();
  void check(Exchange& exchange);
  void run(Exchange& exchange);
  void give_up(Exchange& exchange, std::string_view why);
  void cut_off(const Exchange& exchange, std::string_view why);
  void stop_all();
  void tell(const Observation& observation);
  void observe(const Exchange& exchange, Observation::Kind kind, Party speaker,
               std::string_view bytes, std::optional<HttpHead> head = std::nullopt);

  const HttpUrl url_;
  const ConnectOptions options_;
  const HttpLimits limits_;
  Observer& observer_;

  std::atomic<bool> is_cut_off_{false};  // nothing is observed any more

  std::shared_mutex start_mutex_;  // shared by whoever starts, so that close() can wait for them

  std::mutex mutex_;  // guards everything below and the marked fields of exchanges
  std::condition_variable has_live_;
  std::uint64_t last_number_ = 0;
  std::map<Lane, ExchangePtr> live_;                    // waiting and running
  std::vector<std::unique_ptr<HttpConnection>> spare_;  // open, and used by no exchange
  std::thread watcher_;
  bool is_closing_ = false;
  std::unique_ptr<Workers> workers_;
};

// The answer to one exchange, as it arrives.
struct HttpExchanges::Impl::Answer {
  Impl& pool;
  Exchange& exchange;
  std::optional<HttpHead> head;
  std::optional<wire::SseParser> events;
  wire::Share share;  // for the body, or the event that is not complete
  std::string body;
  std::size_t total = 0;       // bytes of body seen
  std::string too_large = {};  // why nothing more of it is read

  bool take_head(const HttpHead& received);
  bool take_body(std::string_view bytes);
  bool refuse(std::string why);
  void refuse_event();
  void end(const std::optional<Failure>& failure);
};

bool HttpExchanges::Impl::Answer::take_head(const HttpHead& received) {
  head = received;
  if (exchange.message.method != "POST") head->method = exchange.message.method;
  const bool is_stream = media_type(received.headers) == "text/event-stream";
  {
    const std::lock_guard lock(pool.mutex_);
    exchange.has_head = true;
    exchange.deadline.reset();
    if (!is_stream) exchange.deadline = Clock::now() + pool.limits_.answer_timeout;
  }
  if (exchange.hooks.on_head) exchange.hooks.on_head(received);
  pool.observe(exchange, Observation::Kind::kHttpResponse, Party::kServer, {}, received);
  if (received.status < 300 && is_packed(received)) {
    return refuse(
        fmt::format("the answer is compressed ({}), though the request accepts none that is",
                    *find_header(received.headers, "Content-Encoding")));
  }
  if (!is_stream) return true;
  events.emplace(
      [this](wire::SseEvent event) {
        if (exchange.hooks.on_event) exchange.hooks.on_event(event);
        Observation observation;
        observation.kind = Observation::Kind::kSseEvent;
        observation.lane = exchange.lane;
        const bool is_whole = !event.is_truncated;
        if (!is_whole) shorten(event);
        observation.event = std::move(event);
        pool.tell(observation);
        if (!is_whole) refuse_event();
      },
      pool.limits_.max_event_bytes);
  return true;
}

bool HttpExchanges::Impl::Answer::take_body(std::string_view bytes) {
  total += bytes.size();
  const std::size_t limit = events ? pool.limits_.max_stream_bytes : pool.limits_.max_body_bytes;
  if (total > limit) return refuse(fmt::format("the answer is longer than {} bytes", limit));
  const std::size_t held = bytes.size() + (events ? events->pending() : body.size());
  if (!share.resize(kBodyCopies * held)) {
    return refuse("the answer is longer than there is memory left for");
  }
  if (events) {
    events->feed(bytes);
    if (events->is_cutting()) refuse_event();
  } else {
    body.append(bytes);
  }
  return too_large.empty() && !pool.is_cut_off_;
}

// Gives the exchange up; end() says so.
bool HttpExchanges::Impl::Answer::refuse(std::string why) {
  if (too_large.empty()) too_large = std::move(why);
  return false;
}

void HttpExchanges::Impl::Answer::refuse_event() {
  refuse(fmt::format("an event of a stream is longer than {} bytes", pool.limits_.max_event_bytes));
}

void HttpExchanges::Impl::Answer::end(const std::optional<Failure>& failure) {
  const bool has_partial_event = events && events->finish();
  if (failure && failure->kind == Failure::Kind::kTooLarge) refuse(failure->detail);
  std::string given_up;
  {
    const std::lock_guard lock(pool.mutex_);
    given_up = exchange.given_up;
  }
  if (head && !events && (!failure || !body.empty())) {
    Observation observation;
    observation.kind = Observation::Kind::kHttpBody;
    observation.lane = exchange.lane;
    observation.http = head;
    observation.bytes = std::move(body);
    observation.is_truncated = failure.has_value();
    if (!too_large.empty())
      observation.bytes.resize(std::min(observation.bytes.size(), kShownOfTooLarge));
    pool.tell(observation);
  }
  if (!too_large.empty()) return pool.cut_off(exchange, too_large);
  if (!failure) {
    const std::string_view how = has_partial_event ? "the stream ended in the middle of an event"
                                 : events          ? "the stream ended"
                                                   : "answered";
    pool.observe(exchange, Observation::Kind::kClosed, Party::kServer, how);
  } else if (!given_up.empty()) {
    pool.observe(exchange, Observation::Kind::kBroken, Party::kClient, given_up);
  } else {
    pool.observe(exchange, Observation::Kind::kBroken, Party::kServer, failure->detail);
  }
}

Lane HttpExchanges::Impl::start(HttpMessage message, Hooks hooks) {
  const std::shared_lock starting(start_mutex_);
  auto exchange = std::make_shared<Exchange>();
  complete_headers(message);
  exchange->message = std::move(message);
  exchange->hooks = std::move(hooks);
  {
    const std::lock_guard lock(mutex_);
    exchange->lane = {Lane::Kind::kHttp, ++last_number_};
    if (is_closing_ || is_cut_off_) return exchange->lane;
  }
  HttpHead head;
  head.method = exchange->message.method;
  head.target = exchange->message.target;
  head.headers = exchange->message.headers;
  observe(*exchange, Observation::Kind::kHttpRequest, Party::kClient, exchange->message.body,
          std::move(head));
  const Lane lane = exchange->lane;
  if (!write_head(exchange->message)) {
    observe(*exchange, Observation::Kind::kBroken, Party::kClient,
            "not sent: its method, its target or a header cannot be written in HTTP");
  } else if (!enqueue(exchange)) {
    observe(*exchange, Observation::Kind::kBroken, Party::kClient,
            fmt::format("not sent: {} exchanges are waiting already", limits_.max_waiting));
  }
  return lane;
}

bool HttpExchanges::Impl::enqueue(const ExchangePtr& exchange) {
  const std::lock_guard lock(mutex_);
  if (!workers_->run([this, exchange] { run(*exchange); })) return false;
  live_.emplace(exchange->lane, exchange);
  if (!watcher_.joinable()) watcher_ = std::thread([this] { watch(); });
  has_live_.notify_one();
  return true;
}

void HttpExchanges::Impl::run(Exchange& exchange) {
  std::unique_ptr<HttpConnection> connection;
  Answer answer{*this, exchange, std::nullopt, std::nullopt, wire::Share(limits_.budget), {}, 0};
  {
    const std::lock_guard lock(mutex_);
    if (is_closing_ && exchange.given_up.empty())
      exchange.given_up = "the client closed the connection";
    if (spare_.empty()) {
      connection = std::make_unique<HttpConnection>(url_, options_, limits_.max_head_bytes);
    } else {
      connection = std::move(spare_.back());
      spare_.pop_back();
    }
    exchange.connection = connection.get();
    exchange.deadline = Clock::now() + limits_.answer_timeout;
    if (!exchange.given_up.empty()) connection->interrupt();
  }
  const auto failure = connection->perform(
      exchange.message, {[&](const HttpHead& head) { return answer.take_head(head); },
                         [&](std::string_view bytes) { return answer.take_body(bytes); }});
  {
    const std::lock_guard lock(mutex_);
    exchange.connection = nullptr;
    live_.erase(exchange.lane);
    if (!failure && exchange.given_up.empty()) spare_.push_back(std::move(connection));
  }
  answer.end(failure);
}

void HttpExchanges::Impl::watch() {
  take_no_signals();
  std::unique_lock lock(mutex_);
  while (!is_closing_) {
    if (live_.empty()) {
      has_live_.wait(lock, [this] { return is_closing_ || !live_.empty(); });
    } else {
      has_live_.wait_for(lock, kWatchInterval, [this] { return is_closing_; });
    }
    for (const auto& [lane, exchange] : live_) check(*exchange);
  }
}

// The caller holds mutex_.
void HttpExchanges::Impl::check(Exchange& exchange) {
  if (exchange.connection == nullptr || !exchange.given_up.empty()) return;
  if (exchange.deadline && Clock::now() >= *exchange.deadline) {
    give_up(exchange, fmt::format("no {} within {} ms", exchange.has_head ? "whole body" : "answer",
                                  limits_.answer_timeout.count()));
  }
}

// The caller holds mutex_.
void HttpExchanges::Impl::give_up(Exchange& exchange, std::string_view why) {
  if (exchange.given_up.empty()) exchange.given_up = why;
  if (exchange.connection != nullptr) exchange.connection->interrupt();
}

void HttpExchanges::Impl::abandon(Lane lane, std::string_view why) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(lane);
  if (found != live_.end()) give_up(*found->second, why);
}

void HttpExchanges::Impl::close() {
  std::unique_ptr<Workers> workers;
  std::thread watcher;
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    for (const auto& [lane, exchange] : live_)
      give_up(*exchange, "the client closed the connection");
    has_live_.notify_all();
  }
  const std::unique_lock nobody_starts(start_mutex_);
  {
    const std::lock_guard lock(mutex_);
    workers = std::move(workers_);
    watcher = std::exchange(watcher_, {});
  }
  workers.reset();  // which waits for them
  {
    const std::lock_guard lock(mutex_);
    spare_.clear();
  }
  if (watcher.joinable()) watcher.join();
}

// From the flag on nothing else is observed: the cut is the last that anybody sees.
void HttpExchanges::Impl::cut_off(const Exchange& exchange, std::string_view why) {
  if (is_cut_off_.exchange(true)) return;
  Observation observation;
  observation.kind = Observation::Kind::kCutOff;
  observation.lane = exchange.lane;
  observation.bytes = why;
  observer_.observe(observation);
  stop_all();
}

void HttpExchanges::Impl::stop_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [lane, exchange] : live_)
    give_up(*exchange, "nothing more of this server is read");
}

void HttpExchanges::Impl::tell(const Observation& observation) {
  if (is_cut_off_) return;
  observer_.observe(observation);
  if (observer_.is_full() && !is_cut_off_.exchange(true)) stop_all();
}

void HttpExchanges::Impl::observe(const Exchange& exchange, Observation::Kind kind, Party speaker,
                                  std::string_view bytes, std::optional<HttpHead> head) {
  Observation observation;
  observation.kind = kind;
  observation.speaker = speaker;
  observation.lane = exchange.lane;
  observation.bytes = bytes;
  observation.http = std::move(head);
  tell(observation);
}

HttpExchanges::HttpExchanges(HttpUrl url, ConnectOptions options, HttpLimits limits,
                             Observer& observer)
    : impl_(std::make_unique<Impl>(std::move(url), options, limits, observer)) {}
HttpExchanges::~HttpExchanges() = default;
Lane HttpExchanges::start(HttpMessage message, Hooks hooks) {
  return impl_->start(std::move(message), std::move(hooks));
}
void HttpExchanges::abandon(Lane lane, std::string_view why) {
  impl_->abandon(lane, why);
}
void HttpExchanges::close() {
  impl_->close();
}

}  // namespace assay::transport
