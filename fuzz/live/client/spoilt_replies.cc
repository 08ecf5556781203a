// HTTP responses and event streams that are wrong.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "fuzz/live/client/spoiling.h"
#include "fuzz/live/values/odd_values.h"
#include "reference/transport/observer.h"

namespace assay::fuzz {
namespace {

using model::Random;
using transport::Headers;

void erase_field(Headers& headers, std::string_view name) {
  std::erase_if(headers, [&](const auto& field) {
    return transport::lower_case(field.first) == transport::lower_case(name);
  });
}

bool has_content(const SpoiltReply& spoilt) {
  return !spoilt.reply.later && (spoilt.reply.stream || !spoilt.reply.body.empty());
}

bool has_body(const SpoiltReply& spoilt) {
  return !spoilt.reply.stream && !spoilt.reply.later && !spoilt.reply.body.empty();
}

// Whoever reads an answer that is no answer may wait for one.
void say(SpoiltReply& spoilt, std::string label) {
  spoilt.after.label = std::move(label);
  spoilt.after.may_wait = true;
}

void odd_status(SpoiltReply& spoilt, Random& random) {
  static constexpr int kStatuses[] = {201, 202, 204, 206, 300, 301, 302, 304, 307, 308,
                                      400, 401, 403, 404, 405, 406, 408, 409, 410, 413,
                                      418, 429, 431, 500, 501, 502, 503, 504, 599};
  spoilt.reply.status = random.pick(kStatuses);
  say(spoilt, fmt::format("status {}", spoilt.reply.status));
}

void odd_type(SpoiltReply& spoilt, Random& random) {
  static constexpr std::string_view kTypes[] = {"text/html",
                                                "application/json; charset=utf-16",
                                                "text/event-stream",
                                                "",
                                                ";",
                                                "application",
                                                "APPLICATION/JSON",
                                                "application/json, text/event-stream",
                                                "multipart/mixed"};
  if (!has_content(spoilt)) return;
  erase_field(spoilt.reply.headers, "Content-Type");
  const std::size_t roll = random.below(10);
  if (roll < 3) return say(spoilt, "no Content-Type");
  if (roll < 5) {
    spoilt.reply.headers.emplace_back("Content-Type", "application/json");
    spoilt.reply.headers.emplace_back("content-type", "text/event-stream");
    return say(spoilt, "Content-Type twice");
  }
  const std::string_view type = random.pick(kTypes);
  spoilt.reply.headers.emplace_back("Content-Type", type);
  say(spoilt, fmt::format("Content-Type '{}'", type));
}

void odd_length(SpoiltReply& spoilt, Random& random) {
  static constexpr std::string_view kLengths[] = {
      "-1", "-2147483648", "99999999999999999999", "0x10", "1,2", "+3", "", "1e3", "0"};
  if (!has_body(spoilt)) return;
  const std::string_view length = random.pick(kLengths);
  spoilt.reply.headers.insert(spoilt.reply.headers.begin(),
                              {"Content-Length", std::string(length)});
  say(spoilt, fmt::format("Content-Length '{}' ahead of the right one", length));
}

void odd_fields(SpoiltReply& spoilt, Random& random) {
  struct Field {
    std::string_view name;
    std::string_view value;
  };
  static constexpr Field kFields[] = {{"Content-Encoding", "gzip"},
                                      {"Transfer-Encoding", "chunked"},
                                      {"Connection", "close"},
                                      {"Mcp-Session-Id", ""},
                                      {"Mcp-Session-Id", "a b\tc"},
                                      {"MCP-Protocol-Version", "1999-01-01"},
                                      {"WWW-Authenticate", "Bearer"},
                                      {"WWW-Authenticate", "Bearer realm=\"x"},
                                      {"WWW-Authenticate", "=,=,\"\\"},
                                      {"Retry-After", "99999999999999999999"},
                                      {"Retry-After", "-1"},
                                      {"Set-Cookie", "a=b; Max-Age=x"},
                                      {"Location", "//"},
                                      {"Link", "<"},
                                      {"X-\xC3\xA9", "\xC3\xA9"}};
  if (random.chance(30)) {
    static constexpr std::size_t kSizes[] = {300, 5000, 30'000};
    const std::size_t size = random.pick(kSizes);
    const bool is_session = random.chance(40);
    const char* name = is_session ? "Mcp-Session-Id" : "X-Assay";
    if (is_session) erase_field(spoilt.reply.headers, name);
    spoilt.reply.headers.emplace_back(name, std::string(size, 'a'));
    return say(spoilt, fmt::format("{} of {} bytes", name, size));
  }
  if (random.chance(10)) {
    for (int i = 0; i < 500; ++i) spoilt.reply.headers.emplace_back(fmt::format("X-{}", i), "a");
    return say(spoilt, "500 more header fields");
  }
  const Field& field = random.pick(kFields);
  spoilt.reply.headers.emplace_back(field.name, field.value);
  say(spoilt, fmt::format("{}: {}", field.name, field.value));
}

// A body that is made as it is read.
class MadeBody : public transport::BodyStream {
 public:
  // `make` appends the piece of this number, and says whether there are more.
  using Make = std::function<bool(std::size_t piece, std::string& chunk)>;
  MadeBody(Make make, bool is_broken) : make_(std::move(make)), is_broken_(is_broken) {}
  bool read(std::string& chunk) override { return make_(piece_++, chunk); }
  bool is_broken() const override { return is_broken_; }
  void watch(std::shared_ptr<transport::Waker> /*waker*/) override {}

 private:
  const Make make_;
  const bool is_broken_;
  std::size_t piece_ = 0;
};

void turn_into_stream(SpoiltReply& spoilt) {
  erase_field(spoilt.reply.headers, "Content-Type");
  spoilt.reply.headers.emplace_back("Content-Type", "text/event-stream");
}

std::string event_of(std::string_view body) {
  return fmt::format("data: {}\n\n", body);
}

// The same answer as an event stream, which is right; and something in it that is not.
void odd_stream(SpoiltReply& spoilt, Random& random) {
  static constexpr std::string_view kRetries[] = {
      "0",   "-1",        "4294967296", "18446744073709551615", "99999999999999999999999",
      "1e9", "9999999999"};
  if (!has_body(spoilt)) return;
  const std::string body = spoilt.reply.body;
  std::string text = event_of(body);
  std::string label;
  bool may_wait = false;
  switch (random.below(12)) {
    case 0:
    case 1: {
      const std::string_view retry = random.pick(kRetries);
      text = fmt::format("retry: {}\nid: 1\n\n", retry) + text;
      label = fmt::format("retry: {}", retry);
      may_wait = true;
      break;
    }
    case 2: {
      static constexpr std::size_t kSizes[] = {2000, 100'000};
      const std::size_t size = random.pick(kSizes);
      text = "id: " + std::string(size, 'i') + "\n" + text;
      label = fmt::format("an event id of {} bytes", size);
      break;
    }
    case 3:
      text.insert(0, std::string("id: a\0b\n", 8));
      label = "an event id with a NUL";
      break;
    case 4:
      std::replace(text.begin(), text.end(), '\n', '\r');
      label = "lines that end in CR";
      break;
    case 5:
      text.pop_back();
      label = "an event without its end";
      may_wait = true;
      break;
    case 6:
      text = "event: endpoint\ndata: /elsewhere\n\nevent: assay\ndata: 1\n\n" + text;
      label = "events of other kinds";
      break;
    case 7: {
      std::string split;
      for (std::size_t i = 0; i < body.size(); i += 7) {
        split += fmt::format("data: {}\n", body.substr(i, 7));
      }
      text = split + "\n";
      label = "data in many lines, which breaks the message";
      may_wait = true;
      break;
    }
    case 8:
      text = "\xEF\xBB\xBF: comment\n\n\n:\n" + text;
      label = "a byte order mark, comments and blank lines";
      break;
    case 9:
      text += "data: {\"jsonrpc\":\"2.0\"\n\ndata\n\ndata: \xFF\xFE\n\n";
      label = "broken events after the answer";
      spoilt.after.is_garbled = true;
      break;
    case 10:
      text = "data:\n\ndata\n\n: \n\nid\nretry\nevent\n\n" + text;
      label = "empty fields";
      break;
    default:
      text += text;
      label = "the answer twice";
      break;
  }
  turn_into_stream(spoilt);
  spoilt.reply.body = text;
  spoilt.after.may_wait = may_wait;
  spoilt.after.label = "a stream with " + label;
}

// Bytes without end, within reason: the client decides when it has had enough.
void long_stream(SpoiltReply& spoilt, Random& random) {
  constexpr std::size_t kPiece = 64u << 10;
  if (!has_body(spoilt)) return;
  const std::string answer = event_of(spoilt.reply.body);
  std::string piece;
  std::size_t pieces = 0;
  switch (random.below(3)) {
    case 0:
      while (piece.size() < kPiece) piece += "event: assay\ndata: 1\n\n";
      pieces = 1;
      spoilt.after.label = "thousands of events of an unknown kind";
      break;
    case 1:
      piece = ":" + std::string(kPiece, 'c') + "\n";
      pieces = 200;
      spoilt.after.label = "12 MiB of comments";
      break;
    default:
      piece = "data: " + std::string(kPiece, 'd') + "\n";
      pieces = 300;
      spoilt.after.label = "an event of 19 MiB";
      break;
  }
  turn_into_stream(spoilt);
  spoilt.reply.body.clear();
  spoilt.reply.stream = std::make_shared<MadeBody>(
      [answer, piece, pieces](std::size_t number, std::string& chunk) {
        chunk += number < pieces ? piece : answer;
        return number < pieces;
      },
      false);
  spoilt.after.streamed_bytes = piece.size() * pieces;
  spoilt.after.may_wait = true;
}

// The connection breaks in the middle.
void cut_reply(SpoiltReply& spoilt, Random& random) {
  if (!has_body(spoilt)) return;
  std::string body = spoilt.reply.body;
  const bool is_stream = random.chance(50);
  if (is_stream) {
    turn_into_stream(spoilt);
    body = event_of(body);
  }
  body.resize(random.below(body.size()));
  spoilt.reply.body.clear();
  spoilt.reply.stream = std::make_shared<MadeBody>(
      [body](std::size_t, std::string& chunk) {
        chunk += body;
        return false;
      },
      true);
  say(spoilt, is_stream ? "a stream that breaks off" : "a body that breaks off");
}

bool is_no_stream(const SpoilPlace& place) {
  return place.method != "GET";
}

}  // namespace

std::vector<Operator> reply_operators() {
  return {
      {.name = "http-status",
       .weight = 12,
       .is_rough = true,
       .is_over_http = true,
       .reply = odd_status},
      {.name = "http-type",
       .weight = 12,
       .is_rough = true,
       .is_over_http = true,
       .fits = is_no_stream,
       .reply = odd_type},
      {.name = "http-length",
       .weight = 10,
       .is_rough = true,
       .is_over_http = true,
       .fits = is_no_stream,
       .reply = odd_length},
      {.name = "http-fields", .weight = 15, .is_over_http = true, .reply = odd_fields},
      {.name = "stream",
       .weight = 40,
       .is_over_http = true,
       .fits = is_no_stream,
       .reply = odd_stream},
      {.name = "long-stream",
       .weight = 6,
       .is_rough = true,
       .is_over_http = true,
       .fits = is_no_stream,
       .reply = long_stream},
      {.name = "http-cut",
       .weight = 6,
       .is_rough = true,
       .is_over_http = true,
       .fits = is_no_stream,
       .reply = cut_reply},
  };
}

}  // namespace assay::fuzz
