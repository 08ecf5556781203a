// HTTP/1.1 messages, read and written.
//
// RFC 9112, and RFC 9110 for what the fields mean. Nothing of the message is lost: fields keep
// their order, their case and their repetitions. In a request, what two readers could understand
// differently (and what lets one client speak in the name of another behind a proxy) is refused:
// see HttpFault. A response is read as a user agent reads it: nobody reads it after us, so that
// it is refused only where it does not say where it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::wire {

struct HttpField {
  std::string_view name;  // as it was sent
  // As it was sent, without the blanks around it. That of a response may go on over several lines,
  // and then has their ends in it.
  std::string_view value;

  friend bool operator==(const HttpField&, const HttpField&) = default;
};

// What ends the reading of a connection: where the next message begins cannot be known.
enum class HttpFault {
  kNone,
  kNotHttp,        // the first line is neither a request nor a status line
  kVersion,        // HTTP, but not of the major version 1
  kHeadTooLong,    // beyond Limits::head_bytes; also a trailer
  kTooManyFields,  // beyond Limits::fields
  // Of requests alone:
  kNoColon,      // a field without a colon
  kNoName,       // a field that begins with its colon
  kBlankInName,  // a blank before the colon, or in the name
  kBadName,      // another byte that no name has
  kFolded,       // a field that goes on in the next line
  kBareCarriageReturn,
  kBareLineFeed,  // ends a line of the head, or of a chunk
  kNul,
  kLengthAndCoding,  // Content-Length and Transfer-Encoding
  kUnknownCoding,    // a Transfer-Encoding other than one "chunked", or any in HTTP/1.0
  // Of both again:
  kBadLength,          // a Content-Length that is no plain number
  kSeveralLengths,     // be they equal; in a response only if they are not
  kBodyTooLong,        // beyond Limits::body_bytes
  kBadChunkSize,       // no hexadecimal number where the size of a chunk belongs
  kBadChunkEnd,        // a chunk that is longer than its size
  kChunkLinesTooLong,  // the extensions are longer than Limits::head_bytes and the body together
  kTooManyInterims,    // beyond Limits::interims
  kCutOff,             // the connection ended in the middle
};

// Why the message cannot be read, as the end of a sentence: "a field has no colon".
std::string_view describe(HttpFault fault);

// A push parser: feeding it byte by byte or all at once gives the same heads, bodies and faults. It
// holds what it has of a head, a trailer or a chunk's line, and nothing of a body.
class HttpParser {
 public:
  enum class Role { kRequests, kResponses };
  struct Limits {
    std::size_t head_bytes = 64u << 10;  // the first line and the fields; a trailer again
    std::size_t fields = 256;            // of a head, or of a trailer
    std::uint64_t body_bytes = std::numeric_limits<std::uint64_t>::max();
    unsigned interims = 32;  // answers of status 1xx before the answer
  };
  enum class Event {
    kMore,     // all bytes have been taken, and more are needed
    kInterim,  // the head of an answer of status 1xx but 101; another head follows
    kHead,     // the head of a message
    kBody,     // body() is a piece of its body
    kEnd,      // the message is complete; fields() and raw() are its trailer's
    kBroken,   // fault() says why; nothing more is read, and every call says so again
  };

  explicit HttpParser(Role role) : HttpParser(role, Limits{}) {}
  HttpParser(Role role, Limits limits) : role_(role), limits_(limits) {}

  // Takes from the front of `bytes` what leads to the next event. What the accessors give is of the
  // last event; views are into `bytes` or into the parser, and are lost with the next call.
  Event next(std::string_view& bytes);
  // The connection has ended, after all its bytes were taken: kEnd where that ends the body, kMore
  // where no message had begun, or kBroken.
  Event finish();
  // The next answer is one to HEAD: it has no body, whatever its fields say. Holds for one answer.
  void expect_no_body() { expects_no_body_ = true; }
  // For a new connection.
  void reset();

  Role role() const { return role_; }
  std::string_view method() const { return method_; }
  std::string_view target() const { return target_; }
  int status() const { return status_; }
  bool is_http_1_0() const { return minor_version_ == 0; }
  std::span<const HttpField> fields() const { return fields_; }
  // The head, or the trailer, byte by byte with its closing blank line.
  std::string_view raw() const { return block_; }
  std::string_view body() const { return body_; }
  HttpFault fault() const { return fault_; }
  // Whether another message may follow on the connection.
  bool keeps_open() const { return keeps_open_; }
  // The length of the body, if the head tells.
  std::optional<std::uint64_t> content_length() const { return length_; }
  bool has_body() const { return has_body_; }
  // True from the first byte of a head to the end of its message.
  bool is_in_message() const { return state_ != State::kHead || held() > 0; }
  // Bytes held of what is not complete.
  std::size_t held() const { return is_block_out_ ? 0 : held_.size(); }

