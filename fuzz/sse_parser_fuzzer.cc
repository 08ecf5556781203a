// Any bytes, cut anyhow: the events are the same, no more is held than the limit allows, and what
// the writer makes of an event parses back to it. The first two bytes choose the limit and the
// cuts.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/fuzzing.h"
#include "reference/wire/sse.h"

namespace {

using assay::fuzz::require;
using assay::wire::SseEvent;
using assay::wire::SseParser;
using assay::wire::SseWriter;

struct Outcome {
  std::vector<SseEvent> events;
  bool was_open = false;
  std::size_t comments = 0;
  std::optional<std::string> last_event_id;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

template <typename Feed>
Outcome parse(std::size_t limit, const Feed& feed) {
  Outcome outcome;
  SseParser parser([&outcome](SseEvent event) { outcome.events.push_back(std::move(event)); },
                   limit);
  feed(parser);
  require(parser.pending() <= 2 * limit, "no more is held than the limit allows");
  outcome.was_open = parser.finish();
  outcome.comments = parser.comment_count();
  outcome.last_event_id = parser.last_event_id();
  return outcome;
}

bool says_something(const SseEvent& event) {
  return event.has_data || event.id || event.retry || !event.event.empty();
}

// All in one stream: a parser for each would take longer than what it reads.
void check_written(std::vector<SseEvent> events) {
  if (events.empty()) return;
  std::string text;
  for (const SseEvent& event : events) text += SseWriter::event(event);
  std::erase_if(events, [](const SseEvent& event) { return !says_something(event); });
  const Outcome read =
      parse(SseParser::kDefaultLimit, [&text](SseParser& parser) { parser.feed(text); });
  require(read.events.size() == events.size(), "an event is written as one, if it says something");
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].raw = read.events[i].raw;
    events[i].is_truncated = false;
    require(read.events[i] == events[i], "what is written parses back");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t limit = data[0] < 128 ? data[0] : SseParser::kDefaultLimit;
  const std::string_view stream = assay::fuzz::view(data + 2, size - 2);
  const std::uint8_t seed = data[1];
  Outcome whole = parse(limit, [stream](SseParser& parser) { parser.feed(stream); });
  const Outcome in_chunks = parse(limit, [stream, seed](SseParser& parser) {
    assay::fuzz::feed_in_chunks(parser, stream, seed);
  });
  require(whole == in_chunks, "cuts change no event");
  if (assay::fuzz::is_one_in_four(stream)) check_written(std::move(whole.events));
  return 0;
}
