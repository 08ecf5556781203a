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

#include "harness/monitors/trace.h"
#include "harness/recording/http_sessions.h"
#include "harness/recording/lines.h"
#include "harness/recording/session_builder.h"
#include "harness/script/json_member.h"
#include "reference/wire/base64.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "reference/wire/sse.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using Milliseconds = double;  // since some beginning, as HAR has them

constexpr int kOk = 200;
constexpr const char* kIncomplete = "the file does not have the body of every exchange";
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
  std::optional<std::string> sent;  // the body; nothing if the file does not have it
  transport::Headers sent_fields;
  int status = 0;
  transport::Headers fields;
  std::optional<std::string> body;  // nothing if the file does not have it

  bool is_event_stream() const { return transport::media_type(fields) == "text/event-stream"; }
};

// Nothing: the file does not have it. Browsers leave out the text of streams, and say 0 of its
// size.
std::optional<std::string> body_of(const Json& content, int status) {
  const Json& text = member(content, "text");
  if (!text.is_string()) {
    const Json& size = member(content, "size");
    const bool is_empty = size.is_number() && size == 0 && status != kOk;
    return is_empty ? std::optional<std::string>("") : std::nullopt;
  }
  if (text_member(content, "encoding") != "base64") return text.get<std::string>();
  return wire::decode_base64(text.get_ref<const std::string&>());
}

std::optional<std::string> sent_body_of(const Json& request) {
  const Json& text = member(member(request, "postData"), "text");
  if (text.is_string()) return text.get<std::string>();
  const Json& size = member(request, "bodySize");
  const bool is_empty = text_member(request, "method") != "POST" || (size.is_number() && size == 0);
  return is_empty ? std::optional<std::string>("") : std::nullopt;
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
  out.sent = sent_body_of(request);
  out.sent_fields = headers_in(request);
  out.fields = headers_in(response);
  const Json& status = member(response, "status");
  if (status.is_number_integer() && status >= 0 && status < 1000) out.status = status.get<int>();
  out.body = body_of(member(response, "content"), out.status);
  out.start = moment_in(text_member(entry, "startedDateTime")).value_or(static_cast<double>(place));
  const Json& time = member(entry, "time");
  out.end = out.start + (time.is_number() ? std::clamp(time.get<double>(), 0.0, 1e12) : 0.0);
  return out;
}

// What a POST tells of its session.
SessionMarks marks_of(const Exchanged& each) {
  SessionMarks marks;
  marks.endpoint = each.url;
  marks.asked = header_in(each.sent_fields, "Mcp-Session-Id");
  marks.given = header_in(each.fields, "Mcp-Session-Id");
  marks.agent = header_in(each.sent_fields, "User-Agent").value_or("");
  marks.is_mcp = each.method == "DELETE" || (each.method == "GET" && each.is_event_stream());
  if (each.method != "POST" || !each.sent) return marks;
  const wire::Decoded decoded = wire::decode(*each.sent);
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (message == nullptr || message->kind() == wire::MessageKind::kMalformed) return marks;
  marks.is_mcp = true;
  marks.is_initialize = message->method() == "initialize";
  // What is larger than a session may be is not read.
  marks.names_revision =
      message->held_bytes() <= Transcript::kMaxBytes && revision_of(*message).has_value();
  if (message->kind() == wire::MessageKind::kRequest) {
    marks.id = wire::encode(wire::to_json(*message->id()));
  }
  return marks;
}

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
    std::vector<const Exchanged*> wanted;
    std::vector<SessionMarks> marks;
    std::set<std::string> endpoints;
    for (const Exchanged& each : all) {
      SessionMarks of_each = marks_of(each);
      if (of_each.is_mcp && each.method == "POST") endpoints.insert(each.url);
      // Browsers ask first whether they may.
      if (each.method == "OPTIONS") continue;
      wanted.push_back(&each);
      marks.push_back(std::move(of_each));
    }
    std::erase_if(wanted, [&](const Exchanged* each) { return !endpoints.contains(each->url); });
    std::erase_if(marks, [&](const auto& each) { return !endpoints.contains(each.endpoint); });
    const std::vector<HttpSessionName> names = sessions_of(marks);
    std::map<std::string, Found> sessions;
    std::vector<std::string> order;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!sessions.contains(names[i].name)) order.push_back(names[i].name);
      Found& session = sessions[names[i].name];
      session.exchanges.push_back(wanted[i]);
      if (!names[i].doubt.empty()) session.doubt = names[i].doubt;
    }
    for (const std::string& name : order) hand_over(sessions[name]);
    if (order.empty()) sink_.out.remarks.emplace_back("no exchange of it carries an MCP message");
  }

 private:
  struct Timed {
    Milliseconds at;
    transport::Observation observation;
  };

  struct Found {
    std::vector<const Exchanged*> exchanges;
    std::string doubt;
  };

  void hand_over(const Found& session) {
    std::vector<Timed> all;
    bool overlaps = false;
    bool has_all = true;
    Milliseconds end = 0;
    std::uint64_t number = 0;
    for (const Exchanged* each : session.exchanges) {
      // Of a request that nobody knows, nobody knows the answer either.
      has_all = has_all && each->sent && (each->body || each->status == 0);
      if (!each->sent) continue;
      overlaps = overlaps || each->start < end;
      end = std::max(end, each->end);
      add(*each, ++number, all);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Timed& a, const Timed& b) { return a.at < b.at; });
    SessionBuilder builder(sink_.vault, TransportKind::kHttp);
    builder.conversation().gap = session.doubt;
    if (overlaps) builder.conversation().gap = kOverlapping;
    if (!has_all) builder.conversation().gap = kIncomplete;
    for (const Timed& each : all) {
      const double since = std::max(0.0, each.at - session.exchanges.front()->start);
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
    request.bytes = *each.sent;
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
