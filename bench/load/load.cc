#include "bench/load/load.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "bench/load/channel.h"
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

class Load {
 public:
  Load(const LoadOptions& options, const std::stop_token& stop,
       const std::function<void(const LoadProgress&)>& progress)
      : options_(options),
        stop_(stop),
        progress_(progress),
        turns_(turns(options.mix)),
        recorder_(options.mix, options.rate > 0),
        interval_(options.rate > 0 ? static_cast<double>(kSecond) / options.rate : 0) {}

  std::variant<reports::LoadResult, Failure> run();

 private:
  std::optional<Failure> make_channels();
  std::optional<Failure> open();
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
  const double interval_;  // between two requests of the open loop, in nanoseconds

  Poller poller_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<StdioChannel*> children_;
  std::array<Poller::Event, Poller::kMostEvents> events_;
  LoadProgress::Phase phase_ = LoadProgress::Phase::kStarting;
  std::size_t turn_ = 0;
  std::uint64_t start_ = 0;       // of the sending
  std::uint64_t issued_ = 0;      // requests of the open loop
  std::size_t next_channel_ = 0;  // where the open loop looks first for a free one
  std::uint64_t measured_from_ = 0;
  std::uint64_t ticked_ = 0;
  std::uint64_t reported_ = 0;
};

std::optional<Failure> Load::make_channels() {
  if (!options_.url) {
    for (std::uint32_t i = 0; i < options_.connections; ++i) {
      auto channel = std::make_unique<StdioChannel>(
          StdioChannel::Setting{.spawn = {options_.command, {}, options_.environment},
                                .mix = &options_.mix,
                                .revision = options_.revision,
                                .pipeline = options_.pipeline,
                                .is_plain = options_.is_plain},
          poller_, i, recorder_);
      children_.push_back(channel.get());
      channels_.push_back(std::move(channel));
    }
    return std::nullopt;
  }
  auto address = look_up(*options_.url);
  if (auto* failure = std::get_if<Failure>(&address)) return std::move(*failure);
  const std::size_t sessions = std::max(options_.sessions, options_.connections);
  for (std::uint32_t i = 0; i < options_.connections; ++i) {
    const bool has_one_more = i < sessions % options_.connections;
    channels_.push_back(std::make_unique<HttpChannel>(
        HttpChannel::Setting{.http = {&*options_.url, &options_.headers, options_.revision},
                             .mix = &options_.mix,
                             .address = std::get<Address>(address),
                             .sessions = sessions / options_.connections + (has_one_more ? 1 : 0),
                             .is_plain = options_.is_plain},
        poller_, i, recorder_));
  }
  return std::nullopt;
}

// Starts all channels, a few at a time: many that come at once can be more than a server lets wait,
// and are not what is measured.
std::optional<Failure> Load::open() {
  std::size_t started = 0;
  std::size_t ready = 0;
  std::uint64_t deadline = 0;
  while (true) {
    const std::size_t was_ready = std::exchange(ready, count_ready());
    if (ready == channels_.size()) return std::nullopt;
    if (ready > was_ready || deadline == 0) deadline = now_ns() + nanoseconds(options_.timeout);
    while (started < channels_.size() && started - ready < kStartedAtOnce) {
      channels_[started++]->start();
    }
    for (const auto& channel : channels_) {
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
      channels_.begin(), channels_.end(),
      [](const auto& channel) { return channel->state() == Channel::State::kReady; }));
}

