// Event streams that a play answers with, in place of what the reference server would say.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "reference/transport/http_listener.h"

namespace assay::scenarios {

// Answers with `events` in place of the body; what the reply says of the session stays. `then`:
// called once they are sent, by any thread; may be empty.
void make_events(std::string events, transport::HttpReply& reply,
                 std::function<void()> then = nullptr);

// A stream that goes on, and in it a few events more once somebody asks for that. One alone may
// come in front of what the client reads meanwhile on another connection, or too late.
class StreamWithMore : public transport::BodyStream {
 public:
  // `event`: of its number, from 1.
  StreamWithMore(std::shared_ptr<transport::BodyStream> inner,
                 std::function<std::string(int)> event)
      : inner_(std::move(inner)), event_(std::move(event)) {}
  bool read(std::string& chunk) override;
  bool is_broken() const override { return inner_->is_broken(); }
  void watch(std::shared_ptr<transport::Waker> waker) override;
  // Any thread. The second time does nothing.
  void say_more();

 private:
  static constexpr int kMost = 4;
  static constexpr std::chrono::milliseconds kBetween{100};

  const std::shared_ptr<transport::BodyStream> inner_;
  const std::function<std::string(int)> event_;
  int said_ = 0;
  std::atomic<int> wanted_ = 0;
  std::mutex mutex_;  // guards waker_ and saying_
  std::shared_ptr<transport::Waker> waker_;
  std::condition_variable_any ended_;
  std::jthread saying_;  // the last: it uses the others
};

}  // namespace assay::scenarios
