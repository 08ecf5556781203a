#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "harness/recording/http_sessions.h"
#include "harness/recording/lines.h"
#include "harness/recording/session_builder.h"
#include "harness/script/json_member.h"
#include "harness/transcript/transcript_file.h"

namespace assay::harness {
namespace {

// An event behind which nobody read on, or a file that says so.
bool is_left_out_line(const Json& json) {
  return json.is_object() && json.contains("left_out") && json.size() == 1;
}

TransportKind transport_in(std::string_view run) {
  const std::string_view named = run.substr(std::min(run.find(' '), run.size() - 1) + 1);
  for (const TransportKind kind : {TransportKind::kHttp, TransportKind::kHttpSse}) {
    if (named == name(kind)) return kind;
  }
  return TransportKind::kStdio;
}

// The older pair of endpoints has a stream that names where messages go.
TransportKind transport_of(std::span<const EventPtr> events) {
  TransportKind kind = TransportKind::kStdio;
  for (const EventPtr& event : events) {
    if (event->observation.lane.kind != transport::Lane::Kind::kHttp) continue;
    kind = TransportKind::kHttp;
    const wire::SseEvent* sse = event->observation.event();
    if (sse != nullptr && sse->event == "endpoint") return TransportKind::kHttpSse;
  }
  return kind;
}

class Transcripts : public LineFormat {
 public:
  explicit Transcripts(RecordingSink& sink) : sink_(sink), builder_(sink.vault) {}

  std::string take(const Json& line) override {
    if (const auto run = connection_run(line)) {
      hand_over();
      begin(*run);
      is_altered_ = member(line, "values_removed") == true;
      return "";
    }
    if (is_left_out_line(line)) {
      has_all_ = false;
      sink_.out.shortfall = "the transcript became too long, and lacks its end";
      return "";
    }
    auto read = read_observation(line);
    if (auto* error = std::get_if<std::string>(&read)) return std::move(*error);
    const auto& recorded = std::get<RecordedObservation>(read);
    if (builder_.is_empty()) first_number_ = recorded.n;
    builder_.add(recorded.observation, recorded.at);
    return "";
  }

  void finish() override { hand_over(); }

 private:
  void begin(const std::string& run) {
    has_heading_ = true;
    // Many clients may have passed at one place.
    is_tapped_ = run.starts_with("tap ");
    heading_transport_ = run.empty() ? TransportKind::kStdio : transport_in(run);
    revision_ = model::Revision::parse(run.substr(0, run.find(' ')));
  }

  void hand_over() {
    if (builder_.is_empty()) return;
    RecordedSession conversation = builder_.finish(has_heading_ && first_number_ == 1);
    conversation.transport = has_heading_ ? heading_transport_ : transport_of(conversation.events);
    conversation.fallback = revision_;
    conversation.is_altered = is_altered_;
    if (is_altered_) conversation.gap = "values were taken out of the recording";
    conversation.is_whole = conversation.is_whole && has_all_;
    if (!is_tapped_ || conversation.transport.has_process()) {
      return sink_.take(std::move(conversation));
    }
    for (RecordedSession& each : split_http(conversation)) sink_.take(std::move(each));
  }

  RecordingSink& sink_;
  SessionBuilder builder_;
  bool has_heading_ = false;
  bool has_all_ = true;
  bool is_tapped_ = false;
  bool is_altered_ = false;
  TransportKind heading_transport_ = TransportKind::kStdio;
  std::uint64_t first_number_ = 0;
  std::optional<model::Revision> revision_;
};

}  // namespace

bool is_transcript_line(const Json& json) {
  return connection_run(json) ||
         (json.is_object() && json.contains("n") && json.contains("lane") && json.contains("kind"));
}

std::unique_ptr<LineFormat> read_transcripts(RecordingSink& sink) {
  return std::make_unique<Transcripts>(sink);
}

}  // namespace assay::harness
