#include "reference/wire/message.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "reference/wire/json_text.h"
#include "reference/wire/outline.h"
#include "reference/wire/weight.h"

namespace assay::wire {

// What few messages have; apart, so that a kept message stays small.
struct Rare {
  std::string method;  // the value of a method that was written with escapes
  std::vector<Message> members;
  std::vector<Notice> notices;
  bool needs_repair = false;
};

// Of the members of the envelope it holds where they stand in the text, not what they are: most
// messages are kept for long and asked little. The text stands behind the body, in the same block.
struct Message::Body {
  struct Part {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;  // 0: there is none
  };

  static std::unique_ptr<Body> make(std::string_view text) {
    return std::unique_ptr<Body>(::new (::operator new(sizeof(Body) + text.size())) Body(text));
  }
  ~Body() { std::unique_ptr<const Json>(dom.load(std::memory_order_relaxed)); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  static void operator delete(void* block) { ::operator delete(block); }

  std::string_view text() const { return {reinterpret_cast<const char*>(this + 1), size}; }
  std::string_view text(Part part) const { return text().substr(part.offset, part.size); }

  mutable std::atomic<std::uint32_t> owners{0};
  const std::uint32_t size;  // simdjson takes no text of 4 GiB
  Part id;
  Part method;                   // the content of the string, unless rare has the value
  const char* defect = nullptr;  // static text
  std::unique_ptr<Rare> rare;
  // Owned; null until someone asks. Threads that ask at once may each build one, and the first to
  // store it wins: std::call_once would cost a system call for every message.
  mutable std::atomic<const Json*> dom{nullptr};
  MessageKind kind = MessageKind::kMalformed;
  bool has_params = false;
  std::uint32_t tokens = 0;  // of the text

 private:
  explicit Body(std::string_view text) : size(static_cast<std::uint32_t>(text.size())) {
    std::memcpy(reinterpret_cast<char*>(this + 1), text.data(), text.size());
  }
};

void intrusive_ptr_add_ref(const Message::Body* body) {
  body->owners.fetch_add(1, std::memory_order_relaxed);
}

void intrusive_ptr_release(const Message::Body* body) {
  // Nobody else can become an owner while there is only one: the common case needs no locked
  // instruction.
  if (body->owners.load(std::memory_order_acquire) == 1 ||
      body->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete body;
  }
}

namespace {

const Json& null_json() {
  static const Json null;
  return null;
}

std::string_view content_of(const Slot& string) {
  return string.text.substr(1, string.text.size() - 2);
}

// Whether a string slot's value is `plain`, which has no character that needs an escape.
template <std::size_t kSize>
bool is_string_with_value(const Slot& slot, const char (&plain)[kSize]) {
  if (!slot.is_string()) return false;
  const std::string_view content = content_of(slot);
  if (is(content, plain)) return true;
  // Six bytes are the longest escape of one character.
  if (content.size() < kSize || content.size() > 6 * (kSize - 1)) return false;
  return unescape(content, LoneSurrogate::kKeep) == plain;
}

// Whether a number's value is whole, however it is written: -32600 or -3.26e4.
bool is_integral(const Slot& slot) {
  if (!slot.is_number()) return false;
  if (number_form(slot.text) == NumberForm::kInteger) return true;
  const double value = Json::parse(repair(slot.text)).get<double>();
  return std::trunc(value) == value;
}

// Null where there is no defect, here and below.
const char* id_defect(const Slot& id, bool may_be_null) {
  if (id.is_string() || id.is_number()) return nullptr;
  if (id.is_null()) return may_be_null ? nullptr : "id is null";
  return "id is neither a string nor a number";
}

const char* call_defect(const Outline& outline) {
  if (!outline.method.is_string()) return "method is not a string";
  if (outline.result.is_present()) return "has both method and result";
  if (outline.error.is_present()) return "has both method and error";
  if (outline.params.is_present() && !outline.params.is_object() && !outline.params.is_array()) {
    return "params is neither an object nor an array";
  }
  return outline.id.is_present() ? id_defect(outline.id, false) : nullptr;
}

const char* response_defect(const Outline& outline) {
  if (outline.result.is_present()) {
    if (outline.error.is_present()) return "has both result and error";
    return outline.id.is_present() ? id_defect(outline.id, false) : "has a result but no id";
  }
  if (!outline.error.is_object()) return "error is not an object";
  if (!outline.code.is_present()) return "error has no code";
  if (!is_integral(outline.code)) return "error.code is not an integer";
  if (!outline.message.is_present()) return "error has no message";
  if (!outline.message.is_string()) return "error.message is not a string";
  return outline.id.is_present() ? id_defect(outline.id, true) : nullptr;
}

const char* defect_of(const Outline& outline) {
  if (!outline.root.is_object()) return "is not an object";
  if (!outline.jsonrpc.is_present()) return "jsonrpc is missing";
  if (!is_string_with_value(outline.jsonrpc, "2.0")) return "jsonrpc is not \"2.0\"";
  if (outline.method.is_present()) return call_defect(outline);
  if (outline.result.is_present() || outline.error.is_present()) {
    return response_defect(outline);
  }
  return "has none of method, result and error";
}

MessageKind kind_of(const Outline& outline) {
  if (outline.method.is_present()) {
    return outline.id.is_present() ? MessageKind::kRequest : MessageKind::kNotification;
  }
  return outline.result.is_present() ? MessageKind::kResult : MessageKind::kError;
}

Rare& rare_of(Message::Body& body) {
  if (!body.rare) body.rare = std::make_unique<Rare>();
  return *body.rare;
}

// Where a part of `bytes` stands in them.
Message::Body::Part part_of(std::string_view part, std::string_view bytes) {
  return {static_cast<std::uint32_t>(part.data() - bytes.data()),
          static_cast<std::uint32_t>(part.size())};
}

// Sets everything that an outline of `bytes` says of a single message.
void classify(const Outline& outline, std::string_view bytes, Message::Body& body) {
  if (outline.id.is_present()) body.id = part_of(outline.id.text, bytes);
  body.has_params = outline.params.is_present();
  body.defect = defect_of(outline);
  if (body.defect != nullptr) return;
  body.kind = kind_of(outline);
  if (!outline.method.is_present()) return;
  const std::string_view content = content_of(outline.method);
  body.method = part_of(content, bytes);
  if (outline.has_escapes && content.find('\\') != std::string_view::npos) {
    rare_of(body).method = unescape(content, LoneSurrogate::kReplace);
  }
}

enum class Place { kTop, kInBatch };

Decoded decode_value(std::string_view bytes, const Limits& limits, Place place);

// The members of a batch are texts of their own. They cannot fail: they are valid JSON within
// limits.
void add_members(const Outline& outline, const Limits& limits, Message::Body& body) {
  std::vector<Message>& members = rare_of(body).members;
  members.reserve(outline.elements.size());
  for (const std::string_view element : outline.elements) {
    Decoded member = decode_value(element, limits, Place::kInBatch);
    if (auto* message = std::get_if<Message>(&member)) members.push_back(std::move(*message));
  }
}

Decoded decode_value(std::string_view bytes, const Limits& limits, Place place) {
  Outline outline;
  if (auto error = read_outline(bytes, limits, outline)) return std::move(*error);
  std::unique_ptr<Message::Body> body = Message::Body::make(bytes);
  body->tokens = static_cast<std::uint32_t>(outline.tokens);
  if (!outline.notices.empty() || outline.needs_repair) {
    Rare& rare = rare_of(*body);
    rare.notices = std::move(outline.notices);
    rare.needs_repair = outline.needs_repair;
  }
  if (!outline.root.is_array()) {
    classify(outline, bytes, *body);
  } else if (place == Place::kInBatch) {
    body->defect = "is a batch inside a batch";
  } else {
    body->kind = MessageKind::kBatch;
    add_members(outline, limits, *body);
  }
  return Message(Message::BodyPtr(body.release()));
}

const Json& member_of(const Json& json, const char* key) {
  if (!json.is_object()) return null_json();
  const auto found = json.find(key);
  return found == json.end() ? null_json() : *found;
}

}  // namespace

std::string_view name(DecodeError::Kind kind) {
  switch (kind) {
    case DecodeError::Kind::kEmpty:
      return "empty";
    case DecodeError::Kind::kTooLarge:
      return "too-large";
    case DecodeError::Kind::kTooDeep:
      return "too-deep";
    case DecodeError::Kind::kByteOrderMark:
      return "byte-order-mark";
    case DecodeError::Kind::kInvalidUtf8:
      return "invalid-utf8";
    case DecodeError::Kind::kInvalidJson:
      return "invalid-json";
  }
  return {};
}

std::string_view name(Notice::Kind kind) {
  switch (kind) {
    case Notice::Kind::kDuplicateMember:
      return "duplicate-member";
    case Notice::Kind::kNumberOutOfRange:
      return "number-out-of-range";
    case Notice::Kind::kLoneSurrogate:
      return "lone-surrogate";
  }
  return {};
}

std::string_view name(MessageKind kind) {
  switch (kind) {
    case MessageKind::kRequest:
      return "request";
    case MessageKind::kNotification:
      return "notification";
    case MessageKind::kResult:
      return "result";
    case MessageKind::kError:
      return "error";
    case MessageKind::kBatch:
      return "batch";
    case MessageKind::kMalformed:
      return "malformed";
  }
  return {};
}

MessageKind Message::kind() const {
  return body_->kind;
}
std::string_view Message::bytes() const {
  return body_->text();
}
std::optional<Id> Message::id() const {
  if (body_->id.size == 0) return std::nullopt;
  return std::optional<Id>(std::in_place, body_->text(body_->id));
}
std::string_view Message::method() const {
  if (body_->rare && !body_->rare->method.empty()) return body_->rare->method;
  return body_->text(body_->method);
}
bool Message::has_params() const {
  return body_->has_params;
}
const Json& Message::params() const {
  return member_of(json(), "params");
}
const Json& Message::result() const {
  return member_of(json(), "result");
}
const Json& Message::error() const {
  return member_of(json(), "error");
}
std::string_view Message::defect() const {
  return body_->defect == nullptr ? std::string_view() : body_->defect;
}

std::optional<std::int64_t> Message::error_code() const {
  const Json& code = member_of(error(), "code");
  if (code.is_number_unsigned()) {
    const auto value = code.get<std::uint64_t>();
    if (value > INT64_MAX) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (code.is_number_integer()) return code.get<std::int64_t>();
  if (code.is_number_float()) {
    constexpr double kBound = 9223372036854775808.0;  // 2^63
    const auto value = code.get<double>();
    if (std::trunc(value) == value && value >= -kBound && value < kBound) {
      return static_cast<std::int64_t>(value);
    }
  }
  return std::nullopt;
}

const Json& Message::json() const {
  if (const Json* const built = body_->dom.load(std::memory_order_acquire)) return *built;
  const bool needs_repair = body_->rare && body_->rare->needs_repair;
  auto fresh =
      std::make_unique<const Json>(needs_repair ? Json::parse(repair(body_->text()), nullptr, false)
                                                : Json::parse(body_->text(), nullptr, false));
  const Json* winner = nullptr;
  if (body_->dom.compare_exchange_strong(winner, fresh.get(), std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
    winner = fresh.release();
  }
  return *winner;
}

const std::vector<Message>& Message::members() const {
  static const std::vector<Message> none;
  return body_->rare ? body_->rare->members : none;
}

const std::vector<Notice>& Message::notices() const {
  static const std::vector<Notice> none;
  return body_->rare ? body_->rare->notices : none;
}

std::size_t Message::held_bytes() const {
  std::size_t bytes = sizeof(Body) + body_->size + tree_bytes(body_->tokens, body_->size);
  for (const Message& member : members()) bytes += sizeof(Message) + member.held_bytes();
  return bytes;
}

Decoded decode(std::string_view bytes, const Limits& limits) {
  if (bytes.size() > limits.max_bytes) {
    return DecodeError{DecodeError::Kind::kTooLarge,
                       fmt::format("{} bytes, more than {}", bytes.size(), limits.max_bytes)};
  }
  if (bytes.empty()) return DecodeError{DecodeError::Kind::kEmpty, "there are no bytes"};
  if (bytes.starts_with("\xEF\xBB\xBF")) {
    return DecodeError{DecodeError::Kind::kByteOrderMark, "starts with a byte order mark"};
  }
  return decode_value(bytes, limits, Place::kTop);
}

}  // namespace assay::wire
