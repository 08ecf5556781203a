#include "reference/transport/http_session.h"

#include <algorithm>
#include <utility>

namespace assay::transport {

namespace {

// What a client is told that is to come back for more.
constexpr std::chrono::milliseconds kPollSoon{50};

}  // namespace

void SessionStreams::send(Outgoing message) {
  std::vector<std::shared_ptr<EventStream>> targets;
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return;
    for (const std::uint64_t number : get_streams_) targets.push_back(streams_.at(number));
    if (targets.empty()) {
      pending_.push_back(std::move(message));
      if (pending_.size() > kMostPending) pending_.pop_front();
      return;
    }
  }
  if (!conduct_.does(HttpDuty::kSendsOnOneStream)) {
    for (const auto& stream : targets) stream->send(message);
    return;
  }
  const auto listened = std::find_if(targets.rbegin(), targets.rend(),
                                     [](const auto& stream) { return stream->is_listened_to(); });
  // With no reader it is kept for the client that resumes the newest stream.
  const auto& target = listened == targets.rend() ? targets.back() : *listened;
  target->send(std::move(message));
  if (!conduct_.does(HttpDuty::kKeepsGetConnections)) target->disconnect(kPollSoon);
}

bool SessionStreams::is_listened_to() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(get_streams_.begin(), get_streams_.end(),
                     [&](std::uint64_t number) { return streams_.at(number)->is_listened_to(); });
}

std::shared_ptr<EventStream> SessionStreams::make() {
  return std::make_shared<EventStream>(++last_number_);
}

void SessionStreams::keep(const std::shared_ptr<EventStream>& stream) {
  const std::lock_guard lock(mutex_);
  keep_locked(stream);
}

void SessionStreams::keep_locked(const std::shared_ptr<EventStream>& stream) {
  if (has_ended_) stream->finish();
  streams_.emplace(stream->number(), stream);
  while (streams_.size() > kMostStreams) {
    auto oldest = std::find_if(streams_.begin(), streams_.end(),
                               [](const auto& entry) { return entry.second->is_finished(); });
    if (oldest == streams_.end()) oldest = streams_.begin();
    oldest->second->finish();
    std::erase(get_streams_, oldest->first);
    streams_.erase(oldest);
  }
}

std::shared_ptr<EventStream> SessionStreams::open_get() {
  const std::lock_guard lock(mutex_);
  const auto stream = std::make_shared<EventStream>(++last_number_);
  for (Outgoing& message : pending_) stream->send(std::move(message));
  pending_.clear();
  get_streams_.push_back(stream->number());
  keep_locked(stream);
  return stream;
}

std::shared_ptr<EventStream> SessionStreams::find(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(number);
  return found == streams_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<EventStream>> SessionStreams::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<EventStream>> all;
  for (const auto& [number, stream] : streams_) all.push_back(stream);
  return all;
}

std::shared_ptr<EventStream> SessionStreams::other_post() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, stream] : streams_) {
    const bool is_get =
        std::find(get_streams_.begin(), get_streams_.end(), number) != get_streams_.end();
    if (!is_get && !stream->is_finished() && stream->is_listened_to()) return stream;
  }
  return nullptr;
}

void SessionStreams::end() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  for (const auto& [number, stream] : streams_) stream->finish();
}

void HttpSessions::add(const std::shared_ptr<HttpSession>& session) {
  std::shared_ptr<HttpSession> evicted;
  {
    const std::lock_guard lock(mutex_);
    if (sessions_.size() >= most_) {
      const auto oldest = std::min_element(
          sessions_.begin(), sessions_.end(),
          [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
      evicted = oldest->second.session;
      sessions_.erase(oldest);
    }
    sessions_[session->id] = {session, ++clock_};
  }
  if (evicted) end(*evicted);
}

std::shared_ptr<HttpSession> HttpSessions::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  found->second.used = ++clock_;
  return found->second.session;
}

std::shared_ptr<HttpSession> HttpSessions::newest() const {
  const std::lock_guard lock(mutex_);
  const auto newest =
      std::max_element(sessions_.begin(), sessions_.end(),
                       [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
  return newest == sessions_.end() ? nullptr : newest->second.session;
}

std::shared_ptr<EventStream> HttpSessions::find_stream(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, entry] : sessions_) {
    if (auto stream = entry.session->streams->find(number)) return stream;
  }
  return nullptr;
}

bool HttpSessions::end(const std::string& id) {
  std::shared_ptr<HttpSession> ended;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return false;
    ended = found->second.session;
    sessions_.erase(found);
  }
  end(*ended);
  return true;
}

void HttpSessions::end(const HttpSession& session) {
  session.session->close();
  session.streams->end();
}

void HttpSessions::end_all() {
  Sessions all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(sessions_);
  }
  for (const auto& [id, entry] : all) end(*entry.session);
}

}  // namespace assay::transport
