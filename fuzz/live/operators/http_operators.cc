// HTTP gone wrong: methods, headers, sessions, lengths, chunks, and connections that end early.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "fuzz/live/judge/http_rules.h"
#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/values/odd_values.h"

namespace assay::fuzz {
namespace {

Step http_step(std::string method, std::string body, transport::Headers headers = {}) {
  Step step;
  step.kind = Step::Kind::kHttp;
  step.method = std::move(method);
  step.bytes = std::move(body);
  step.headers = std::move(headers);
  return step;
}

constexpr std::pair<const char*, const char*> kOddHeaders[] = {
    {"Accept", ""},
    {"Accept", "text/html"},
    {"Accept", "application/json"},
    {"Accept", "*/*"},
    {"Accept", "application/json;q=0, text/event-stream;q=0"},
    {"Accept", ",,;;=="},
    {"Content-Type", ""},
    {"Content-Type", "text/plain"},
    {"Content-Type", "application/json; charset=utf-16"},
    {"Content-Type", "multipart/form-data"},
    {"Content-Encoding", "gzip"},
    {"Content-Encoding", "assay"},
    {"Mcp-Session-Id", ""},
    {"Mcp-Session-Id", "assay-no-such-session"},
    {"Mcp-Session-Id", "\xC3\xA9"},
    {"Mcp-Session-Id", "a, b"},
    {"MCP-Protocol-Version", ""},
    {"MCP-Protocol-Version", "1999-01-01"},
    {"MCP-Protocol-Version", "2025-03-26"},
    {"Origin", "http://assay-evil.invalid"},
    {"Origin", "null"},
    {"Host", "assay-evil.invalid"},
    {"Last-Event-ID", "assay-no-such-event"},
    {"Last-Event-ID", "-1"},
    {"Expect", "100-continue"},
    {"Expect", "assay"},
    {"Connection", "close"},
    {"Upgrade", "websocket"},
    {"Transfer-Encoding", "identity"},
    {"Range", "bytes=0-0"},
    {"X-Forwarded-For", "127.0.0.1"},
    {"Cookie", "a=b; a=c"},
};

struct Raw {
  const char* label;
  const char* head;  // ends before the body; %B is its length, %b one byte less, %M one more
  Step::End end;
};

constexpr Raw kRaws[] = {
    {"short-length", "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HContent-Length: %b\r\n\r\n",
     Step::End::kRead},
    {"long-length", "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HContent-Length: %M\r\n\r\n",
     Step::End::kHalfClose},
    {"long-length-gone", "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HContent-Length: %M\r\n\r\n",
     Step::End::kAbandon},
    {"huge-length",
     "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HContent-Length: 99999999999999999999\r\n\r\n",
     Step::End::kHalfClose},
    {"negative-length", "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HContent-Length: -1\r\n\r\n",
     Step::End::kHalfClose},
    {"two-lengths",
     "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HContent-Length: %B\r\nContent-Length: 1\r\n\r\n",
     Step::End::kHalfClose},
    {"no-length", "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%H\r\n", Step::End::kHalfClose},
    {"chunked-bad",
     "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HTransfer-Encoding: chunked\r\n\r\nzz\r\n",
     Step::End::kHalfClose},
    {"chunked-cut",
     "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HTransfer-Encoding: chunked\r\n\r\n%X\r\n",
     Step::End::kHalfClose},
    {"chunked-huge",
     "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HTransfer-Encoding: "
     "chunked\r\n\r\nffffffffffffffff\r\n",
     Step::End::kHalfClose},
    {"length-and-chunked",
     "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HContent-Length: %B\r\nTransfer-Encoding: "
     "chunked\r\n\r\n0\r\n\r\n",
     Step::End::kHalfClose},
    {"http-0.9", "GET @PATH@\r\n", Step::End::kHalfClose},
    {"http-2-preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Step::End::kHalfClose},
    {"http-9.9", "POST @PATH@ HTTP/9.9\r\nHost: @HOST@\r\n%HContent-Length: %B\r\n\r\n",
     Step::End::kHalfClose},
    {"no-host", "POST @PATH@ HTTP/1.1\r\n%HContent-Length: %B\r\n\r\n", Step::End::kHalfClose},
    {"folded", "POST @PATH@ HTTP/1.1\r\nHost: @HOST@\r\n%HX: a\r\n b\r\nContent-Length: %B\r\n\r\n",
     Step::End::kHalfClose},
    {"bare-lf", "POST @PATH@ HTTP/1.1\nHost: @HOST@\nContent-Length: %B\n\n",
     Step::End::kHalfClose},
    {"half-a-head", "POST @PATH@ HTTP/1.1\r\nHost: @HO", Step::End::kAbandon},
    {"nothing", "", Step::End::kAbandon},
    {"half-close-get",
     "GET @PATH@ HTTP/1.1\r\nHost: @HOST@\r\nAccept: text/event-stream\r\nMcp-Session-Id: "
     "@SESSION@\r\n\r\n",
     Step::End::kHalfClose},
};

constexpr std::string_view kUsual =
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    "Mcp-Session-Id: @SESSION@\r\n";

// `repeated`: the fields that repeat parts of the body.
std::string raw_request(const Raw& raw, const transport::Headers& repeated,
                        const std::string& body) {
  std::string out;
  const std::string_view head = raw.head;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] != '%' || i + 1 == head.size()) {
      out += head[i];
      continue;
    }
    switch (head[++i]) {
      case 'B':
        out += std::to_string(body.size());
        break;
      case 'b':
        out += std::to_string(body.size() - 1);
        break;
      case 'M':
        out += std::to_string(body.size() + 1);
        break;
      case 'X':
        out += fmt::format("{:x}", body.size() + 10);
        break;
      default:
        out += kUsual;
        for (const auto& [name, value] : repeated) out += fmt::format("{}: {}\r\n", name, value);
    }
  }
  return out + body;
}

}  // namespace