void Load::wait(std::uint64_t most) {
  const std::size_t count = poller_.wait(most, events_.data());
  const bool is_sending =
      phase_ == LoadProgress::Phase::kWarmingUp || phase_ == LoadProgress::Phase::kMeasuring;
  for (std::size_t i = 0; i < count; ++i) {
    Channel& channel = *channels_[events_[i].key.channel];
    channel.on_event(events_[i]);
    // At once, and not after the other events: an idle connection measures nothing.
    if (is_sending && options_.rate <= 0) fill(channel, now_ns());
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
  for (std::size_t busy = 0; busy < channels_.size() && due_at(issued_) <= now;) {
    Channel& channel = *channels_[next_channel_];
    if (++next_channel_ == channels_.size()) next_channel_ = 0;
    if (channel.state() != Channel::State::kReady || !channel.has_room()) {
      ++busy;
      continue;
    }
    busy = 0;
    send(channel, due_at(issued_++), now);
    channel.flush();
  }
}

// From time to time: lost answers, and the progress line.
void Load::look_after(std::uint64_t now) {
  if (now - ticked_ >= kTick) {
    ticked_ = now;
    const std::uint64_t timeout = nanoseconds(options_.timeout);
    for (const auto& channel : channels_) {
      if (channel->state() == Channel::State::kReady) channel->tick(now - std::min(now, timeout));
      // A connection that lost its answer, or was lost itself, goes on.
      if (phase_ != LoadProgress::Phase::kEnding && options_.rate <= 0) fill(*channel, now);
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
    if (options_.rate > 0) {
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
  for (const auto& channel : channels_) {
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

bool Load::all_dead() const {
  return std::all_of(channels_.begin(), channels_.end(),
                     [](const auto& channel) { return channel->state() == Channel::State::kDead; });
}

std::size_t Load::pending() const {
  std::size_t sum = 0;
  for (const auto& channel : channels_) sum += channel->pending();
  return sum;
}

Usage Load::server_usage() const {
  Usage sum;
  for (const StdioChannel* child : children_) {
    const Usage usage = usage_of_tree(child->pid());
    sum.cpu_seconds += usage.cpu_seconds;
    sum.peak_bytes += usage.peak_bytes;
  }
  return sum;
}

void Load::describe(reports::LoadResult& result) const {
  result.command = options_.command;
  if (options_.url) result.url = options_.url->text();
  result.server_name = channels_.front()->server_name();
  result.revision = channels_.front()->revision();
  if (result.revision.empty() && !options_.is_plain) result.revision = options_.revision.text();
  result.connections = options_.connections;
  result.sessions = std::max(options_.sessions, options_.connections);
  result.pipeline = options_.pipeline;
  result.rate = options_.rate;
  result.is_plain = options_.is_plain;
}

std::variant<reports::LoadResult, Failure> Load::run() {
  ::prctl(PR_SET_TIMERSLACK, 1);  // the open loop's clock is finer than the default of 50 us
  if (auto failure = make_channels()) return *std::move(failure);
  if (auto failure = open()) return *std::move(failure);

  phase_ = LoadProgress::Phase::kWarmingUp;
  start_ = now_ns();
  if (options_.rate <= 0) {
    for (const auto& channel : channels_) fill(*channel, now_ns());
  }
  drive(start_ + nanoseconds(options_.warm_up));

  phase_ = LoadProgress::Phase::kMeasuring;
  measured_from_ = now_ns();
  const std::uint64_t planned_end = measured_from_ + nanoseconds(options_.time);
  recorder_.set_window(measured_from_, planned_end);
  const Usage before = server_usage();
  const double own_before = own_cpu_seconds();
  drive(planned_end);

  const std::uint64_t end = std::min(now_ns(), planned_end);
  recorder_.end_at(end);
  const Usage after = server_usage();
  const double own_after = own_cpu_seconds();
  if (options_.rate > 0) {
    record_backlog(end);
  }
  drain();
  if (recorder_.completed() == 0 && !stop_.stop_requested()) {
    return Failure{Failure::Kind::kOther,
                   all_dead() ? channels_.front()->trouble() : "the server answered no request"};
  }
  const bool is_broken = all_dead();
  const std::string trouble = channels_.front()->trouble();
  reports::LoadResult result = recorder_.take();
  if (is_broken && recorder_.bad() == 0) ++result.errors[trouble];
  result.was_interrupted = stop_.stop_requested();
  describe(result);
  if (!children_.empty()) {
    result.server_cpu_seconds = std::max(0.0, after.cpu_seconds - before.cpu_seconds);
    result.server_peak_bytes = std::max(before.peak_bytes, after.peak_bytes);
  }
  result.own_cpu_seconds = own_after - own_before;
  for (StdioChannel* child : children_) child->close_input();  // they end at the same time
  return result;
}

}  // namespace

std::variant<reports::LoadResult, Failure> run_load(
    const LoadOptions& options, const std::stop_token& stop,
    const std::function<void(const LoadProgress&)>& progress) {
  return Load(options, stop, progress).run();
}

}  // namespace assay::bench
