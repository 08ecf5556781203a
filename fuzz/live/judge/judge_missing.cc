// What the judge misses: requests that were not answered.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/live/judge/judge.h"
#include "fuzz/live/target/ids.h"
#include "fuzz/live/target/text.h"
#include "reference/wire/message.h"

namespace assay::fuzz {

bool LiveJudge::is_answered(const wire::Id& id) const {
  const auto found = asked_.find(id_key(id));
  return found != asked_.end() && found->second.answered > 0;
}

std::optional<std::size_t> LiveJudge::case_of(const wire::Id& id) const {
  const auto found = asked_.find(id_key(id));
  return found == asked_.end() ? std::nullopt : std::optional(found->second.case_number);
}

std::size_t LiveJudge::count_open() const {
  const auto expected = std::count_if(calls_.begin(), calls_.end(), [&](const auto& call) {
    return answering_tools_.contains(call.second);
  });
  return open_.size() + static_cast<std::size_t>(expected);
}

void LiveJudge::give_up_on(Clock::time_point time) {
  std::vector<std::string> late;
  for (const std::string& key : open_) {
    if (asked_.at(key).at < time) late.push_back(key);
  }
  std::sort(late.begin(), late.end());
  for (const std::string& key : late) {
    const Asked& asked = asked_.at(key);
    suspect({Oracle::kMissing, words_.label(asked.method),
             fmt::format("It did not answer {}", shown(asked.request->bytes())), "", false,
             asked.case_number});
    open_.erase(key);
  }
}

void LiveJudge::give_up_on_calls(Clock::time_point time, bool is_guess) {
  // One that takes its time may keep the others waiting.
  if (!is_guess && !slow_calls_.empty()) return;
  std::vector<std::string> late;
  for (const auto& [key, tool] : calls_) {
    if (answering_tools_.contains(tool) && asked_.at(key).at < time) late.push_back(key);
  }
  std::sort(late.begin(), late.end());
  for (const std::string& key : late) {
    const Asked& asked = asked_.at(key);
    suspect({Oracle::kMissing, shown("tools/call " + asked.tool),
             fmt::format("It answered other calls of the tool '{}', has nothing to do, and did not "
                         "answer {}",
                         shown(asked.tool, 60), shown(asked.request->bytes())),
             "", false, asked.case_number, 0, is_guess});
    forget_call(key);
  }
}

void LiveJudge::close_lane(std::uint64_t lane) {
  std::vector<std::string> left;
  for (const std::string& key : open_) {
    if (asked_.at(key).lane == lane) left.push_back(key);
  }
  std::sort(left.begin(), left.end());
  for (const std::string& key : left) {
    const Asked& asked = asked_.at(key);
    suspect({Oracle::kMissing, words_.label(asked.method),
             fmt::format("The HTTP exchange ended without an answer to {}",
                         shown(asked.request->bytes())),
             "", false, asked.case_number});
    open_.erase(key);
  }
  forget_calls_on(lane);
}

void LiveJudge::forget_calls_on(std::uint64_t lane) {
  std::vector<std::string> left;
  const auto note = [&](const std::string& key) {
    if (asked_.at(key).lane == lane) left.push_back(key);
  };
  for (const auto& [key, tool] : calls_) note(key);
  for (const std::string& key : slow_calls_) note(key);
  for (const std::string& key : left) forget_call(key);
}

bool LiveJudge::has_answered(std::uint64_t lane) const {
  return answered_lane_ == lane && std::none_of(open_.begin(), open_.end(), [&](const auto& key) {
           return asked_.at(key).lane == lane;
         });
}

void LiveJudge::refuse_lane(std::uint64_t lane) {
  ++owed_.errors;
  std::erase_if(open_, [&](const std::string& key) { return asked_.at(key).lane == lane; });
  forget_calls_on(lane);
}

std::optional<std::size_t> LiveJudge::oldest_open_case() const {
  std::optional<std::size_t> oldest;
  for (const std::string& key : open_) {
    const std::size_t number = asked_.at(key).case_number;
    if (!oldest || number < *oldest) oldest = number;
  }
  return oldest;
}

std::optional<std::size_t> LiveJudge::first_unanswered_case() const {
  std::optional<std::size_t> first;
  const auto look_at = [&](const std::string& key) {
    const std::size_t number = asked_.at(key).case_number;
    if (number >= newest_answered_case_ && (!first || number < *first)) first = number;
  };
  for (const std::string& key : open_) look_at(key);
  for (const auto& [key, tool] : calls_) look_at(key);
  for (const std::string& key : slow_calls_) look_at(key);
  return first ? first : oldest_open_case();
}

}  // namespace assay::fuzz
