#include "fuzz/live/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fuzz/live/judge/supplied.h"
#include "fuzz/live/target/ids.h"
#include "fuzz/live/target/text.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using wire::Message;
using wire::MessageKind;

// Of one line: lenient parsers may read it as so many lines.
constexpr std::size_t kMostOwedErrors = 256;
// Of what was sent, for values of ours that come back much later: twice that, at most.
constexpr std::size_t kSentLately = 128u << 10;

// Tools may take as long as they like, and a task's result comes with the task's end.
bool keeps_others_waiting(std::string_view method) {
  return method == "tools/call" || method == "tasks/result";
}

// A subscription is answered when it ends.
bool may_take_long(std::string_view method) {
  return keeps_others_waiting(method) || method == "subscriptions/listen";
}

}  // namespace

void LiveJudge::forget() {
  asked_.clear();
  order_.clear();
  held_ = {};
  open_.clear();
  faded_.clear();
  cancelled_.clear();
  calls_.clear();
  slow_calls_.clear();
  answering_tools_.clear();
  asked_bytes_ = 0;
  newest_answered_case_ = 0;
  owed_ = owed_before_ = {};
  sent_lately_.clear();
  sent_before_.clear();
  suspicions_.clear();
  shapes_.clear();
}

void LiveJudge::drop_open() {
  for (const std::string& key : open_) asked_.at(key).must = false;
  open_.clear();
  calls_.clear();
  slow_calls_.clear();
  order_.insert(order_.end(), held_.keys.begin(), held_.keys.end());
  asked_bytes_ += held_.bytes;
  held_ = {};
}

void LiveJudge::pass_barrier() {
  owed_before_ = std::exchange(owed_, {});
}

void LiveJudge::remember_bytes(std::string_view line) {
  if (line.size() > kSentLately) return;
  if (sent_lately_.size() + line.size() > kSentLately) {
    sent_before_ = std::exchange(sent_lately_, {});
  }
  sent_lately_ += line;
  sent_lately_ += '\n';
}

void LiveJudge::suspect(Suspicion suspicion) {
  if (suspicions_.size() < kMostSuspicions) suspicions_.push_back(std::move(suspicion));
}

bool LiveJudge::suspects(const std::string& signature) const {
  return std::any_of(suspicions_.begin(), suspicions_.end(),
                     [&](const Suspicion& each) { return each.signature() == signature; });
}

void LiveJudge::fade(const std::string& key) {
  const auto found = asked_.find(key);
  if (found == asked_.end()) return;
  const int left = found->second.sent - found->second.answered;
  if (faded_.size() >= kMostFaded) faded_.clear();
  if (left > 0) faded_[hash(key)] += left;
  if (found->second.request) asked_bytes_ -= found->second.request->bytes().size();
  forget_call(key);
  asked_.erase(found);
}

bool LiveJudge::hold(const std::string& key) {
  if (!calls_.contains(key) && !slow_calls_.contains(key)) return false;
  const auto& request = asked_.at(key).request;
  const std::size_t bytes = request ? request->bytes().size() : 0;
  if (held_.keys.size() >= kMostHeld || held_.bytes + bytes > kMostHeldBytes) return false;
  held_.bytes += bytes;
  asked_bytes_ -= bytes;
  return held_.keys.insert(key).second;
}

void LiveJudge::release(const std::string& key) {
  if (held_.keys.erase(key) == 0) return;
  const auto& request = asked_.at(key).request;
  const std::size_t bytes = request ? request->bytes().size() : 0;
  held_.bytes -= bytes;
  asked_bytes_ += bytes;
  order_.push_back(key);
}

int LiveJudge::take_faded(const std::string& key) {
  const auto found = faded_.find(hash(key));
  if (found == faded_.end()) return 0;
  const int left = found->second;
  faded_.erase(found);
  return left;
}

LiveJudge::Asked& LiveJudge::remember(const std::string& key, std::size_t case_number,
                                      std::uint64_t lane) {
  const auto [at, is_new] = asked_.try_emplace(key);
  Asked& asked = at->second;
  if (!is_new) release(key);
  if (is_new) {
    asked.sent = take_faded(key);
    order_.push_back(key);
    while (order_.size() > kMostRemembered ||
           (asked_bytes_ > kMostRememberedBytes && order_.size() > 1)) {
      const std::string& oldest = order_.front();
      if (open_.contains(oldest)) break;
      if (!hold(oldest)) fade(oldest);
      order_.pop_front();
    }
  }
  asked.case_number = case_number;
  asked.lane = lane;
  asked.at = Clock::now();
  ++asked.sent;
  return asked;
}