Case Generator::odd_http() {
  Case made;
  const std::string body = text_of(request(made));
  const std::size_t roll = random_.below(10);
  if (roll == 0) {
    static constexpr const char* kMethods[] = {"GET",   "PUT",     "PATCH", "HEAD",
                                               "TRACE", "OPTIONS", "ASSAY", "DELETE"};
    const std::string method = random_.pick(kMethods);
    made.origin = "http: method " + method;
    made.steps = {http_step(method, method == "GET" ? "" : body)};
    made.steps[0].session = 1;  // DELETE ends it
  } else if (roll == 1) {
    made.origin = "http: ended session";
    made.steps = {http_step("DELETE", ""), line_step(body)};
    if (random_.chance(30)) made.steps[1] = http_step("GET", "", {{"Accept", "text/event-stream"}});
    for (Step& step : made.steps) step.session = 1;
  } else if (roll == 2) {
    made.origin = "http: abandoned";
    made.steps = {http_step("POST", body)};
    made.steps[0].end = Step::End::kAbandon;
  } else if (roll == 3) {
    made.origin = "http: stream abandoned";
    made.steps = {http_step("GET", "", {{"Accept", "text/event-stream"}}), line_step(body)};
    made.steps[0].end = random_.chance(50) ? Step::End::kAbandon : Step::End::kRead;
  } else {
    Deck& deck = roll == 4 ? odd_headers_of_get_ : odd_headers_;
    const auto& [name, value] = kOddHeaders[deck.draw(random_, std::size(kOddHeaders))];
    made.origin = fmt::format("http: header {}", name);
    made.steps = {http_step(roll == 4 ? "GET" : "POST", roll == 4 ? "" : body, {{name, value}})};
  }
  return made;
}

Case Generator::raw_http() {
  Case made;
  const Raw& raw = kRaws[raws_.draw(random_, std::size(kRaws))];
  made.origin = fmt::format("raw: {}", raw.label);
  Step step;
  step.kind = Step::Kind::kSocket;
  const std::string body = text_of(request(made));
  step.bytes = raw_request(raw, repeated_fields(words_, body), body);
  step.end = raw.end;
  made.steps = {step};
  return made;
}

// Two sessions use one id at the same time, and each has a progress token of its own.
Case Generator::one_id_in_two_sessions() {
  Case made;
  made.origin = "sessions: one id";
  const std::uint64_t id = new_id(made);
  for (const int session : {0, 1}) {
    Case unused;
    Json whole = request(unused);
    const std::string mark = fmt::format("{}-{}", session_mark(session), last_id_);
    whole["id"] = id;
    whole["params"]["_meta"]["progressToken"] = mark;
    made.steps.push_back(line_step(text_of(whole)));
    made.steps.back().session = session;
  }
  made.steps[0].overlaps = true;
  return made;
}

// What one session says, the other must not hear.
Case Generator::two_sessions() {
  Case made;
  made.origin = "sessions: two";
  const int first = static_cast<int>(random_.below(2));
  for (const int session : {first, 1 - first, first}) {
    Json whole = request(made);
    const std::string mark = fmt::format("{}-{}", session_mark(session), last_id_);
    whole["id"] = mark;
    if (random_.chance(50)) whole["params"]["_meta"]["progressToken"] = mark;
    made.steps.push_back(line_step(text_of(whole)));
    made.steps.back().session = session;
  }
  if (random_.chance(50)) made.steps[0].overlaps = made.steps[1].overlaps = true;
  return made;
}

}  // namespace assay::fuzz
