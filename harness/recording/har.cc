// HAR: what browsers, proxies and debuggers save of HTTP. Each entry is one exchange with its
// times; what passed within a body, and when, it does not tell.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/recording/http_sessions.h"
#include "harness/recording/lines.h"
#include "harness/recording/session_builder.h"
#include "harness/script/json_member.h"
#include "reference/wire/base64.h"
#include "reference/wire/message.h"
#include "reference/wire/sse.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using Milliseconds = double;  // since some beginning, as HAR has them

constexpr const char* kOverlapping =
    "exchanges overlap, and HAR does not tell in which order their messages came";

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int number = 0;
  if (at + count > text.size()) return std::nullopt;
  const char* end = text.data() + at + count;
  const auto parsed = std::from_chars(text.data() + at, end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

// "2025-11-25T10:30:00.123Z". One file has one zone, and only differences count.
std::optional<Milliseconds> moment_in(std::string_view text) {
  const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2),
             hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  double fraction = 0;
  if (text.size() > 20 && text[19] == '.') {
    double unit = 100;
    for (std::size_t i = 20; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, unit /= 10) {
      fraction += (text[i] - '0') * unit;
    }
  }
  return ((static_cast<double>(days) * 24 + *hour) * 60 + *minute) * 60'000.0 + *second * 1000.0 +
         fraction;
}

transport::Headers headers_in(const Json& side) {
  transport::Headers headers;
  for (const Json& field : array_member(side, "headers")) {
    const std::string_view name = text_member(field, "name");
    // HTTP/2 has its first line as fields.
    if (!name.starts_with(':')) headers.emplace_back(name, text_member(field, "value"));
  }
  return headers;
}

std::optional<std::string> header_in(const transport::Headers& headers, std::string_view name) {
  const auto found = transport::find_header(headers, name);
  return found ? std::optional(std::string(*found)) : std::nullopt;
}

// One exchange, as it will be observed.
struct Exchanged {
  Milliseconds start = 0;
  Milliseconds end = 0;
  std::string url;       // without a query
  std::string full_url;  // with it
  std::string target;
  std::string method;
  std::string sent;  // the body
  transport::Headers sent_fields;
  int status = 0;
  transport::Headers fields;
  std::optional<std::string> body;  // nothing if the file does not have it

  bool is_event_stream() const { return transport::media_type(fields) == "text/event-stream"; }
};

std::optional<std::string> body_of(const Json& content) {
  const Json& text = member(content, "text");
  if (!text.is_string()) {
    const Json& size = member(content, "size");
    const bool is_empty = !size.is_number() || size.get<double>() <= 0;
    return is_empty ? std::optional<std::string>("") : std::nullopt;
  }
  if (text_member(content, "encoding") != "base64") return text.get<std::string>();
  return wire::decode_base64(text.get_ref<const std::string&>());
}

std::optional<Exchanged> read_entry(const Json& entry, std::size_t place) {
  const Json& request = member(entry, "request");
  const Json& response = member(entry, "response");
  Exchanged out;
  out.full_url = text_member(request, "url");
  const std::size_t scheme = out.full_url.find("://");
  if (scheme == std::string::npos || !response.is_object()) return std::nullopt;
  out.url = out.full_url.substr(0, out.full_url.find_first_of("?#"));
  const std::size_t path = out.full_url.find('/', scheme + 3);
  out.target = path == std::string::npos ? "/" : out.full_url.substr(path);
  out.method = text_member(request, "method");
  out.sent = text_member(member(request, "postData"), "text");
  out.sent_fields = headers_in(request);
  out.fields = headers_in(response);
  const Json& status = member(response, "status");
  if (status.is_number_integer() && status >= 0 && status < 1000) out.status = status.get<int>();
  out.body = body_of(member(response, "content"));
  out.start = moment_in(text_member(entry, "startedDateTime")).value_or(static_cast<double>(place));
  const Json& time = member(entry, "time");
  out.end = out.start + (time.is_number() ? std::clamp(time.get<double>(), 0.0, 1e12) : 0.0);
  return out;
}

bool is_message_text(const std::string& text) {
  const wire::Decoded decoded = wire::decode(text);
  const auto* message = std::get_if<wire::Message>(&decoded);
  return message != nullptr && message->kind() != wire::MessageKind::kMalformed;
}

bool is_initialize(const std::string& text) {
  const wire::Decoded decoded = wire::decode(text);
  const auto* message = std::get_if<wire::Message>(&decoded);
  return message != nullptr && message->method() == "initialize";
}

// The URLs that messages were POSTed to: all else of the file has nothing to do with MCP.
std::set<std::string> endpoints_in(const std::vector<Exchanged>& all) {
  std::set<std::string> endpoints;
  for (const Exchanged& each : all) {
    if (each.method == "POST" && is_message_text(each.sent)) endpoints.insert(each.url);
  }
  return endpoints;
}

