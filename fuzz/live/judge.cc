#include "fuzz/live/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "fuzz/live/ids.h"
#include "fuzz/live/refusals.h"
#include "fuzz/live/text.h"
#include "reference/model/validate.h"

namespace assay::fuzz {
namespace {

using wire::Message;
using wire::MessageKind;

constexpr std::size_t kMostKnown = 100'000;
constexpr std::size_t kMostLooseAnswers = 1u << 20;

// Tools may take as long as they like, and a task's result comes with the task's end.
bool may_take_long(std::string_view method) {
  return method == "tools/call" || method == "tasks/result";
}

// The bytes of an answer without its id, as a number: answers that differ in nothing else are
// judged once. Zero if the id does not stand where it is looked for.
std::uint64_t identity(const Message& answer, const std::string& method) {
  if (!answer.id()) return 0;
  const std::string_view bytes = answer.bytes();
  const std::string written = "\"id\":" + answer.id()->json_text();
  const std::size_t at = bytes.find(written);
  if (at == std::string_view::npos) return 0;
  return hash(bytes.substr(at + written.size()), hash(bytes.substr(0, at), hash(method)));
}

void add_keys(const Json& object, std::string& text) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items()) {
    text += ' ';
    text += std::string_view(key).substr(0, 64);
    text += value.type_name()[0];
  }
}

std::uint64_t shape_of(const Message& answer, const std::string& method) {
  std::string text = method + " " + std::string(wire::name(answer.kind()));
  if (answer.kind() == MessageKind::kError) {
    text += fmt::format(" {}", answer.error_code().value_or(0));
    add_keys(answer.error(), text);
    return hash(text);
  }
  const Json& result = answer.result();
  add_keys(result, text);
  if (result.is_object() && result.value("isError", Json()) == true) text += " isError";
  const Json content = result.is_object() ? result.value("content", Json()) : Json();
  if (content.is_array()) {
    for (std::size_t i = 0; i < std::min<std::size_t>(content.size(), 8); ++i) {
      add_keys(content[i], text);
    }
  }
  return hash(text);
}

}  // namespace

void Judge::forget() {
  asked_.clear();
  order_.clear();
  open_.clear();
  faded_.clear();
  cancelled_.clear();
  loose_answers_ = 0;
  suspicions_.clear();
  shapes_.clear();
}

void Judge::suspect(Suspicion suspicion) {
  suspicion.message_index = heard_count_;
  if (suspicions_.size() < kMostSuspicions) suspicions_.push_back(std::move(suspicion));
}

void Judge::fade(const std::string& key) {
  const auto found = asked_.find(key);
  if (found == asked_.end()) return;
  const int left = found->second.sent - found->second.answered;
  if (faded_.size() >= kMostFaded) faded_.clear();
  if (left > 0) faded_[hash(key)] += left;
  asked_.erase(found);
}

int Judge::take_faded(const std::string& key) {
  const auto found = faded_.find(hash(key));
  if (found == faded_.end()) return 0;
  const int left = found->second;
  faded_.erase(found);
  return left;
}

Judge::Asked& Judge::remember(const std::string& key, std::size_t case_number, std::uint64_t lane) {
  const auto [at, is_new] = asked_.try_emplace(key);
  Asked& asked = at->second;
  if (is_new) {
    asked.sent = take_faded(key);
    order_.push_back(key);
    while (order_.size() > kMostRemembered) {
      const std::string& oldest = order_.front();
      if (open_.contains(oldest)) break;
      fade(oldest);
      order_.pop_front();
    }
  }
  asked.case_number = case_number;
  asked.lane = lane;
  asked.at = Clock::now();
  ++asked.sent;
  return asked;
}

void Judge::ask(const Message& request, std::size_t case_number, std::uint64_t lane) {
  const std::string key = id_key(*request.id());
  Asked& asked = remember(key, case_number, lane);
  // Of several requests with one id nobody knows which one an answer is for.
  const bool is_alone = asked.sent == 1;
  asked.method = is_alone ? std::string(request.method()) : std::string();
  asked.request = is_alone ? std::optional(request) : std::nullopt;
  asked.must = is_alone && !cancelled_.contains(key);
  if (asked.must && !may_take_long(asked.method)) {
    open_.insert(key);
  } else {
    open_.erase(key);
  }
}

