// Reads the answers of one HTTP/1.1 connection from whatever pieces arrive, without waiting.
//
// The transport's own client (reference/transport/http_connection.h) waits in a thread of its own
// and keeps all header fields. Under load one thread serves all connections, and of a head only
// five fields matter.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::bench {

class HttpReader {
 public:
  static constexpr std::size_t kMostHeadBytes = 64u
                                                << 10;  // status line, fields, or a chunk's line

  HttpReader();

  // Where the next bytes are to be read into, and how many were. Views from before are lost.
  std::span<char> space();
  void filled(std::size_t count) { end_ += count; }
  // The connection was closed; next() then ends a body that lasted until now.
  void closed() { is_closed_ = true; }
  // For a new connection.
  void reset();

  enum class Item {
    kMore,    // nothing without further bytes
    kHead,    // the members below are those of a new answer
    kBody,    // body() is a piece of it
    kEnd,     // the answer is complete
    kBroken,  // not HTTP, over a bound, or cut off: nothing more can be read
  };
  Item next();

  int status() const { return status_; }
  bool is_event_stream() const { return is_event_stream_; }
  bool keeps_open() const { return keeps_open_; }
  const std::string& session() const { return session_; }  // MCP-Session-Id
  std::string_view body() const { return body_; }
  // True from a head to its answer's end.
  bool is_in_answer() const { return state_ != State::kHead; }

 private:
  enum class State { kHead, kLength, kChunkSize, kChunk, kChunkEnd, kTrailer, kUntilClose, kEnd };

  std::string_view available() const { return {buffer_.data() + begin_, end_ - begin_}; }
  Item read_head();
  bool take_status(std::string_view line);
  void take_field(std::string_view line);
  void choose_body();
  Item read_piece();
  Item read_line();
  bool take_line(std::string_view line);

  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_closed_ = false;

  State state_ = State::kHead;
  std::size_t left_ = 0;  // bytes of the body or chunk to come
  int status_ = 0;
  bool is_event_stream_ = false;
  bool keeps_open_ = true;
  bool is_chunked_ = false;
  bool has_length_ = false;
  bool is_bad_ = false;
  std::string session_;
  std::string_view body_;
};

}  // namespace assay::bench
