// Messages with a direction each, one a line:
//
//   {"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}
//
// A message that is a string is taken for its bytes as they stood, be they JSON or not.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "harness/recording/lines.h"
#include "harness/recording/session_builder.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// Sessions that are told apart at a time.
constexpr std::size_t kMostOpenSessions = 256;

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

  std::string take(std::string_view /*line*/, const Json& json) override {
    if (!json.is_object()) return "it is no JSON object";
    MessageLine line;
    if (std::string error = read_message_line(json, line); !error.empty()) return error;
    SessionBuilder& builder = session_of(line);
    transport::Observation observation;
    observation.kind = transport::Observation::Kind::kLine;
    observation.speaker = line.from;
    observation.bytes = std::move(line.bytes);
    builder.add(observation, line.at);
    return "";
  }

  void finish() override {
    for (auto& [name, builder] : open_) hand_over(builder);
    open_.clear();
  }

 private:
  // Where nothing names the sessions, each `initialize` begins one.
  SessionBuilder& session_of(const MessageLine& line) {
    const auto found = open_.find(line.session);
    if (found != open_.end()) {
      const bool begins_anew = line.session.empty() && line.from == Party::kClient &&
                               is_initialize(line.bytes) && has_begun_;
      has_begun_ = has_begun_ || is_initialize(line.bytes);
      if (!begins_anew) return found->second;
      hand_over(found->second);
      open_.erase(found);
    }
    has_begun_ = line.session.empty() && is_initialize(line.bytes);
    if (open_.size() >= kMostOpenSessions) {
      hand_over(open_.begin()->second);
      open_.erase(open_.begin());
    }
    SessionBuilder builder(sink_.vault, line.transport);
    if (line.transport != TransportKind::kStdio) {
      builder.conversation().gap = "the lines do not tell on which stream a message came";
    }
    return open_.insert_or_assign(line.session, std::move(builder)).first->second;
  }

  static bool is_initialize(const std::string& bytes) {
    // Cheap first: few lines are one.
    if (bytes.find("\"initialize\"") == std::string::npos) return false;
    const wire::Decoded decoded = wire::decode(bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    return message != nullptr && message->kind() == wire::MessageKind::kRequest &&
           message->method() == "initialize";
  }

  void hand_over(SessionBuilder& builder) {
    if (builder.is_cut()) {
      sink_.out.remarks.emplace_back("a session is longer than is read: its end is not judged");
    }
    sink_.take(builder.finish(false));
  }

  RecordingSink& sink_;
  std::map<std::string, SessionBuilder> open_;  // by what the lines call them
  bool has_begun_ = false;  // the session that has no name: an `initialize` has passed
};

}  // namespace

bool is_message_line(const Json& json) {
  return json.is_object() && json.contains("from") && json.contains("message");
}

std::unique_ptr<LineFormat> read_message_lines(RecordingSink& sink) {
  return std::make_unique<MessageLines>(sink);
}

}  // namespace assay::harness