void Judge::ask_loosely(std::string_view line, std::size_t case_number, std::uint64_t lane) {
  // One error without an id, and one more for all that a parser might take for a line of its own.
  std::size_t errors = 1;
  for (const char c : line) errors += static_cast<unsigned char>(c) < 0x20 ? 1 : 0;
  for (const std::string& key : ids_in(line)) {
    Asked& asked = remember(key, case_number, lane);
    asked.must = false;
    asked.method.clear();
    asked.request.reset();
    open_.erase(key);
    ++errors;
  }
  loose_answers_ = std::min(loose_answers_ + errors, kMostLooseAnswers);
}

void Judge::note_cancellation(const Message& message) {
  if (message.method() != "notifications/cancelled") return;
  const Json& params = message.params();
  if (!params.is_object() || !params.contains("requestId")) return;
  const std::string key = id_key(wire::Id::from_json_text(wire::encode(params["requestId"])));
  if (cancelled_.size() >= kMostRemembered) cancelled_.clear();
  cancelled_.insert(key);
  open_.erase(key);
  if (const auto found = asked_.find(key); found != asked_.end()) found->second.must = false;
}

void Judge::sent(std::string_view line, std::size_t case_number, std::uint64_t lane) {
  last_case_ = case_number;
  if (line.empty() || line == "\r") return;
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
    case MessageKind::kError:
      if (is_odd || nesting(line) > kDeepestPlain) ask_loosely(line, case_number, lane);
      return;
    case MessageKind::kBatch:
      for (const Message& member : message->members()) note_cancellation(member);
      ask_loosely(line, case_number, lane);
      loose_answers_ = std::min(loose_answers_ + message->members().size(), kMostLooseAnswers);
      return;
    case MessageKind::kMalformed:
      note_cancellation(*message);
      ask_loosely(line, case_number, lane);
      return;
  }
}

std::optional<Message> Judge::heard(std::string_view bytes, std::uint64_t lane) {
  ++heard_count_;
  const wire::Decoded decoded = wire::decode(bytes);
  if (const auto* error = std::get_if<wire::DecodeError>(&decoded)) {
    if (error->kind == wire::DecodeError::Kind::kEmpty) return std::nullopt;
    suspect({Oracle::kNoise, std::string(wire::name(error->kind)),
             fmt::format("It wrote what is no message: {} ({})", shown(bytes), error->detail), "",
             false, last_case_});
    return std::nullopt;
  }
  const Message& message = std::get<Message>(decoded);
  if (message.kind() == MessageKind::kBatch) {
    for (const Message& member : message.members()) hear_message(member, lane);
    return std::nullopt;
  }
  hear_message(message, lane);
  return message.kind() == MessageKind::kRequest ? std::optional(message) : std::nullopt;
}

void Judge::hear_message(const Message& message, std::uint64_t lane) {
  switch (message.kind()) {
    case MessageKind::kResult:
    case MessageKind::kError:
      hear_answer(message, lane);
      return;
    case MessageKind::kRequest:
    case MessageKind::kNotification:
      check_form(message, "", last_case_);
      return;
    case MessageKind::kBatch:
    case MessageKind::kMalformed:
      suspect({Oracle::kInvalid, std::string("malformed ") + std::string(message.defect()),
               fmt::format("It sent what is no JSON-RPC message: {}", shown(message.bytes())), "",
               false, last_case_});
      return;
  }
}

void Judge::hear_error_without_id(const Message& answer) {
  if (loose_answers_ > 0) {
    --loose_answers_;
    add_shape(shape_of(answer, "?"), last_case_);
    return;
  }
  suspect(
      {Oracle::kMisdirected, "error without id",
       fmt::format("It sent an error without an id where all that it was sent could be read: {}",
                   shown(answer.bytes())),
       "", false, last_case_});
}

void Judge::hear_answer(const Message& answer, std::uint64_t lane) {
  const bool has_id = answer.id() && answer.id()->kind() != wire::Id::Kind::kNull;
  if (!has_id && answer.kind() == MessageKind::kError) {
    hear_error_without_id(answer);
    return;
  }
  const auto found = answer.id() ? asked_.find(id_key(*answer.id())) : asked_.end();
  if (found == asked_.end()) {
    const std::uint64_t key = answer.id() ? hash(id_key(*answer.id())) : 0;
    if (const auto faded = faded_.find(key); faded != faded_.end()) {
      if (--faded->second == 0) faded_.erase(faded);
      return;
    }
    suspect(
        {Oracle::kMisdirected, std::string(wire::name(answer.kind())) + " to an unknown id",
         fmt::format("It answered an id that nothing it was sent has: {}", shown(answer.bytes())),
         "", false, last_case_});
    return;
  }
  Asked& asked = found->second;
  ++asked.answered;
  open_.erase(found->first);
  if (asked.answered > asked.sent) {
    suspect({Oracle::kDoubled, asked.method,
             fmt::format("It answered the request {} {} times", answer.id()->json_text(),
                         asked.answered),
             "", false, asked.case_number});
    return;
  }
  if (lane != 0 && asked.sent == 1 && asked.lane != lane && asked.lane != 0) {
    if (session_of(lane) != session_of(asked.lane)) {
      suspect({Oracle::kOtherSession, "answer to " + asked.method,
               fmt::format("The answer to {} came in another session than its request",
                           answer.id()->json_text()),
               "", false, asked.case_number});
      return;
    }
    suspect({Oracle::kMisdirected, "another exchange " + asked.method,
             fmt::format("The answer to {} came in another HTTP exchange than its request",
                         answer.id()->json_text()),
             "", false, asked.case_number});
  }
  check_answer(answer, asked);
}