 private:
  enum class State {
    kHead,
    kLength,
    kUntilClose,
    kChunkSize,
    kChunk,
    kChunkEnd,
    kTrailer,
    kEnd,
    kBroken,
  };
  enum class Line { kMiddle, kSkipped, kLast, kBroken };
  // Where a field stands in block_, which may still move.
  struct Place {
    std::uint32_t name = 0;
    std::uint32_t name_size = 0;
    std::uint32_t value = 0;
    std::uint32_t value_size = 0;
  };

  void let_go_of_block();
  Event break_off(HttpFault fault);
  bool set_fault(HttpFault fault);
  bool take_block(std::string_view& bytes);
  bool take_held_block(std::string_view& bytes);
  bool check_open_line();
  bool is_first_line() const { return line_begin_ == 0 && state_ == State::kHead; }
  bool is_plausible(std::string_view first_line) const;
  Line take_line(std::size_t end);
  HttpFault take_first_line(std::string_view line);
  HttpFault take_request_line(std::string_view line);
  HttpFault take_status_line(std::string_view line);
  HttpFault take_field(std::string_view line);
  void unfold(std::string_view line);
  HttpFault take_meaning(std::string_view name, std::string_view value);
  HttpFault take_coding(std::string_view value);
  HttpFault take_length(std::string_view value);
  void place_fields();
  Event end_head();
  bool persists() const;
  HttpFault choose_body();
  HttpFault choose_body_of_response();
  HttpFault await_length();
  Event take_piece(std::string_view& bytes);
  bool take_chunk_size(std::string_view& bytes);
  HttpFault read_chunk_size(std::string_view line);
  bool take_chunk_end(std::string_view& bytes);
  Event end_message();

  const Role role_;
  const Limits limits_;
  State state_ = State::kHead;
  HttpFault fault_ = HttpFault::kNone;
  bool expects_no_body_ = false;

  std::string held_;            // the beginning of a block, or of a chunk's line or end
  std::string_view block_;      // the head or trailer at hand: in held_, or in the caller's bytes
  bool is_block_out_ = false;   // it has been given to the caller, who is done with it
  bool has_skipped_ = false;    // a blank line in front of a request
  bool may_have_nul_ = true;    // block_, as far as its lines have to be looked at
  std::size_t line_begin_ = 0;  // of the open line of block_
  std::vector<Place> places_;
  std::vector<HttpField> fields_;

  Place request_line_;  // the method, and the target as its value
  std::string_view method_;
  std::string_view target_;
  int status_ = 0;
  int minor_version_ = 1;
  unsigned interims_ = 0;
  bool keeps_open_ = true;
  bool wants_close_ = false;
  bool wants_keep_alive_ = false;
  bool has_coding_ = false;
  bool has_body_ = false;
  std::optional<std::uint64_t> length_;

  std::uint64_t left_ = 0;   // of the body, or of the chunk
  std::uint64_t taken_ = 0;  // of the body, with the chunk at hand
  std::size_t extension_bytes_ = 0;
  std::string_view body_;
};

// Appends HTTP messages to a text. Nothing that would break a message is written into one.
class HttpWriter {
 public:
  explicit HttpWriter(std::string& out) : out_(out), begin_(out.size()) {}

  void request_line(std::string_view method, std::string_view target);
  void status_line(int status);
  void field(std::string_view name, std::string_view value);
  // Content-Length, which nearly every message has.
  void content_length(std::uint64_t bytes);
  // Ends the head. False if a method, target, name or value cannot be expressed: then the text is
  // as it was before the head.
  [[nodiscard]] bool end_head();

  // A chunk of a body; nothing where `bytes` are none, because that would end the body.
  static void chunk(std::string& out, std::string_view bytes);
  static void last_chunk(std::string& out);

 private:
  std::string& out_;
  const std::size_t begin_;
  bool is_expressible_ = true;
};

// "Not Found" for 404; "Unknown" where HTTP has no phrase.
std::string_view reason_phrase(int status);

}  // namespace assay::wire