void LiveJudge::ask(const Message& request, std::size_t case_number, std::uint64_t lane) {
  const std::string key = id_key(*request.id());
  Asked& asked = remember(key, case_number, lane);
  // Of several requests with one id nobody knows which one an answer is for.
  const bool is_alone = asked.sent == 1;
  asked.method = is_alone ? std::string(request.method()) : std::string();
  if (asked.request) asked_bytes_ -= asked.request->bytes().size();
  asked.request = is_alone ? std::make_shared<const wire::Message>(request) : nullptr;
  if (asked.request) asked_bytes_ += asked.request->bytes().size();
  asked.must = is_alone && !cancelled_.contains(key);
  if (asked.must && !may_take_long(asked.method)) {
    open_.insert(key);
  } else {
    open_.erase(key);
  }
  forget_call(key);
  if (asked.must) note_call(asked, key);
}

void LiveJudge::note_call(Asked& asked, const std::string& key) {
  asked.tool = asked.method == "tools/call" ? prompt_tool(words_, asked.request->params()) : "";
  if (!asked.tool.empty()) {
    calls_[key] = asked.tool;
  } else if (keeps_others_waiting(asked.method)) {
    slow_calls_.insert(key);
  }
}

void LiveJudge::note_answered_call(const Asked& asked, const std::string& key, bool is_result) {
  forget_call(key);
  if (!asked.tool.empty() && is_result) answering_tools_.insert(asked.tool);
}

void LiveJudge::forget_call(const std::string& key) {
  calls_.erase(key);
  slow_calls_.erase(key);
  release(key);
}

void LiveJudge::ask_loosely(std::string_view line, std::size_t case_number, std::uint64_t lane) {
  // One error without an id, and one more for all that a parser might take for a line of its own.
  std::size_t errors = 1;
  for (const char c : line) errors += static_cast<unsigned char>(c) < 0x20 ? 1 : 0;
  for (const std::string& key : ids_in(line)) {
    Asked& asked = remember(key, case_number, lane);
    asked.must = false;
    asked.method.clear();
    if (asked.request) asked_bytes_ -= asked.request->bytes().size();
    asked.request.reset();
    asked.tool.clear();
    open_.erase(key);
    forget_call(key);
    ++errors;
  }
  owed_.errors += std::min(errors, kMostOwedErrors);
  if (line.find('[') != std::string_view::npos) ++owed_.arrays;
}

void LiveJudge::note_cancellation(const Message& message) {
  if (message.method() != "notifications/cancelled") return;
  const Json& params = message.params();
  if (!params.is_object() || !params.contains("requestId")) return;
  const std::string key = id_key(wire::Id::from_json_text(wire::encode(params["requestId"])));
  if (cancelled_.size() >= kMostRemembered) cancelled_.clear();
  cancelled_.insert(key);
  open_.erase(key);
  forget_call(key);
  if (const auto found = asked_.find(key); found != asked_.end()) found->second.must = false;
}

void LiveJudge::sent(std::string_view line, std::size_t case_number, std::uint64_t lane) {
  last_case_ = case_number;
  if (line.empty() || line == "\r") {
    ++owed_.errors;  // most skip an empty line; to others it is no JSON
    return;
  }
  remember_bytes(line);
  const wire::Decoded decoded = wire::decode(line);
  const auto* message = std::get_if<Message>(&decoded);
  if (message == nullptr) {
    ask_loosely(line, case_number, lane);
    return;
  }
  const bool is_odd = !message->notices().empty() || line.size() > kLongestPlain;
  switch (message->kind()) {
    case MessageKind::kRequest:
      if (is_plain_request(*message)) {
        ask(*message, case_number, lane);
      } else {
        ask_loosely(line, case_number, lane);
      }
      return;
    case MessageKind::kNotification:
      note_cancellation(*message);
      if (is_odd || nesting(line) > kDeepestPlain) ask_loosely(line, case_number, lane);
      return;
    case MessageKind::kResult:
    case MessageKind::kError: {
      // Where a server never asks, an answer is an invalid request, and may be refused as one.
      const bool is_undue = words_.revision.asks_in_results();
      // JSON-RPC 2.0 has no answer without an id, and the schema none whose id is null.
      const bool has_id = message->id() && message->id()->kind() != wire::Id::Kind::kNull;
      if (is_odd || is_undue || !has_id || nesting(line) > kDeepestPlain) {
        ask_loosely(line, case_number, lane);
      }
      return;
    }
    case MessageKind::kBatch:
      for (const Message& member : message->members()) note_cancellation(member);
      ask_loosely(line, case_number, lane);
      owed_.errors += std::min(message->members().size(), kMostOwedErrors);
      return;
    case MessageKind::kMalformed:
      note_cancellation(*message);
      ask_loosely(line, case_number, lane);
      return;
  }
}

}  // namespace assay::fuzz
