#include "harness/tap/http_recorder.h"

#include <fmt/format.h>

#include <utility>

#include "harness/recording/http_sessions.h"

namespace assay::harness {
namespace {

// Every text that is kept is searched for each of them.
constexpr std::size_t kMostHiddenIds = 200;

}  // namespace

HttpRecorder::HttpRecorder(std::shared_ptr<reports::Vault> vault, TakeEvent take,
                           std::size_t most_waiting)
    : vault_(vault),
      recording_(std::move(vault), TransportKind::kHttp, std::move(take)),
      backlog_(
          most_waiting, [this](const Seen& seen) { this->take(seen); },
          [this, most_waiting] {
            recording_.cut_off(
                fmt::format("the recording fell behind the traffic by more than {} MiB",
                            most_waiting >> 20U),
                Clock::now());
          }) {}

void HttpRecorder::observe(const transport::Observation& observation) {
  backlog_.put({observation, Clock::now()}, cost_beside_message(observation));
}

// Whoever knows the id of a session may speak in it: it stands in no report and no transcript.
void HttpRecorder::take(const Seen& seen) {
  if (seen.observation.kind == transport::Observation::Kind::kHttpResponse) {
    const auto id = transport::find_header(seen.observation.http->headers, "Mcp-Session-Id");
    if (id && hidden_ids_ < kMostHiddenIds) {
      ++hidden_ids_;
      vault_->add(std::string(*id));
    }
  }
  recording_.add(seen.observation, seen.at);
}

std::vector<RecordedSession> HttpRecorder::finish(const std::string& endpoint) {
  drain();
  return split_http(recording_.finish(), endpoint);
}

}  // namespace assay::harness
