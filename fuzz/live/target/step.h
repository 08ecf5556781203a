// What the live fuzzer sends: steps, gathered into cases, and their form on disk (input.jsonl).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/transport/observer.h"
#include "reference/wire/json.h"

namespace assay::fuzz {

// One thing that is sent. Over stdio only `bytes`, `waits` and kHalfClose mean something.
struct Step {
  enum class Kind : std::uint8_t {
    kBytes,   // stdio: exactly these bytes, newlines included; HTTP: the body of a POST
    kHttp,    // a request with a method and headers of its own
    kSocket,  // bytes on a connection of their own, HTTP or not
  };
  // What becomes of the connection once everything is sent; for kSocket, kAbandon for kHttp, and
  // kHalfClose over stdio, where standard input is closed.
  enum class End : std::uint8_t {
    kRead,       // reads an answer, within a short time
    kHalfClose,  // says that nothing more will come, then reads
    kAbandon,    // goes away without reading
  };

  Kind kind = Kind::kBytes;
  std::string bytes;
  // The next step waits until the target has dealt with this one: a ping is answered that was sent
  // after it or, where the bytes end in mid-line, in one write just before it, so that the target
  // reads the beginning of a line by itself.
  bool waits = false;
  bool overlaps = false;  // HTTP: the next step is sent before this one is answered
  int session = 0;        // HTTP: which of the sessions that are open, 0 or 1
  // kHttp: a header replaces the standard one of that name, an empty value leaves it out.
  std::string method = "POST";
  transport::Headers headers = {};
  End end = End::kRead;

  friend bool operator==(const Step&, const Step&) = default;
};

struct Case {
  // On a wire of its own, without the handshake that other cases begin after.
  bool is_fresh = false;
  std::vector<Step> steps = {};
  // What was done to it, such as "value: lone-surrogate".
  std::string origin = {};
  // The ids of its requests, as far as they are numbers of ours: a case that is sent again gets new
  // ones.
  std::vector<std::uint64_t> ids = {};
};

using Steps = std::vector<Step>;

// What it takes in memory, about.
std::size_t bytes_of(const Case& made);

// Gives the case new ids in place of those in `ids`, counted on from `last`.
void renumber(Case& made, std::uint64_t& last);

// The step with an id of its own, if it is one request.
Step with_own_id(Step step, std::size_t number);

// Bounds on a file of steps: we write no larger one.
inline constexpr std::size_t kMaxInputBytes = 64u << 20;
inline constexpr std::size_t kMaxInputSteps = 100'000;

// One JSON object a line; bytes that are no UTF-8 stand as "base64" in place of "bytes".
std::string to_jsonl(const Steps& steps);
// The steps, or one sentence that says what is wrong and in which line.
std::variant<Steps, std::string> from_jsonl(std::string_view text);

// How many messages, or what was meant to be one, the steps hold: non-empty lines over stdio, and
// requests over HTTP.
std::size_t count_messages(const Steps& steps, bool is_http);

}  // namespace assay::fuzz
