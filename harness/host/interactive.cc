#include "harness/host/interactive.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "harness/host/play.h"
#include "harness/host/stage.h"
#include "harness/watch/lines.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// Lists come in pages, so that there is something to go on with.
constexpr std::size_t kPageSize = 10;

server::Options hosted_server(const std::vector<model::Revision>& revisions) {
  server::Options options;
  options.page_size = kPageSize;
  options.revisions.clear();
  options.stateless_revisions.clear();
  for (const model::Revision revision : revisions) {
    (revision.has_handshake() ? options.revisions : options.stateless_revisions)
        .push_back(revision);
  }
  return options;
}

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

InteractiveHost::InteractiveHost(InteractiveOptions options, WatchBoard& board)
    : options_(std::move(options)),
      board_(board),
      began_(std::chrono::steady_clock::now()),
      errands_(options_.revisions, options_.transport),
      judge_(Party::kClient, options_.catalogue_version),
      play_(std::make_unique<Play>()) {}

InteractiveHost::~InteractiveHost() = default;

std::optional<std::string> InteractiveHost::start() {
  // The play asks nothing, so nobody waits for an answer of its.
  stage_ = std::make_unique<Stage>(*play_, hosted_server(options_.revisions),
                                   std::chrono::milliseconds(0));
  HouseOptions house{options_.revisions, options_.relay_program, options_.vault, options_.port};
  house.page_origin = options_.page_origin;
  house.on_event = [this](int process, const EventPtr& event) { note(process, event); };
  house.on_session = [this](RecordedSession session) {
    const std::lock_guard lock(mutex_);
    judge(std::move(session));
  };
  const bool is_stdio = options_.transport.has_process();
  house_ = is_stdio ? make_stdio_house(*stage_, std::move(house))
                    : make_http_house(*stage_, std::move(house));
  if (auto trouble = house_->start()) return trouble;
  where_ = house_->told({is_stdio ? "{config}" : "{url}"}).front();
  if (is_stdio) where_ = text_of_file(where_);
  const std::lock_guard lock(mutex_);
  show_left();
  return std::nullopt;
}

void InteractiveHost::note(int process, const EventPtr& event) {
  const std::lock_guard lock(mutex_);
  auto found = connections_.find(process);
  if (found == connections_.end()) {
    const std::string name = process == 0 ? "HTTP" : fmt::format("process {}", process);
    found = connections_.try_emplace(process, board_.begin(), options_.transport).first;
    board_.take(found->second.number,
                session_line(name, "the hosted server", harness::name(options_.transport)));
  }
  show(found->second, event);
  if (event->observation.kind != transport::Observation::Kind::kExit) return;
  board_.end(found->second.number);
  connections_.erase(found);
}

void InteractiveHost::show(Connection& connection, const EventPtr& event) {
  if (const auto line = message_line(*event, *options_.vault)) {
    board_.take(connection.number, *line);
  }
  for (const LiveSessions::Breach& each : connection.judge.show(event)) {
    const auto line = violation_line(each.finding, each.revision, *options_.vault);
    if (line) board_.take(connection.number, *line);
  }
  if (event->message() == nullptr) return;
  errands_.note(*event);
  errands_.note_exercised(connection.judge.exercised(Party::kClient));
  show_left();
}

void InteractiveHost::show_left() {
  std::vector<std::string> left = errands_.left();
  // The first time also where nothing is.
  if (left == left_ && !left.empty()) return;
  left_ = std::move(left);
  board_.guide({where_, left_});
}

void InteractiveHost::judge(RecordedSession session) {
  ++sessions_;
  // Nobody spoke to this server before.
  session.gap.clear();
  if (options_.revisions.size() == 1) session.fallback = options_.revisions.front();
  if (options_.on_transcript) {
    options_.on_transcript(fmt::format("interactive {}", name(options_.transport)),
                           fmt::format("session {}", sessions_), session.events);
  }
  judge_.add(session);
}

reports::Result InteractiveHost::finish(reports::Target target) {
  Recorded recorded = house_->close();
  const std::lock_guard lock(mutex_);
  for (RecordedSession& session : recorded.sessions) judge(std::move(session));
  if (!recorded.shortfall.empty()) {
    judge_.cut_short(recorded.shortfall + ": what came after that is not judged");
  }
  reports::Result result = judge_.finish(std::move(target));
  if (!recorded.was_reached) result.runs.front().reason = "nothing connected";
  const auto took = std::chrono::steady_clock::now() - began_;
  result.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  return result;
}

}  // namespace assay::harness