// A stream of the older pair of endpoints names where messages are POSTed.
bool is_older_stream(const Exchanged& each) {
  return each.method == "GET" && each.is_event_stream() && each.body &&
         (each.body->starts_with("event: endpoint") || each.body->starts_with("event:endpoint"));
}

class HarReader {
 public:
  explicit HarReader(RecordingSink& sink) : sink_(sink) {}

  void read(std::vector<Exchanged> all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Exchanged& a, const Exchanged& b) { return a.start < b.start; });
    if (std::any_of(all.begin(), all.end(), is_older_stream)) {
      sink_.out.remarks.emplace_back("it holds the older HTTP+SSE, which is not read from HAR");
      return;
    }
    const std::set<std::string> endpoints = endpoints_in(all);
    std::map<std::string, std::vector<const Exchanged*>> sessions;
    std::vector<std::string> order;
    HttpSessions names;
    for (const Exchanged& each : all) {
      if (!endpoints.contains(each.url)) continue;
      const std::string name =
          names.name_of({each.url, header_in(each.sent_fields, "Mcp-Session-Id"),
                         header_in(each.fields, "Mcp-Session-Id"), is_initialize(each.sent)});
      if (!sessions.contains(name)) order.push_back(name);
      sessions[name].push_back(&each);
    }
    for (const std::string& name : order) hand_over(sessions[name]);
    if (order.empty()) sink_.out.remarks.emplace_back("no exchange of it carries an MCP message");
  }

 private:
  struct Timed {
    Milliseconds at;
    transport::Observation observation;
  };

  void hand_over(const std::vector<const Exchanged*>& session) {
    std::vector<Timed> all;
    bool overlaps = false;
    Milliseconds end = 0;
    std::uint64_t number = 0;
    for (const Exchanged* each : session) {
      overlaps = overlaps || each->start < end;
      end = std::max(end, each->end);
      add(*each, ++number, all);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Timed& a, const Timed& b) { return a.at < b.at; });
    SessionBuilder builder(sink_.vault, TransportKind::kHttp);
    if (overlaps) builder.conversation().gap = kOverlapping;
    for (const Timed& each : all) {
      const double since = std::max(0.0, each.at - session.front()->start);
      builder.add(each.observation,
                  std::chrono::nanoseconds(static_cast<std::int64_t>(since * 1e6)));
    }
    RecordedSession conversation = builder.finish(false);
    conversation.is_whole = false;  // whoever saves may do so at any time
    sink_.take(std::move(conversation));
  }

  // The answer is taken to have come at once when the exchange ended.
  static void add(const Exchanged& each, std::uint64_t number, std::vector<Timed>& all) {
    const transport::Lane lane{transport::Lane::Kind::kHttp, number};
    const auto put = [&](Kind kind, Party party, Milliseconds at) -> transport::Observation& {
      Timed& timed = all.emplace_back();
      timed.at = at;
      timed.observation.kind = kind;
      timed.observation.speaker = party;
      timed.observation.lane = lane;
      return timed.observation;
    };
    transport::Observation& request = put(Kind::kHttpRequest, Party::kClient, each.start);
    request.http = transport::HttpHead{each.method, each.target, 0, each.sent_fields};
    request.bytes = each.sent;
    if (each.status == 0) {
      put(Kind::kBroken, Party::kClient, each.end).bytes = "there was no answer";
      return;
    }
    const transport::HttpHead head{"", "", each.status, each.fields};
    put(Kind::kHttpResponse, Party::kServer, each.end).http = head;
    if (!each.body) {
      put(Kind::kBroken, Party::kClient, each.end).bytes = "the file does not have the body";
      return;
    }
    if (each.is_event_stream()) {
      wire::SseParser parser([&](wire::SseEvent event) {
        put(Kind::kSseEvent, Party::kServer, each.end).event = std::move(event);
      });
      parser.feed(*each.body);
      parser.finish();
      // Who ended the stream, the file does not tell.
      put(Kind::kClosed, Party::kClient, each.end).bytes = "the stream ended";
      return;
    }
    transport::Observation& body = put(Kind::kHttpBody, Party::kServer, each.end);
    body.http = head;
    body.bytes = *each.body;
    put(Kind::kClosed, Party::kServer, each.end).bytes = "the answer ended";
  }

  RecordingSink& sink_;
};

}  // namespace

bool is_har(const Json& json) {
  return member(member(json, "log"), "entries").is_array();
}

void read_har(const Json& har, RecordingSink& sink) {
  std::vector<Exchanged> all;
  const Json& entries = array_member(member(har, "log"), "entries");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (auto exchanged = read_entry(entries[i], i)) all.push_back(*std::move(exchanged));
  }
  HarReader(sink).read(std::move(all));
}

}  // namespace assay::harness
