// What the judge makes of what the target says.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "fuzz/live/judge/answers.h"
#include "fuzz/live/judge/canaries.h"
#include "fuzz/live/judge/injections.h"
#include "fuzz/live/judge/judge.h"
#include "fuzz/live/judge/refusals.h"
#include "fuzz/live/judge/stateless_rules.h"
#include "fuzz/live/judge/supplied.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/ids.h"
#include "fuzz/live/target/sandbox.h"
#include "fuzz/live/target/text.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using wire::Message;
using wire::MessageKind;

constexpr std::size_t kMostKnown = 100'000;
constexpr std::string_view kPersonMethod = "elicitation/create";

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

void add_texts(const Json& value, std::size_t depth, std::string& out) {
  constexpr std::size_t kMost = 2000;
  if (depth > 4 || out.size() > kMost) return;
  if (value.is_string()) {
    out += value.get_ref<const std::string&>().substr(0, kMost) + ' ';
  } else if (value.is_structured()) {
    for (const Json& member : value) add_texts(member, depth + 1, out);
  }
}

// The plain words of an error, or of what a tool says: without numbers, without what is quoted, and
// without what stands in the request.
std::string plain_words_of(const Message& answer, std::string_view request) {
  constexpr std::size_t kMost = 240;
  constexpr std::size_t kLeast = 3;
  std::string texts;
  if (answer.kind() == MessageKind::kError) {
    add_texts(answer.error(), 0, texts);
  } else if (answer.result().is_object()) {
    add_texts(answer.result().value("content", Json()), 0, texts);
  }
  std::string out;
  for (std::size_t at = 0; at < texts.size() && out.size() < kMost;) {
    const auto is_plain = [&](std::size_t i) {
      return i < texts.size() && std::isalpha(static_cast<unsigned char>(texts[i])) != 0;
    };
    const std::size_t close = texts[at] == '"' ? texts.find('"', at + 1) : std::string::npos;
    if (close != std::string::npos) {
      at = close + 1;
      continue;
    }
    std::size_t end = at;
    while (is_plain(end)) ++end;
    const std::string_view word = std::string_view(texts).substr(at, end - at);
    if (word.size() >= kLeast && request.find(word) == std::string_view::npos) {
      out += word;
      out += ' ';
    }
    at = std::max(end, at + 1);
  }
  return out;
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

std::optional<Message> LiveJudge::heard(std::string_view bytes, std::uint64_t lane) {
  const wire::Decoded decoded = wire::decode(bytes);
  if (const auto* error = std::get_if<wire::DecodeError>(&decoded)) {
    if (error->kind == wire::DecodeError::Kind::kEmpty) return std::nullopt;
    suspect({Oracle::kNoise, std::string(wire::name(error->kind)),
             fmt::format("It wrote something that is not a message: {} ({})", shown(bytes),
                         error->detail),
             "", false, last_case_});
    return std::nullopt;
  }
  const Message& message = std::get<Message>(decoded);
  if (words_.sandbox != nullptr) check_escape(message);
  if (message.kind() == MessageKind::kRequest && message.method() == kPersonMethod) {
    has_asked_a_person_ = true;
  }
  if (message.kind() == MessageKind::kBatch) {
    hear_batch(message, lane);
    return std::nullopt;
  }
  hear_message(message, lane);
  return message.kind() == MessageKind::kRequest ? std::optional(message) : std::nullopt;
}

void LiveJudge::hear_message(const Message& message, std::uint64_t lane) {
  switch (message.kind()) {
    case MessageKind::kResult:
    case MessageKind::kError:
      hear_answer(message, lane);
      return;
    case MessageKind::kRequest:
    case MessageKind::kNotification:
      check_form(message, nullptr, last_case_);
      check_subscription(message);
      return;
    case MessageKind::kBatch:
    case MessageKind::kMalformed:
      suspect({Oracle::kInvalid, std::string("malformed ") + std::string(message.defect()),
               fmt::format("It sent something that is not a JSON-RPC message: {}",
                           shown(message.bytes())),
               "", false, last_case_});
      hear_damaged(message);
      return;
  }
}

// An array is due where one was sent, or what may be taken for one; by itself only in a revision
// that has batches.
void LiveJudge::hear_batch(const Message& batch, std::uint64_t lane) {
  const bool is_owed = owed_before_.arrays + owed_.arrays > 0;
  if (is_owed) --(owed_before_.arrays > 0 ? owed_before_ : owed_).arrays;
  const bool is_due = is_owed || (words_.revision.has_batching() && !batch.members().empty());
  if (is_settled_ && !is_due) {
    suspect({Oracle::kInvalid, batch.members().empty() ? "empty array" : "array of messages",
             fmt::format("It wrote an array, and nothing that it was sent asks for one: {}",
                         shown(batch.bytes())),
             "", false, last_case_});
  }
  for (const Message& member : batch.members()) hear_message(member, lane);
}

void LiveJudge::hear_error_without_id(const Message& answer) {
  if (owed_before_.errors + owed_.errors > 0) {
    --(owed_before_.errors > 0 ? owed_before_ : owed_).errors;
    add_shape(shape_of(answer, "?"), last_case_);
    return;
  }
  suspect(
      {Oracle::kMisdirected, "error without id",
       fmt::format("It sent an error without an id where all that it was sent could be read: {}",
                   shown(answer.bytes())),
       "", false, last_case_});
}

void LiveJudge::hear_damaged(const Message& damaged) {
  const auto found = damaged.id() ? asked_.find(id_key(*damaged.id())) : asked_.end();
  if (found == asked_.end()) return;
  ++found->second.answered;
  open_.erase(found->first);
  forget_call(found->first);
}

void LiveJudge::hear_answer(const Message& answer, std::uint64_t lane) {
  answered_lane_ = lane;
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
  newest_answered_case_ = std::max(newest_answered_case_, asked.case_number);
  open_.erase(found->first);
  note_answered_call(asked, found->first, answer.kind() == MessageKind::kResult);
  if (asked.answered > asked.sent) {
    suspect({Oracle::kDoubled, words_.label(asked.method),
             fmt::format("It answered the request {} {} times", answer.id()->json_text(),
                         asked.answered),
             "", false, asked.case_number});
    return;
  }
  if (lane != 0 && asked.sent == 1 && asked.lane != lane && asked.lane != 0) {
    if (session_of(lane) != session_of(asked.lane)) {
      suspect({Oracle::kOtherSession, "answer to " + words_.label(asked.method),
               fmt::format("The answer to {} came in another session than its request",
                           answer.id()->json_text()),
               "", false, asked.case_number});
      return;
    }
    suspect({Oracle::kMisdirected, "another exchange " + words_.label(asked.method),
             fmt::format("The answer to {} came in another HTTP exchange than its request",
                         answer.id()->json_text()),
             "", false, asked.case_number});
  }
  check_answer(answer, asked);
}

void LiveJudge::check_answer(const Message& answer, Asked& asked) {
  std::string tool = asked.request && asked.method == "tools/call"
                         ? text_member(asked.request->params(), "name")
                         : std::string();
  if (words_.tool(tool) == nullptr) tool.clear();
  const std::uint64_t same = identity(answer, asked.method + " " + tool);
  const auto known = known_.find(same);
  if (same != 0 && known != known_.end()) {
    add_shape(known->second.shape, asked.case_number);
  } else {
    const bool is_sound = check_form(answer, &asked, asked.case_number);
    const std::uint64_t shape = shape_with_words(answer, asked, tool);
    add_shape(shape, asked.case_number);
    learn_words(answer, asked, tool);
    if (known_.size() >= kMostKnown) known_.clear();
    if (same != 0 && is_sound) known_[same] = {shape};
  }
  if (!asked.request) return;
  if (auto wrong = is_settled_ ? wrong_answer(words_, *asked.request, answer) : std::nullopt) {
    wrong->case_number = asked.case_number;
    suspect(std::move(*wrong));
  }
  if (auto wrong = injection_in(words_, *asked.request, answer)) {
    wrong->case_number = asked.case_number;
    suspect(std::move(*wrong));
  }
  if (answer.kind() != MessageKind::kResult) return;
  if (asked.method == "tools/call") {
    links_.hear(text_member(asked.request->params(), "name"), answer.result());
  }
  if (auto wrong = wrong_success(words_, *asked.request, answer)) {
    wrong->case_number = asked.case_number;
    suspect(std::move(*wrong));
  }
}

std::uint64_t LiveJudge::shape_with_words(const Message& answer, const Asked& asked,
                                          const std::string& tool) {
  const std::uint64_t shape = shape_of(answer, words_.label(asked.method) + " " + tool);
  const std::string_view request = asked.request ? asked.request->bytes() : std::string_view();
  const std::string said = plain_words_of(answer, request);
  if (said.empty() || wordings_.size() >= kMostKnown) return shape;
  const std::uint64_t worded = hash(said, shape);
  auto& wordings = wordings_[shape];
  if (wordings.size() < kMostWordings) wordings.insert(worded);
  return wordings.contains(worded) ? worded : shape;
}

// Lists were read before all else.
void LiveJudge::learn_words(const Message& answer, const Asked& asked, const std::string& tool) {
  if (!asked.request || asked.method.ends_with("/list")) return;
  const bool is_error = answer.kind() == MessageKind::kError;
  for (Word& word : words_in(is_error ? answer.error() : answer.result(), tool)) {
    if (words_heard_.size() >= kMostWordsHeard) return;
    const bool is_ours = asked.request->bytes().find(word.text) != std::string_view::npos;
    if (!is_ours) words_heard_.push_back(std::move(word));
  }
}

// A subscription sends what it was asked for, and no more.
void LiveJudge::check_subscription(const Message& message) {
  if (message.kind() != MessageKind::kNotification || !message.has_params()) return;
  const auto id = subscription_of(message.params());
  const auto found = id ? asked_.find(id_key(*id)) : asked_.end();
  if (found == asked_.end() || !found->second.request) return;
  Asked& asked = found->second;
  if (auto wrong = wrong_notification(*asked.request, message)) {
    wrong->case_number = asked.case_number;
    suspect(std::move(*wrong));
  }
}

// What is in a canary, be it in an answer or in anything else that it says. Before the handshake
// nobody has been told what our roots are.
void LiveJudge::check_escape(const Message& message) {
  if (!is_settled_ || overlooks_escapes_) return;
  const bool is_answer =
      message.kind() == MessageKind::kResult || message.kind() == MessageKind::kError;
  const auto found = is_answer && message.id() ? asked_.find(id_key(*message.id())) : asked_.end();
  const Asked* asked = found == asked_.end() ? nullptr : &found->second;
  auto escape = escape_in(*words_.sandbox, message,
                          asked == nullptr || !asked->request ? nullptr : &*asked->request);
  if (!escape) return;
  // What was learnt once may come back.
  const bool is_ours = words_.sandbox->canary_in(sent_lately_).has_value() ||
                       words_.sandbox->canary_in(sent_before_).has_value();
  if (is_ours) return;
  escape->case_number = asked == nullptr ? last_case_ : asked->case_number;
  suspect(*std::move(escape));
}

// Where each request names its revision, an answer has the form of that one.
bool LiveJudge::is_of_our_revision(const Message& message, const Asked* asked) const {
  if (words_.revision.has_sessions()) return true;
  const bool is_answer =
      message.kind() == MessageKind::kResult || message.kind() == MessageKind::kError;
  if (!is_answer) return true;
  return asked != nullptr && asked->request &&
         version_of(*asked->request) == words_.revision.text();
}

bool LiveJudge::check_form(const Message& message, const Asked* asked, std::size_t case_number) {
  if (!is_settled_ || !is_of_our_revision(message, asked)) return true;
  const std::string method = asked == nullptr ? "" : asked->method;
  const std::optional<std::string_view> request =
      method.empty() ? std::nullopt : std::optional<std::string_view>(method);
  const model::Deviations deviations = model::validate_message(
      words_.revision, model::Direction::kServerToClient, message.json(), request);
  bool is_sound = true;
  for (const model::Deviation& deviation : deviations) {
    if (deviation.strength != model::Strength::kMust) continue;
    is_sound = false;
    if (is_ours(deviation, message.json(), asked)) continue;
    const std::string what = method.empty() ? std::string(message.method()) : words_.label(method);
    suspect({Oracle::kInvalid,
             shown(fmt::format("{} {} {} {}", what, wire::name(message.kind()),
                               without_indexes(deviation.pointer), deviation.expected)),
             fmt::format("The {} {} breaks the schema of {}: {}",
                         method.empty() ? "message" : "answer to", shown(what, 60),
                         words_.revision.text(), model::to_text(deviation)),
             "", false, case_number});
    return false;
  }
  return is_sound;
}

bool LiveJudge::is_ours(const model::Deviation& deviation, const Json& message,
                        const Asked* asked) const {
  // Both are the client's own, whatever they are.
  if (asked != nullptr && deviation.pointer == "/id") return true;
  if (deviation.pointer == "/params/progressToken") return true;
  if (deviation.pointer.ends_with("/_meta/io.modelcontextprotocol~1subscriptionId")) return true;
  const Json* value = value_at(message, deviation.pointer);
  if (value == nullptr) return false;
  if (asked != nullptr && asked->request && asked->request->has_params() &&
      is_supplied(deviation, *value, asked->request->params())) {
    return true;
  }
  return is_supplied_in(deviation, *value, sent_lately_) ||
         is_supplied_in(deviation, *value, sent_before_);
}

}  // namespace assay::fuzz
