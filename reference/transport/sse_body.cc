#include "reference/transport/sse_body.h"

#include <charconv>
#include <utility>

#include "reference/wire/sse.h"

namespace assay::transport {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

}  // namespace

std::string to_event_id(EventPlace place) {
  return std::to_string(place.stream) + "-" + std::to_string(place.sequence);
}

std::optional<EventPlace> parse_event_id(std::string_view id) {
  const std::size_t dash = id.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto stream = parse_number(id.substr(0, dash));
  const auto sequence = parse_number(id.substr(dash + 1));
  if (!stream || !sequence) return std::nullopt;
  return EventPlace{*stream, *sequence};
}

std::string sse_text(std::uint64_t stream, const EventStream::Event& event,
                     const HttpConduct& conduct) {
  wire::SseEvent sse;
  if (stream != 0) sse.id = to_event_id({stream, event.sequence});
  sse.event = "message";
  sse.data = event.message.bytes;
  sse.has_data = true;
  conduct.event(sse);
  return wire::SseWriter::event(sse);
}

SseBody::SseBody(std::shared_ptr<EventStream> stream, std::uint64_t seen,
                 const HttpConduct& conduct, Setting setting)
    : stream_(std::move(stream)),
      conduct_(conduct),
      setting_(std::move(setting)),
      token_(stream_->attach(seen)) {}

SseBody::~SseBody() {
  stream_->detach(token_);
  if (setting_.on_close) setting_.on_close();
}

bool SseBody::read(std::string& chunk) {
  if (!has_begun_) {
    has_begun_ = true;
    chunk += setting_.preamble;
    if (setting_.is_primed && conduct_.does(HttpDuty::kPrimesStreams)) {
      wire::SseEvent priming;
      priming.id = to_event_id({stream_->number(), 0});
      priming.has_data = true;
      chunk += wire::SseWriter::event(priming);
    }
  }
  const EventStream::ReadResult result = stream_->read(token_);
  for (EventStream::Event event : result.events) {
    ++sent_;
    if (!conduct_.does(HttpDuty::kCountsEventsOfStreams)) event.sequence = sent_;
    chunk += sse_text(setting_.has_ids ? stream_->number() : 0, event, conduct_);
  }
  if (result.end == EventStream::ReadEnd::kDisconnected) {
    wire::SseEvent retry;
    retry.retry = static_cast<std::uint64_t>(result.retry.count());
    conduct_.event(retry);
    chunk += wire::SseWriter::event(retry);
  }
  return result.end == EventStream::ReadEnd::kOpen;
}

}  // namespace assay::transport
