// Messages with a direction each, one a line:
//
//   {"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}
//
// A message that is a string is taken for its bytes as they stood, be they JSON or not.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "harness/recording/lines.h"
#include "harness/recording/session_builder.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// Sessions that are told apart at a time, and what all of them hold.
constexpr std::size_t kMostOpenSessions = 256;
constexpr std::size_t kMostOpenBytes = 128u << 20;
// A name is a few dozen bytes.
constexpr std::size_t kLongestSessionName = 4096;

std::optional<TransportKind> parse_transport(std::string_view text) {
  for (const TransportKind kind :
       {TransportKind::kStdio, TransportKind::kHttp, TransportKind::kHttpSse}) {
    if (text == name(kind)) return kind;
  }
  return std::nullopt;
}

struct MessageLine {
  Party from = Party::kClient;
  std::string bytes;
  std::string session;
  TransportKind transport = TransportKind::kStdio;
  std::chrono::nanoseconds at{0};
};

// One sentence if something is wrong with it.
std::string read_message_line(const Json& json, MessageLine& out) {
  const std::string_view from = text_member(json, "from");
  if (from != "client" && from != "server") return "\"from\" is neither client nor server";
  out.from = from == "client" ? Party::kClient : Party::kServer;
  if (!json.contains("message")) return "it has no message";
  const Json& message = json["message"];
  out.bytes = message.is_string() ? message.get<std::string>() : wire::encode(message);
  const Json& session = member(json, "session");
  if (!session.is_null()) out.session = wire::encode(session);
  if (out.session.size() > kLongestSessionName) return "\"session\" is too long for a name";
  if (const Json& named = member(json, "transport"); !named.is_null()) {
    const auto kind = parse_transport(named.is_string() ? named.get_ref<const std::string&>() : "");
    if (!kind) return "\"transport\" is none of stdio, http, http+sse";
    out.transport = *kind;
  }
  const Json& at = member(json, "at_ms");
  if (at.is_number() && at.get<double>() >= 0 && at.get<double>() < 1e12) {
    out.at = std::chrono::nanoseconds(static_cast<std::int64_t>(at.get<double>() * 1e6));
  }
  return "";
}

class MessageLines : public LineFormat {
 public:
  explicit MessageLines(RecordingSink& sink) : sink_(sink) {}

  std::string take(const Json& json) override {
    if (!json.is_object()) return "it is no JSON object";
    MessageLine line;
    if (std::string error = read_message_line(json, line); !error.empty()) return error;
    const bool is_first = line.from == Party::kClient && is_initialize(line.bytes);
    OpenSession& session = session_of(line, is_first);
    transport::Observation observation;
    observation.kind = transport::Observation::Kind::kLine;
    observation.speaker = line.from;
    observation.bytes = std::move(line.bytes);
    const std::size_t before = session.builder.bytes();
    session.builder.add(observation, line.at);
    session.has_begun = session.has_begun || is_first;
    session.latest = ++lines_;
    open_bytes_ += session.builder.bytes() - before;
    while (open_bytes_ > kMostOpenBytes && open_.size() > 1) give_up_oldest();
    return "";
  }

  void finish() override {
    while (!open_.empty()) hand_over(open_.begin());
  }

 private:
  struct OpenSession {
    SessionBuilder builder;
    bool has_begun = false;    // an `initialize` has passed
    std::uint64_t latest = 0;  // the line that was its last
  };
  using OpenSessions = std::map<std::string, OpenSession>;  // by what the lines call them

  // Where nothing names the sessions, each `initialize` begins one.
  OpenSession& session_of(const MessageLine& line, bool is_first) {
    const auto found = open_.find(line.session);
    if (found != open_.end()) {
      if (!is_first || !line.session.empty() || !found->second.has_begun) return found->second;
      hand_over(found);
    }
    if (open_.size() >= kMostOpenSessions) give_up_oldest();
    SessionBuilder builder(sink_.vault, line.transport);
    if (!line.transport.has_order()) {
      builder.conversation().gap = "the lines do not tell on which stream a message came";
    }
    return open_.emplace(line.session, OpenSession{std::move(builder)}).first->second;
  }

  static bool is_initialize(const std::string& bytes) {
    // Cheap first: few lines are one.
    if (bytes.find("\"initialize\"") == std::string::npos) return false;
    const wire::Decoded decoded = wire::decode(bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    return message != nullptr && message->kind() == wire::MessageKind::kRequest &&
           message->method() == "initialize";
  }

  void hand_over(OpenSessions::iterator session) {
    open_bytes_ -= session->second.builder.bytes();
    sink_.take(session->second.builder.finish(false));
    open_.erase(session);
  }
  // What comes of it later is a session that begins in the middle.
  void give_up_oldest() {
    const auto is_older = [](const auto& a, const auto& b) {
      return a.second.latest < b.second.latest;
    };
    hand_over(std::min_element(open_.begin(), open_.end(), is_older));
    sink_.out.shortfall = "too many sessions go on at once: some are judged in pieces";
  }

  RecordingSink& sink_;
  OpenSessions open_;
  std::size_t open_bytes_ = 0;  // of all of them
  std::uint64_t lines_ = 0;
};

}  // namespace

bool is_message_line(const Json& json) {
  return json.is_object() && json.contains("from") && json.contains("message");
}

std::unique_ptr<LineFormat> read_message_lines(RecordingSink& sink) {
  return std::make_unique<MessageLines>(sink);
}

}  // namespace assay::harness
