// Server-Sent Events, read and written.
//
// Specification: basic/transports, "Streamable HTTP" (and "HTTP with SSE" in 2024-11-05), which
// build on the event stream format of the HTML standard: UTF-8, lines ended by LF, CR or CRLF, one
// leading BOM ignored, `data` lines joined by LF, an event without data is not dispatched there. We
// report such events all the same (has_data tells), because a priming event and a `retry` matter to
// us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace assay::wire {

struct SseEvent {
  std::optional<std::string> id = {};       // the event's own `id` field, if it had one
  std::string event = {};                   // the `event` field; empty means "message"
  std::string data = {};                    // the data lines, joined by LF
  bool has_data = false;                    // there was a `data` field, be it empty
  std::optional<std::uint64_t> retry = {};  // milliseconds, if it was given and all digits
  bool is_truncated = false;                // longer than the limit: data is its beginning
  std::string raw = {};  // its lines as received, for the transcript, but for comments

  friend bool operator==(const SseEvent&, const SseEvent&) = default;
};

// A push parser: feeding it byte by byte or all at once gives the same events.
class SseParser {
 public:
  using Handler = std::function<void(SseEvent)>;

  static constexpr std::size_t kDefaultLimit = 64u << 20;

  // `limit` bounds the bytes of one event (its `raw`), and thereby the memory held: at most twice
  // that. A field that the limit cuts is lost, but for the beginning of `data`.
  explicit SseParser(Handler handler, std::size_t limit = kDefaultLimit);

  void feed(std::string_view bytes);
  // The stream has ended. An event without its closing blank line is dropped, as the standard asks;
  // returns true if there was one. The parser is then ready for a stream that resumes it.
  bool finish();
  // Of the event that is not yet complete something has been lost.
  bool is_cutting() const { return event_.is_truncated; }
  // Bytes held of an event not yet complete.
  std::size_t pending() const { return event_.raw.size() + event_.data.size(); }
  // The last event id seen so far, as a reconnecting client sends it; it outlives events without
  // id.
  const std::optional<std::string>& last_event_id() const { return last_event_id_; }
  // Comment lines (starting with a colon) seen so far: a server's keep-alives.
  std::size_t comment_count() const { return comment_count_; }

 private:
  std::string_view skip_byte_order_mark(std::string_view bytes);
  void take(std::string_view bytes);
  void append_raw(std::string_view bytes);
  void end_line(std::string_view terminator);
  void take_field(std::string_view line, bool is_whole);
  void dispatch();
  void reset_event();

  Handler handler_;
  std::size_t limit_;
  SseEvent event_;                 // what is known of it; its raw bytes hold the open line too
  std::size_t line_start_ = 0;     // of the open line, in event_.raw
  std::size_t line_length_ = 0;    // bytes of the open line so far, kept or not
  bool is_comment_ = false;        // the open line is one; such lines are not kept
  bool line_was_kept_ = false;     // the line before the open one is part of event_.raw
  bool has_fields_ = false;        // the event has a field that means something
  bool last_was_cr_ = false;       // a line feed that comes now belongs to the line before
  std::size_t leading_bytes_ = 0;  // of the stream that look like a BOM
  std::optional<std::string> last_event_id_;
  std::size_t comment_count_ = 0;
};

// Writes one event as text that any SSE parser reads back as it was: a newline in `data` becomes
// several data lines, and a CR or CRLF there reads back as LF. An `id` or `event` with a CR, LF or
// NUL in it cannot be expressed and is left out.
class SseWriter {
 public:
  static std::string event(const SseEvent& event);
  // A line that keeps a connection alive and means nothing.
  static std::string comment(std::string_view text);
};

}  // namespace assay::wire
