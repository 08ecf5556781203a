// Judges what a server writes to its standard output, and a client to the standard input of one.
//
// Specification: basic/transports, "stdio": one message a line, and nothing else.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/other_json.h"
#include "harness/monitors/session_view.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::DecodeError;

// How deep in arrays and objects a text is that comes line by line; each byte is looked at once.
class Nesting {
 public:
  // False where no line that follows can make a message of it: it begins with neither an array nor
  // an object, or the line ends inside of a string.
  bool take(std::string_view line) {
    for (const char c : line) {
      if (is_in_string_) {
        is_in_string_ = is_escaped_ || c != '"';
        is_escaped_ = c == '\\' && !is_escaped_;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if (depth_ == 0) {
        if (c != ' ' && c != '\t' && c != '\r') return false;
      } else if (c == '}' || c == ']') {
        --depth_;
      } else if (c == '"') {
        is_in_string_ = true;
      }
    }
    return !is_in_string_ && (depth_ > 0 || !line.empty());
  }
  // Everything that was opened is closed again.
  bool is_closed() const { return depth_ == 0; }

 private:
  std::size_t depth_ = 0;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
};

class StdioMonitor : public Monitor {
 public:
  std::string_view name() const override { return "stdio_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"stdio.stdout-only-messages", "stdio.no-embedded-newlines", "stdio.stderr-logging"};
  }
  std::vector<catalogue::RequirementId> client_requirements() const override {
    return {"stdio.stdin-only-messages", "stdio.no-embedded-newlines"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (!session.transport().has_process() || !event->is_from(judge.judged())) return;
    const auto& observation = event->observation;
    if (observation.kind == transport::Observation::Kind::kStderr) {
      judge.held("stdio.stderr-logging", event);
    }
    if (observation.kind != transport::Observation::Kind::kLine || !event->carries_message())
      return;
    // What the reading end cut off says nothing about the line.
    if (observation.is_truncated) return;
    const auto* error = event->decode_error();
    if (error == nullptr) {
      end_pieces(judge);
      const bool has_newline = observation.bytes().find('\n') != std::string::npos;
      judge.check("stdio.no-embedded-newlines", !has_newline, "the message holds a newline", event);
      judge.check(only_messages(judge), !is_other_json(*event->message()),
                  "a line is JSON, but not a message", event);
    } else if (observation.is_unterminated) {
      // Its process ended in the middle of it: nobody knows what it was to be.
      judge.unclear(only_messages(judge),
                    fmt::format("the last line has no end: the {} ended while it wrote it",
                                transport::name(judge.judged())),
                    {event});
    } else if (error->kind == DecodeError::Kind::kTooDeep ||
               error->kind == DecodeError::Kind::kTooLarge) {
      // The limit is ours.
      end_pieces(judge);
      judge.unclear(only_messages(judge), "a line was not read: " + error->detail, {event});
    } else if (error->kind != DecodeError::Kind::kInvalidUtf8) {
      add_piece(event, judge);
    }
  }

  void on_end(const SessionView& /*session*/, Judge& judge) override { end_pieces(judge); }

 private:
  static catalogue::RequirementId only_messages(const Judge& judge) {
    return judge.judged() == Party::kServer ? catalogue::RequirementId("stdio.stdout-only-messages")
                                            : catalogue::RequirementId("stdio.stdin-only-messages");
  }
  static std::string no_message(const Judge& judge) {
    return fmt::format("a line on standard {} is not a message",
                       judge.judged() == Party::kServer ? "output" : "input");
  }

  // Lines that are no message alone may be one together: then newlines are what is wrong.
  void add_piece(const EventPtr& event, Judge& judge) {
    const std::string_view line = event->observation.bytes();
    pieces_.push_back(event);
    if (!nesting_.take(line) || joined_.size() + line.size() > kMostJoined) {
      return end_pieces(judge);
    }
    joined_.append(line).push_back('\n');
    if (!nesting_.is_closed()) return;
    const bool is_message = std::holds_alternative<wire::Message>(wire::decode(joined_));
    if (!is_message || pieces_.size() < 2) return end_pieces(judge);
    judge.broke("stdio.no-embedded-newlines", "one message spans several lines", pieces_);
    clear();
  }

  void end_pieces(Judge& judge) {
    for (const EventPtr& piece : pieces_) {
      judge.broke(only_messages(judge), no_message(judge), {piece});
    }
    clear();
  }

  void clear() {
    pieces_.clear();
    joined_.clear();
    nesting_ = {};
  }

  // Of a message that is spread over lines; a longer one is judged line by line.
  static constexpr std::size_t kMostJoined = 1u << 20;

  std::vector<EventPtr> pieces_;
  std::string joined_;
  Nesting nesting_;
};

const MonitorRegistration<StdioMonitor> kStdioMonitorRegistration;

}  // namespace
}  // namespace assay::harness
