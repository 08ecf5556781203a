// HTTP as a stream of bytes: however it is cut, the parser says the same; it holds no more than its
// limits; and what it has read can be written, and is read again as what it was. The first byte
// says who speaks and how the stream is cut.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "reference/wire/http.h"

namespace {

using assay::fuzz::require;
using namespace assay::wire;
using Event = HttpParser::Event;

constexpr HttpParser::Limits kLimits{
    .head_bytes = 256, .fields = 8, .body_bytes = 300, .interims = 3};

// Everything that a parser says, as text.
class Reading {
 public:
  explicit Reading(HttpParser::Role role) : parser_(role, kLimits), role_(role) {}

  void feed(std::string_view bytes) {
    // A copy of its own, so that a sanitizer sees who reads what is gone.
    const std::string copy(bytes);
    std::string_view rest = copy;
    while (take(parser_.next(rest))) {
    }
    require(is_broken_ || rest.empty(), "all bytes are taken");
    require(parser_.held() <= kLimits.head_bytes + 1, "a parser holds what it may");
  }
  std::string finish() {
    take(parser_.finish());
    return said_;
  }

 private:
  bool take(Event event) {
    switch (event) {
      case Event::kMore:
        return false;
      case Event::kInterim:
      case Event::kHead:
        require(parser_.raw().size() <= kLimits.head_bytes, "a head is as long as it may be");
        require(parser_.fields().size() <= kLimits.fields, "and has as many fields");
        said_ += event == Event::kHead ? "head " : "interim ";
        said_ += parser_.raw();
        check_written();
        return true;
      case Event::kBody:
        require(!parser_.body().empty(), "a piece of a body is something");
        body_bytes_ += parser_.body().size();
        require(body_bytes_ <= kLimits.body_bytes, "a body is as long as it may be");
        said_ += parser_.body();
        return true;
      case Event::kEnd:
        said_ += " end ";
        said_ += parser_.raw();
        said_ += parser_.keeps_open() ? " open" : " closed";
        body_bytes_ = 0;
        return true;
      case Event::kBroken:
        if (!is_broken_) said_ += describe(parser_.fault());
        is_broken_ = true;
        return false;
    }
    return false;
  }

  void check_written() const {
    std::string text;
    HttpWriter writer(text);
    if (role_ == HttpParser::Role::kRequests) {
      writer.request_line(parser_.method(), parser_.target());
    } else {
      writer.status_line(parser_.status());
    }
    for (const HttpField& field : parser_.fields()) writer.field(field.name, field.value);
    // A response may have been read that nobody should write.
    const bool is_written = writer.end_head();
    require(is_written || role_ == HttpParser::Role::kResponses, "what was read can be written");
    if (!is_written) return;
    HttpParser again(role_);
    std::string_view rest = text;
    const Event event = again.next(rest);
    // The writer speaks HTTP/1.1, so that what only the version forbade is read then.
    require(event == Event::kHead || event == Event::kInterim, "what is written can be read");
    require(again.method() == parser_.method() && again.target() == parser_.target() &&
                again.status() == parser_.status(),
            "as what it was");
    require(std::ranges::equal(again.fields(), parser_.fields()), "field by field");
  }

  HttpParser parser_;
  const HttpParser::Role role_;
  std::string said_;
  std::size_t body_bytes_ = 0;
  bool is_broken_ = false;
};

std::string read_in_chunks(HttpParser::Role role, std::string_view stream, std::uint8_t seed) {
  Reading reading(role);
  assay::fuzz::feed_in_chunks(reading, stream, seed);
  return reading.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::uint8_t seed = data[0];
  const auto role = seed % 2 == 0 ? HttpParser::Role::kRequests : HttpParser::Role::kResponses;
  const std::string_view stream = assay::fuzz::view(data + 1, size - 1);
  Reading whole(role);
  whole.feed(stream);
  const std::string said = whole.finish();
  require(read_in_chunks(role, stream, seed) == said, "it matters not how the stream is cut");
  require(read_in_chunks(role, stream, 0) == said, "nor byte by byte");
  return 0;
}
