// An EventStream as the body of an HTTP answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "reference/transport/event_stream.h"
#include "reference/transport/http_conduct.h"

namespace assay::transport {

class SseBody : public BodyStream {
 public:
  struct Setting {
    bool has_ids = true;        // events can be resumed from
    bool is_primed = false;     // begins with an event that has an id and no data
    std::string preamble = {};  // sent before anything else
    std::function<void()> on_close = {};
  };
  // Reads on behind the event number `seen`.
  SseBody(std::shared_ptr<EventStream> stream, std::uint64_t seen, const HttpConduct& conduct,
          Setting setting);
  ~SseBody() override;

  bool read(std::string& chunk) override;
  void watch(std::shared_ptr<Waker> waker) override { stream_->watch(token_, std::move(waker)); }

 private:
  const std::shared_ptr<EventStream> stream_;
  const HttpConduct& conduct_;
  const Setting setting_;
  const std::uint64_t token_;
  bool has_begun_ = false;
  std::uint64_t sent_ = 0;  // events of the stream
};

// The text of a message's event. `stream` 0: without an id.
std::string sse_text(std::uint64_t stream, const EventStream::Event& event,
                     const HttpConduct& conduct);

// Event ids name the stream and the event: "3-17".
struct EventPlace {
  std::uint64_t stream = 0;
  std::uint64_t sequence = 0;
};
std::string to_event_id(EventPlace place);
std::optional<EventPlace> parse_event_id(std::string_view id);

}  // namespace assay::transport
