// What the exchanges of an HTTP wire wait for, and how long.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "fuzz/live/wire/http_traffic.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {

ExchangeFate HttpTraffic::wait_for(Key key, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  const auto found = open_.find(key);
  if (found == open_.end()) return {};
  const Open& own = found->second;
  while (goes_on() && !own.exchange.is_over && Clock::now() < std::min(deadline, own.deadline)) {
    pump(deadline);
  }
  const ExchangeFate done = own.exchange;
  finish(key);
  return done;
}

void HttpTraffic::listen(int session, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  const Key key = lane_key(client(session).open_stream().number, session);
  Open& own = open_[key];
  own.case_number = case_number_;
  own.deadline = Clock::time_point::max();
  const ExchangeFate& exchange = own.exchange;
  while (goes_on() && exchange.status == 0 && !exchange.is_over && Clock::now() < deadline) {
    pump(deadline);
  }
  // One that has not begun may do so with the first thing that is said on it.
  if (!exchange.is_over) {
    sides_[index(session)].stream = {transport::Lane::Kind::kHttp, key / 2};
  }
  open_.erase(key);
}

void HttpTraffic::rest(std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  while (goes_on() && Clock::now() < deadline) pump(deadline);
}

void HttpTraffic::finish_prompt() {
  while (goes_on()) {
    if (count_prompt() > 0) {
      pump(Clock::now() + kPromptTime);
    } else if (runs_.size() <= kMostLeftBehind || !cancel_oldest()) {
      return;
    }
  }
}

void HttpTraffic::finish_all(Clock::time_point deadline) {
  while (goes_on() && !runs_.empty() && Clock::now() < deadline) pump(deadline);
  while (!open_.empty()) finish(open_.begin()->first);
}

bool HttpTraffic::takes_long(const Open& open) const {
  return open.delay == Delay::kTool && Clock::now() - open.began >= kPromptTime;
}

// Ends the tool that has taken longest, so that it keeps neither us nor the target. False if none
// is under way.
bool HttpTraffic::cancel_oldest() {
  auto oldest = open_.end();
  for (auto each = open_.begin(); each != open_.end(); ++each) {
    const bool is_older = oldest == open_.end() || each->second.began < oldest->second.began;
    if (each->second.run && takes_long(each->second) && is_older) oldest = each;
  }
  if (oldest == open_.end()) return false;
  const Key key = oldest->first;
  const std::string_view bytes = oldest->second.step->bytes;
  const wire::Decoded decoded = wire::decode(bytes.substr(0, bytes.find('\n')));
  const auto* request = std::get_if<wire::Message>(&decoded);
  // Where requests stand alone, who breaks the connection off cancels.
  const bool is_told = setting_.words.revision.has_sessions() && request != nullptr &&
                       request->id() && request->id()->is_valid();
  if (is_told) {
    const std::string text = wire::encode(wire::make_notification(
        "notifications/cancelled", {{"requestId", wire::to_json(*request->id())}}));
    client(session_of(key)).send(text);
    judge_.sent(text, oldest->second.case_number);
  }
  finish(key);
  return true;
}

// Cases that wait for something else than a tool that takes long.
std::size_t HttpTraffic::count_prompt() const {
  std::set<std::size_t> prompt;
  for (const auto& [key, open] : open_) {
    if (open.run && !takes_long(open)) prompt.insert(open.run->number);
  }
  for (const auto& [number, raw] : raws_) prompt.insert(raw.first->number);
  return prompt.size();
}

// What has been waited for longest; nothing if nothing is waited for.
std::optional<Delay> HttpTraffic::waited_for() const {
  const Open* oldest = nullptr;
  for (const auto& [key, open] : open_) {
    const bool is_older = oldest == nullptr || open.began < oldest->began;
    if (open.run && !takes_long(open) && is_older) oldest = &open;
  }
  if (oldest != nullptr) return oldest->delay;
  return raws_.empty() ? std::nullopt : std::optional(Delay::kConnection);
}

}  // namespace assay::fuzz
