#include "bench/load/load.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "bench/load/channel.h"
#include "bench/load/connections.h"
#include "bench/load/http_channel.h"
#include "bench/load/recorder.h"
#include "bench/load/stdio_channel.h"
#include "bench/load/usage.h"

namespace assay::bench {
namespace {

using transport::Failure;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLongestWait = 20'000'000;        // how late a Ctrl-C may be noticed
constexpr std::uint64_t kTick = 100'000'000;              // between two looks for lost answers
constexpr std::uint64_t kProgress = 200'000'000;          // between two reports
constexpr std::uint64_t kInterruptedDrain = 200'000'000;  // patience after a Ctrl-C
constexpr std::size_t kStartedAtOnce = 4;
constexpr std::uint64_t kMostRecordedBacklog = 1'000'000;

std::uint64_t nanoseconds(std::chrono::nanoseconds duration) {
  return static_cast<std::uint64_t>(std::max<std::chrono::nanoseconds::rep>(duration.count(), 0));
}

}  // namespace

class Load {
 public:
  Load(const LoadOptions& options, const std::stop_token& stop,
       const std::function<void(const LoadProgress&)>& progress)
      : options_(options),
        stop_(stop),
        progress_(progress),
        turns_(turns(options.mix)),
        recorder_(options.mix) {}
  ~Load() { close(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // At 0 in the closed loop.
  std::variant<reports::LoadResult, Failure> measure(double rate);
  bool lacks_sockets() const;

 private:
  std::optional<Failure> make_channels();
  std::optional<Failure> open();
  void close();
  void begin(double rate);
  std::optional<Failure> failure_without_answers() const;
  reports::LoadResult take_result();
  void drive(std::uint64_t until);
  void drain();
  void issue(std::uint64_t now);
  void fill(Channel& channel, std::uint64_t now);
  void send(Channel& channel, std::uint64_t due, std::uint64_t now);
  void wait(std::uint64_t most);
  void look_after(std::uint64_t now);
  void record_backlog(std::uint64_t end);
  bool all_dead() const;
  std::size_t count_ready() const;
  std::size_t pending() const;
  Usage server_usage() const;
  void describe(reports::LoadResult& result) const;
  std::uint64_t due_at(std::uint64_t number) const {
    return start_ + static_cast<std::uint64_t>(static_cast<double>(number) * interval_);
  }

  const LoadOptions& options_;
  const std::stop_token& stop_;
  const std::function<void(const LoadProgress&)>& progress_;
  const std::vector<std::size_t> turns_;
  Recorder recorder_;
  double rate_ = 0;
  double interval_ = 0;   // between two requests of the open loop, in nanoseconds
  bool is_open_ = false;  // all connections are ready, and nothing of an earlier rate is under way

  Poller poller_;
  std::optional<Address> address_;  // over HTTP, once it is known
  Connections connections_;
  std::array<Poller::Event, Poller::kMostEvents> events_;
  LoadProgress::Phase phase_ = LoadProgress::Phase::kStarting;
  std::size_t turn_ = 0;
  std::uint64_t start_ = 0;         // of the sending
  std::uint64_t issued_ = 0;        // requests of the open loop
  std::size_t next_channel_ = 0;    // where the open loop looks first for a free one
  bool waits_for_channel_ = false;  // something is due, and no channel is free
  std::uint64_t measured_from_ = 0;
  std::uint64_t ticked_ = 0;
  std::uint64_t reported_ = 0;
};

std::optional<Failure> Load::make_channels() {
  if (options_.url && !address_) {
    auto found = look_up(*options_.url);
    if (auto* failure = std::get_if<Failure>(&found)) return std::move(*failure);
    address_ = std::get<Address>(found);
  }
  connections_ = make_connections(options_, address_, poller_, recorder_);
  return std::nullopt;
}

void Load::close() {
  for (StdioChannel* child : connections_.children)
    child->close_input();  // they end at the same time
  connections_ = {};
  is_open_ = false;
}

// Starts all channels, a few at a time: many that come at once can be more than a server lets wait,
// and are not what is measured.
std::optional<Failure> Load::open() {
  std::size_t started = 0;
  std::size_t ready = 0;
  std::uint64_t deadline = 0;
  while (true) {
    const std::size_t was_ready = std::exchange(ready, count_ready());
    if (ready == connections_.channels.size()) return std::nullopt;
    if (ready > was_ready || deadline == 0) deadline = now_ns() + nanoseconds(options_.timeout);
    while (started < connections_.channels.size() && started - ready < kStartedAtOnce) {
      connections_.channels[started++]->start();
    }
    for (const auto& channel : connections_.channels) {
      if (channel->state() == Channel::State::kDead) {
        return Failure{Failure::Kind::kOther, channel->trouble()};
      }
    }
    if (stop_.stop_requested()) {
      return Failure{Failure::Kind::kOther, "interrupted before the server was ready"};
    }
    if (now_ns() >= deadline) {
      return Failure{Failure::Kind::kOther, "the server did not answer the handshake in time"};
    }
    if (count_ready() == ready) wait(kLongestWait);
  }
}

std::size_t Load::count_ready() const {
  return static_cast<std::size_t>(std::count_if(
      connections_.channels.begin(), connections_.channels.end(),
      [](const auto& channel) { return channel->state() == Channel::State::kReady; }));
}

void Load::wait(std::uint64_t most) {
  const std::size_t count = poller_.wait(most, events_.data());
  const bool is_sending =
      phase_ == LoadProgress::Phase::kWarmingUp || phase_ == LoadProgress::Phase::kMeasuring;
  for (std::size_t i = 0; i < count; ++i) {
    Channel& channel = *connections_.channels[events_[i].key.channel];
    channel.on_event(events_[i]);
    // At once, and not after the other events: an idle connection measures nothing.
    if (is_sending && rate_ <= 0) fill(channel, now_ns());
  }
}

void Load::fill(Channel& channel, std::uint64_t now) {
  if (channel.state() != Channel::State::kReady || !channel.has_room()) return;
  while (channel.has_room()) send(channel, now, now);
  channel.flush();
}

void Load::send(Channel& channel, std::uint64_t due, std::uint64_t now) {
  channel.send({turns_[turn_], due, now});
  if (++turn_ == turns_.size()) turn_ = 0;
}

// Sends what is due in the open loop to whichever connection is free.
void Load::issue(std::uint64_t now) {
  // What waited for a channel is not late because of us.
  const bool has_waited = std::exchange(waits_for_channel_, false);
  for (std::size_t busy = 0; busy < connections_.channels.size() && due_at(issued_) <= now;) {
    Channel& channel = *connections_.channels[next_channel_];
    if (++next_channel_ == connections_.channels.size()) next_channel_ = 0;
    if (channel.state() != Channel::State::kReady || !channel.has_room()) {
      ++busy;
      continue;
    }
    busy = 0;
    const std::uint64_t due = due_at(issued_++);
    recorder_.issued(due, has_waited ? 0 : now - due);
    send(channel, due, now);
    channel.flush();
  }
  waits_for_channel_ = due_at(issued_) <= now;
}

// From time to time: lost answers, and the progress line.
void Load::look_after(std::uint64_t now) {
  if (now - ticked_ >= kTick) {
    ticked_ = now;
    const std::uint64_t timeout = nanoseconds(options_.timeout);
    for (const auto& channel : connections_.channels) {
      if (channel->state() == Channel::State::kReady) channel->tick(now - std::min(now, timeout));
      // A connection that lost its answer, or was lost itself, goes on.
      if (phase_ != LoadProgress::Phase::kEnding && rate_ <= 0) fill(*channel, now);
    }
  }
  if (now - reported_ < kProgress) return;
  reported_ = now;
  const double seconds = measured_from_ == 0 || now < measured_from_
                             ? 0
                             : static_cast<double>(now - measured_from_) / 1e9;
  progress_({phase_, seconds, recorder_.good(), recorder_.bad()});
}

void Load::drive(std::uint64_t until) {
  while (!stop_.stop_requested() && !all_dead()) {
    const std::uint64_t now = now_ns();
    if (now >= until) return;
    look_after(now);
    std::uint64_t patience = std::min(until - now, kLongestWait);
    if (rate_ > 0) {
      issue(now);
      const std::uint64_t next = due_at(issued_);
      // What is due and could not be sent waits for an answer, not for the clock.
      if (next > now) patience = std::min(patience, next - now);
    }
    wait(patience);
  }
}

// Waits for the answers that are still under way.
void Load::drain() {
  phase_ = LoadProgress::Phase::kEnding;
  const std::uint64_t patience =
      stop_.stop_requested() ? kInterruptedDrain : nanoseconds(options_.timeout);
  const std::uint64_t deadline = now_ns() + patience;
  while (pending() > 0 && !all_dead() && now_ns() < deadline) {
    wait(kLongestWait);
    look_after(now_ns());
  }
  if (stop_.stop_requested()) return;  // what did not answer at once was not given its time
  for (const auto& channel : connections_.channels) {
    const bool waits = channel->state() == Channel::State::kReady && channel->pending() > 0;
    if (waits) channel->tick(UINT64_MAX);
  }
}

// What was due and never sent: one by one, or of very many a sample.
void Load::record_backlog(std::uint64_t end) {
  const std::uint64_t last =
      static_cast<std::uint64_t>(static_cast<double>(end - start_) / interval_);
  const std::uint64_t stride = 1 + (last > issued_ ? last - issued_ : 0) / kMostRecordedBacklog;
  for (; due_at(issued_) < end; issued_ += stride) recorder_.never_sent(due_at(issued_), stride);
}

bool Load::lacks_sockets() const {
  return std::any_of(connections_.channels.begin(), connections_.channels.end(),
                     [](const auto& channel) { return channel->lacks_sockets(); });
}

bool Load::all_dead() const {
  return std::all_of(connections_.channels.begin(), connections_.channels.end(),
                     [](const auto& channel) { return channel->state() == Channel::State::kDead; });
}

std::size_t Load::pending() const {
  std::size_t sum = 0;
  for (const auto& channel : connections_.channels) sum += channel->pending();
  return sum;
}

Usage Load::server_usage() const {
  Usage sum;
  for (const StdioChannel* child : connections_.children) {
    const Usage usage = usage_of_tree(child->pid());
    sum.cpu_seconds += usage.cpu_seconds;
    sum.peak_bytes += usage.peak_bytes;
  }
  return sum;
}

void Load::describe(reports::LoadResult& result) const {
  result.command = options_.command;
  if (options_.url) result.url = options_.url->text();
  result.server_name = connections_.channels.front()->server_name();
  result.revision = connections_.channels.front()->revision();
  if (result.revision.empty() && !options_.is_plain) result.revision = options_.revision.text();
  result.connections = options_.connections;
  result.sessions = std::max(options_.sessions, options_.connections);
  result.pipeline = options_.pipeline;
  result.rate = rate_;
  result.is_plain = options_.is_plain;
}

// Nothing of an earlier rate is left.
void Load::begin(double rate) {
  rate_ = rate;
  interval_ = rate > 0 ? static_cast<double>(kSecond) / rate : 0;
  recorder_.restart(rate > 0);
  issued_ = 0;
  waits_for_channel_ = false;
  measured_from_ = 0;
}

std::optional<Failure> Load::failure_without_answers() const {
  if (recorder_.completed() > 0 || stop_.stop_requested()) return std::nullopt;
  return Failure{Failure::Kind::kOther, all_dead() ? connections_.channels.front()->trouble()
                                                   : "the server answered no request"};
}

reports::LoadResult Load::take_result() {
  const std::size_t ready = count_ready();
  // Answers that were given up may still come: the next rate needs other connections.
  is_open_ =
      ready == connections_.channels.size() && recorder_.bad() == 0 && !stop_.stop_requested();
  const bool is_broken = all_dead() && recorder_.bad() == 0;
  reports::LoadResult result = recorder_.take();
  if (is_broken) ++result.errors[connections_.channels.front()->trouble()];
  result.lost_connections = connections_.channels.size() - ready;
  result.was_interrupted = stop_.stop_requested();
  describe(result);
  return result;
}

std::variant<reports::LoadResult, Failure> Load::measure(double rate) {
  ::prctl(PR_SET_TIMERSLACK, 1);  // the open loop's clock is finer than the default of 50 us
  begin(rate);
  if (!is_open_) {
    phase_ = LoadProgress::Phase::kStarting;
    close();
    if (auto failure = make_channels()) return *std::move(failure);
    if (auto failure = open()) return *std::move(failure);
  }
  is_open_ = false;

  phase_ = LoadProgress::Phase::kWarmingUp;
  start_ = now_ns();
  if (rate_ <= 0) {
    for (const auto& channel : connections_.channels) fill(*channel, now_ns());
  }
  drive(start_ + nanoseconds(options_.warm_up));

  phase_ = LoadProgress::Phase::kMeasuring;
  measured_from_ = now_ns();
  const std::uint64_t planned_end = measured_from_ + nanoseconds(options_.time);
  recorder_.set_window(measured_from_, planned_end);
  const Usage before = server_usage();
  const double own_before = own_cpu_seconds();
  const double waited_before = own_run_queue_seconds();
  drive(planned_end);

  const std::uint64_t end = std::min(now_ns(), planned_end);
  recorder_.end_at(end);
  const Usage after = server_usage();
  const double own_after = own_cpu_seconds();
  const double waited_after = own_run_queue_seconds();
  if (rate_ > 0) {
    record_backlog(end);
  }
  drain();
  if (auto failure = failure_without_answers()) return *std::move(failure);
  reports::LoadResult result = take_result();
  if (!connections_.children.empty()) {
    result.server_cpu_seconds = std::max(0.0, after.cpu_seconds - before.cpu_seconds);
    result.server_peak_bytes = std::max(before.peak_bytes, after.peak_bytes);
  }
  result.own_cpu_seconds = own_after - own_before;
  result.own_run_queue_seconds = waited_after - waited_before;
  return result;
}

std::variant<reports::LoadResult, Failure> run_load(
    const LoadOptions& options, const std::stop_token& stop,
    const std::function<void(const LoadProgress&)>& progress) {
  return Load(options, stop, progress).measure(options.rate);
}

LoadSeries::LoadSeries(const LoadOptions& options, const std::stop_token& stop,
                       const std::function<void(const LoadProgress&)>& progress)
    : load_(std::make_unique<Load>(options, stop, progress)) {}

LoadSeries::~LoadSeries() = default;

std::variant<reports::LoadResult, Failure> LoadSeries::measure(double rate) {
  return load_->measure(rate);
}

bool LoadSeries::lacks_sockets() const {
  return load_->lacks_sockets();
}

}  // namespace assay::bench
