#include "scenarios/clients/event_streams.h"

#include <utility>

#include "reference/transport/http_replies.h"

namespace assay::scenarios {
namespace {

// Events that are all there from the beginning. `then`: called once they are sent; may be empty.
class WholeStream : public transport::BodyStream {
 public:
  WholeStream(std::string events, std::function<void()> then)
      : events_(std::move(events)), then_(std::move(then)) {}
  ~WholeStream() override {
    if (then_) then_();
  }
  WholeStream(const WholeStream&) = delete;
  WholeStream& operator=(const WholeStream&) = delete;
  bool read(std::string& chunk) override {
    chunk += std::exchange(events_, "");
    return false;
  }
  void watch(std::shared_ptr<transport::Waker> /*waker*/) override {}

 private:
  std::string events_;
  const std::function<void()> then_;
};

}  // namespace

bool StreamWithMore::read(std::string& chunk) {
  for (const int wanted = wanted_; said_ < wanted;) chunk += event_(++said_);
  return inner_->read(chunk);
}

void StreamWithMore::watch(std::shared_ptr<transport::Waker> waker) {
  {
    const std::lock_guard lock(mutex_);
    waker_ = waker;
  }
  inner_->watch(std::move(waker));
}

void StreamWithMore::say_more() {
  const std::lock_guard lock(mutex_);
  if (saying_.joinable()) return;
  saying_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock saying(mutex_);
    while (!stop.stop_requested() && wanted_ < kMost) {
      ++wanted_;
      if (waker_) waker_->wake();
      ended_.wait_for(saying, stop, kBetween, [] { return false; });
    }
  });
}

void make_events(std::string events, transport::HttpReply& reply, std::function<void()> then) {
  transport::HttpReply streamed =
      transport::stream_reply(std::make_shared<WholeStream>(std::move(events), std::move(then)));
  for (transport::Header& header : reply.headers) {
    if (transport::lower_case(header.first) != "content-type") {
      streamed.headers.push_back(std::move(header));
    }
  }
  reply = std::move(streamed);
}

}  // namespace assay::scenarios
