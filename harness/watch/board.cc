#include "harness/watch/board.h"

#include <algorithm>

#include "harness/script/json_member.h"
#include "harness/watch/lines.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

std::string bounded(const Json& json, const char* name) {
  return reports::cut(text_member(json, name), 300);
}

}  // namespace

int WatchBoard::begin() {
  const std::lock_guard lock(mutex_);
  ++begun_;
  sessions_[begun_].number = begun_;
  // Those that have ended go first, and the oldest of them.
  while (sessions_.size() > kMostSessions) {
    const auto ended = std::find_if(sessions_.begin(), sessions_.end(),
                                    [](const auto& each) { return each.second.has_ended; });
    sessions_.erase(ended == sessions_.end() ? sessions_.begin() : ended);
  }
  changed_locked();
  return begun_;
}

void WatchBoard::take(int number, std::string_view line) {
  Json json = read_watch_line(line);
  if (json.is_null()) return;
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(number);
  if (found == sessions_.end()) return;
  WatchedSession& session = found->second;
  if (const Json& begun = member(json, "session"); begun.is_object()) {
    session.name = bounded(begun, "name");
    session.target = bounded(begun, "target");
    session.transport = bounded(begun, "transport");
  } else if (json.contains("end")) {
    session.has_ended = true;
  } else {
    if (member(json, "message").contains("text")) ++session.messages;
    if (json.contains("violation")) ++session.violations;
    const Json& left_out = member(json, "left_out");
    if (left_out.is_number_unsigned()) session.left_out += left_out.get<std::uint64_t>();
    lines_.push_back({number, std::move(json)});
    if (lines_.size() > kMostLines) {
      lines_.pop_front();
      ++first_;
    }
  }
  changed_locked();
}

void WatchBoard::end(int number) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(number);
  if (found != sessions_.end()) found->second.has_ended = true;
  changed_locked();
}

void WatchBoard::guide(WatchGuide guide) {
  const std::lock_guard lock(mutex_);
  guide_ = std::move(guide);
  guided_ = changes_ + 1;
  changed_locked();
}

WatchBoard::News WatchBoard::since(Place& place) const {
  News news;
  const std::lock_guard lock(mutex_);
  if (place.seen != changes_) {
    for (const auto& [number, session] : sessions_) news.sessions.push_back(session);
  }
  if (guide_ && place.seen < guided_) news.guide = guide_;
  // Who has just come has missed nothing that is not there any more.
  if (place.seen > 0 && place.next < first_) news.missed = first_ - place.next;
  place.next = std::max(place.next, first_);
  for (; place.next < first_ + lines_.size(); ++place.next) {
    news.lines.push_back(lines_[static_cast<std::size_t>(place.next - first_)]);
  }
  place.seen = changes_;
  return news;
}

void WatchBoard::watch(const std::shared_ptr<transport::Waker>& waker) {
  const std::lock_guard lock(mutex_);
  wakers_.push_back(waker);
  waker->wake();
}

void WatchBoard::changed_locked() {
  ++changes_;
  std::erase_if(wakers_, [](const std::weak_ptr<transport::Waker>& each) {
    const auto waker = each.lock();
    if (waker) waker->wake();
    return !waker;
  });
}

}  // namespace assay::harness
