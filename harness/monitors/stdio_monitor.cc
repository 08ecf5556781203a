// Judges what a server writes to its standard output.
//
// Specification: basic/transports, "stdio": one message a line, and nothing else.
#include <string>
#include <variant>

#include "harness/monitors/monitor.h"
#include "harness/monitors/other_json.h"

namespace assay::harness {
namespace {

using wire::DecodeError;

class StdioMonitor : public Monitor {
 public:
  std::string_view name() const override { return "stdio_monitor"; }
  std::vector<catalogue::RequirementId> requirements() const override {
    return {"stdio.stdout-only-messages", "stdio.no-embedded-newlines", "stdio.stderr-logging"};
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (session.transport() != TransportKind::kStdio || event->is_sent()) return;
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
      judge.check("stdio.stdout-only-messages", !is_other_json(*event->message()),
                  "a line of standard output is JSON, and no message", event);
    } else if (observation.is_unterminated) {
      // Its process ended in the middle of it: nobody knows what it was to be.
      judge.unclear("stdio.stdout-only-messages",
                    "the last line has no end: the server ended while it wrote it", {event});
    } else if (error->kind != DecodeError::Kind::kInvalidUtf8) {
      add_piece(event, judge);
    }
  }

  void on_end(const SessionView& /*session*/, Judge& judge) override { end_pieces(judge); }

 private:
  // Lines that are no message alone may be one together: then newlines are what is wrong.
  void add_piece(const EventPtr& event, Judge& judge) {
    constexpr std::size_t kMostPieces = 10'000;
    if (pieces_.size() >= kMostPieces) return;
    pieces_.push_back(event);
    joined_ += event->observation.bytes();
    joined_ += '\n';
    const bool may_be_whole =
        event->observation.bytes() == "}" || event->observation.bytes() == "]";
    if (!may_be_whole || pieces_.size() < 2) return;
    if (!std::holds_alternative<wire::Message>(wire::decode(joined_))) return;
    judge.broke("stdio.no-embedded-newlines", "one message stands on several lines", pieces_);
    pieces_.clear();
    joined_.clear();
  }

  void end_pieces(Judge& judge) {
    for (const EventPtr& piece : pieces_) {
      judge.broke("stdio.stdout-only-messages", "a line of standard output is no message", {piece});
    }
    pieces_.clear();
    joined_.clear();
  }

  std::vector<EventPtr> pieces_;
  std::string joined_;
};

const MonitorRegistration<StdioMonitor> kStdioMonitorRegistration;

}  // namespace
}  // namespace assay::harness