void Judge::check_answer(const Message& answer, Asked& asked) {
  const std::uint64_t same = identity(answer, asked.method);
  const auto known = known_.find(same);
  if (same != 0 && known != known_.end()) {
    add_shape(known->second.shape, asked.case_number);
  } else {
    const std::size_t before = suspicions_.size();
    check_form(answer, asked.method, asked.case_number);
    const std::uint64_t shape = shape_of(answer, asked.method);
    add_shape(shape, asked.case_number);
    if (known_.size() >= kMostKnown) known_.clear();
    if (same != 0 && suspicions_.size() == before) known_[same] = {shape};
  }
  if (answer.kind() != MessageKind::kResult || !asked.request) return;
  if (auto wrong = wrong_success(words_, *asked.request, answer)) {
    wrong->case_number = asked.case_number;
    suspect(std::move(*wrong));
  }
}

void Judge::check_form(const Message& message, const std::string& method, std::size_t case_number) {
  if (!is_settled_) return;
  const std::optional<std::string_view> request =
      method.empty() ? std::nullopt : std::optional<std::string_view>(method);
  const model::Deviations deviations = model::validate_message(
      words_.revision, model::Direction::kServerToClient, message.json(), request);
  for (const model::Deviation& deviation : deviations) {
    if (deviation.strength != model::Strength::kMust) continue;
    const std::string what = method.empty() ? std::string(message.method()) : method;
    suspect({Oracle::kInvalid,
             shown(fmt::format("{} {} {} {}", what, wire::name(message.kind()),
                               without_indexes(deviation.pointer), deviation.expected)),
             fmt::format("The {} {} breaks the schema of {}: {}",
                         method.empty() ? "message" : "answer to", shown(what, 60),
                         words_.revision.text(), model::to_text(deviation)),
             "", false, case_number});
    return;
  }
}

bool Judge::is_answered(const wire::Id& id) const {
  const auto found = asked_.find(id_key(id));
  return found != asked_.end() && found->second.answered > 0;
}

std::size_t Judge::count_open() const {
  return open_.size();
}

void Judge::give_up_on(Clock::time_point time) {
  std::vector<std::string> late;
  for (const std::string& key : open_) {
    if (asked_.at(key).at < time) late.push_back(key);
  }
  std::sort(late.begin(), late.end());
  for (const std::string& key : late) {
    const Asked& asked = asked_.at(key);
    suspect({Oracle::kMissing, shown(asked.method),
             fmt::format("It did not answer {}", shown(asked.request->bytes())), "", false,
             asked.case_number});
    open_.erase(key);
  }
}

void Judge::close_lane(std::uint64_t lane) {
  std::vector<std::string> left;
  for (const std::string& key : open_) {
    if (asked_.at(key).lane == lane) left.push_back(key);
  }
  std::sort(left.begin(), left.end());
  for (const std::string& key : left) {
    const Asked& asked = asked_.at(key);
    suspect({Oracle::kMissing, shown(asked.method),
             fmt::format("The HTTP exchange ended without an answer to {}",
                         shown(asked.request->bytes())),
             "", false, asked.case_number});
    open_.erase(key);
  }
}

void Judge::refuse_lane(std::uint64_t lane) {
  ++loose_answers_;
  std::erase_if(open_, [&](const std::string& key) { return asked_.at(key).lane == lane; });
}

std::optional<std::size_t> Judge::oldest_open_case() const {
  std::optional<std::size_t> oldest;
  for (const std::string& key : open_) {
    const std::size_t number = asked_.at(key).case_number;
    if (!oldest || number < *oldest) oldest = number;
  }
  return oldest;
}

}  // namespace assay::fuzz
