#include "reference/transport/http_exchanges.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace assay::transport {
namespace {

using Clock = Deadline::clock;

// How often the deadlines of running exchanges are looked at.
constexpr std::chrono::milliseconds kWatchInterval{25};
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

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
      : url_(std::move(url)), options_(options), limits_(limits), observer_(observer) {}
  ~Impl() { close(); }

  Lane start(HttpMessage message, Hooks hooks);
  void abandon(Lane lane, std::string_view why);
  void close();

 private:
  struct Answer;

  bool enqueue(const ExchangePtr& exchange);
  void work();
  void watch();
  void check(Exchange& exchange);
  void run(Exchange& exchange, std::unique_ptr<HttpConnection>& connection);
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
  std::condition_variable has_work_;
  std::condition_variable has_live_;
  std::uint64_t last_number_ = 0;
  std::deque<ExchangePtr> waiting_;
  std::map<Lane, ExchangePtr> live_;  // waiting and running
  std::vector<std::thread> workers_;
  std::thread watcher_;
  std::size_t idle_workers_ = 0;
  bool is_closing_ = false;
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
  if (waiting_.size() >= limits_.max_waiting) return false;
  waiting_.push_back(exchange);
  live_.emplace(exchange->lane, exchange);
  if (waiting_.size() > idle_workers_ && workers_.size() < limits_.max_concurrent) {
    workers_.emplace_back([this] { work(); });
  }
  if (!watcher_.joinable()) watcher_ = std::thread([this] { watch(); });
  has_work_.notify_one();
  has_live_.notify_one();
  return true;
}

void HttpExchanges::Impl::work() {
  block_signals();
  std::unique_ptr<HttpConnection> connection;
  while (true) {
    ExchangePtr exchange;
    {
      std::unique_lock lock(mutex_);
      ++idle_workers_;
      has_work_.wait(lock, [this] { return is_closing_ || !waiting_.empty(); });
      --idle_workers_;
      if (waiting_.empty()) return;
      exchange = std::move(waiting_.front());
      waiting_.pop_front();
    }
    run(*exchange, connection);
  }
}

void HttpExchanges::Impl::run(Exchange& exchange, std::unique_ptr<HttpConnection>& connection) {
  if (!connection)
    connection = std::make_unique<HttpConnection>(url_, options_, limits_.max_head_bytes);
  Answer answer{*this, exchange, std::nullopt, std::nullopt, wire::Share(limits_.budget), {}, 0};
  {
    const std::lock_guard lock(mutex_);
    if (is_closing_ && exchange.given_up.empty())
      exchange.given_up = "the client closed the connection";
    exchange.connection = connection.get();
    exchange.deadline = Clock::now() + limits_.answer_timeout;
    if (!exchange.given_up.empty()) connection->interrupt();
  }
  const auto failure = connection->perform(
      exchange.message, {[&](const HttpHead& head) { return answer.take_head(head); },
                         [&](std::string_view bytes) { return answer.take_body(bytes); }});
  bool is_reusable = !failure;
  {
    const std::lock_guard lock(mutex_);
    exchange.connection = nullptr;
    live_.erase(exchange.lane);
    is_reusable = is_reusable && exchange.given_up.empty();
  }
  if (!is_reusable) connection.reset();
  answer.end(failure);
}

void HttpExchanges::Impl::watch() {
  block_signals();
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
  std::vector<std::thread> workers;
  std::thread watcher;
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    for (const auto& [lane, exchange] : live_)
      give_up(*exchange, "the client closed the connection");
    has_work_.notify_all();
    has_live_.notify_all();
  }
  const std::unique_lock nobody_starts(start_mutex_);
  {
    const std::lock_guard lock(mutex_);
    workers = std::exchange(workers_, {});
    watcher = std::exchange(watcher_, {});
  }
  for (std::thread& worker : workers) worker.join();
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
