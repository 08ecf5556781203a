// One request of the client's, under way.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "reference/server/answer.h"
#include "reference/transport/server_transport.h"
#include "reference/wire/message.h"

namespace assay::server {

// The answers to one received message: to each member of a batch, leaving together as one array, or
// to a single request, leaving as it is. It lasts as long as any part of it is under way.
class Round {
 public:
  Round(std::shared_ptr<transport::Sink> sink, bool is_array)
      : sink_(std::move(sink)), is_array_(is_array) {}
  // The sink is told to finish with the last part of the round.
  ~Round();
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  const std::shared_ptr<transport::Sink>& sink() const { return sink_; }
  void answer(transport::Outgoing message);
  // The message was no request, or none that could be read.
  void refuse(std::string bytes) {
    answer({transport::Outgoing::Kind::kRefusal, std::move(bytes)});
  }

 private:
  const std::shared_ptr<transport::Sink> sink_;
  const bool is_array_;
  std::mutex mutex_;  // guards answers_
  std::vector<std::string> answers_;
};

// Answers at most once, and not at all once it is cancelled.
class Call {
 public:
  // `id` is the request's, which is not cheap to make.
  Call(wire::Message request, wire::Id id, std::shared_ptr<Round> round)
      : request_(std::move(request)), id_(std::move(id)), round_(std::move(round)) {}
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const wire::Message& request() const { return request_; }
  const wire::Id& id() const { return id_; }
  // An empty object where the request has none.
  const Json& params() const;
  const std::shared_ptr<transport::Sink>& sink() const { return round_->sink(); }
  const std::shared_ptr<Round>& round() const { return round_; }

  void answer(const Answer& answer);
  // From now on cancel() stops the work. To be called before anyone else learns of the call; most
  // calls are answered at once and need none of this.
  void make_cancellable() { stop_ = std::stop_source(); }
  void cancel();
  // Its answer is not sent any more; the work goes on.
  void withhold() { is_over_ = true; }
  bool is_cancelled() const { return stop_.stop_requested(); }
  std::stop_token stop_token() const { return stop_.get_token(); }

 protected:
  // The text of what is answered.
  virtual std::string compose(const Answer& answer) const;

 private:
  const wire::Message request_;
  const wire::Id id_;
  const std::shared_ptr<Round> round_;
  std::stop_source stop_{std::nostopstate};
  std::atomic<bool> is_over_ = false;  // answered or cancelled
};

// The text of the message that answers `id`.
std::string answer_text(const wire::Id& id, const Answer& answer);

}  // namespace assay::server
