// Bugs that end the process, stop it, or make it grow.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "reference/server/bugs/bug.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using wire::Decoded;
using wire::DecodeError;
using wire::Message;
using wire::MessageKind;
using wire::Notice;

const Message* message_of(const Decoded& arrived) {
  return std::get_if<Message>(&arrived);
}

[[noreturn]] void crash() {
  std::abort();
}

[[noreturn]] void hang() {
  while (true) ::pause();
}

bool has_notice(const Decoded& arrived, Notice::Kind kind) {
  const Message* message = message_of(arrived);
  return message != nullptr &&
         std::any_of(message->notices().begin(), message->notices().end(),
                     [&](const Notice& notice) { return notice.kind == kind; });
}

bool is_request(const Message* message, std::string_view method) {
  return message != nullptr && message->kind() == MessageKind::kRequest &&
         message->method() == method;
}

std::size_t depth_of(std::string_view bytes) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (const char c : bytes) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return deepest;
}

bool deep_nesting(BugState&, const Decoded& arrived, transport::Sink&) {
  const auto* error = std::get_if<DecodeError>(&arrived);
  if (error != nullptr && error->kind == DecodeError::Kind::kTooDeep) crash();
  const Message* message = message_of(arrived);
  if (message != nullptr && depth_of(message->bytes()) > 100) crash();
  return false;
}

bool wide_id(BugState&, const Decoded& arrived, transport::Sink&) {
  const Message* message = message_of(arrived);
  if (message == nullptr || !message->id()) return false;
  const bool is_number = message->id()->kind() == wire::Id::Kind::kInteger;
  if (is_number && message->id()->json_text().size() >= 19) crash();
  return false;
}

bool null_params(BugState&, const Decoded& arrived, transport::Sink&) {
  const Message* message = message_of(arrived);
  if (message != nullptr && message->has_params() && message->params().is_null()) crash();
  return false;
}

bool late_cancellation(BugState& state, const Decoded& arrived, transport::Sink&) {
  const Message* message = message_of(arrived);
  if (message == nullptr || message->method() != "notifications/cancelled") return false;
  if (!message->has_params() || !message->params().is_object()) return false;
  const Json id = message->params().value("requestId", Json());
  if (state.answered_ids.contains(wire::encode(id))) crash();
  return false;
}

void remember_answer(BugState& state, Departure& departure, int) {
  if (!departure.is_result() && !departure.is_error()) return;
  state.answered_ids.insert(wire::encode(departure.json().value("id", Json())));
}

bool second_initialize(BugState& state, const Decoded& arrived, transport::Sink&) {
  if (!is_request(message_of(arrived), "initialize")) return false;
  if (state.has_begun) std::_Exit(3);
  state.has_begun = true;
  return false;
}

bool first_request(BugState& state, const Decoded& arrived, transport::Sink&) {
  const Message* message = message_of(arrived);
  if (message == nullptr || message->kind() != MessageKind::kRequest) return false;
  if (message->method() == "initialize") state.has_begun = true;
  if (!state.has_begun && message->method() != "ping") crash();
  return false;
}

bool id_again(BugState& state, const Decoded& arrived, transport::Sink&) {
  const Message* message = message_of(arrived);
  if (message == nullptr || message->kind() != MessageKind::kRequest) return false;
  if (!state.seen_ids.insert(message->id()->json_text()).second) crash();
  return false;
}

template <std::size_t bytes>
bool leak_memory(BugState& state, const Decoded& arrived, transport::Sink&) {
  if (is_request(message_of(arrived), "resources/read")) {
    state.leaked.push_back(std::make_unique<std::vector<char>>(bytes, 'x'));
  }
  return false;
}

void leak_descriptor(BugState&, Departure& departure, int) {
  if (departure.has_error_code(wire::kMethodNotFound)) (void)::open("/dev/null", O_RDONLY);
}

bool empty_batch(BugState&, const Decoded& arrived, transport::Sink&) {
  const Message* message = message_of(arrived);
  if (message != nullptr && message->kind() == MessageKind::kBatch && message->members().empty()) {
    crash();
  }
  return false;
}

bool long_line(BugState&, const Decoded& arrived, transport::Sink&) {
  constexpr std::size_t kBuffer = 64u << 10;
  const Message* message = message_of(arrived);
  if (message != nullptr && message->bytes().size() > kBuffer) crash();
  return false;
}

bool nul_in_text(BugState&, const Decoded& arrived, transport::Sink&) {
  const Message* message = message_of(arrived);
  if (message != nullptr && message->bytes().find("\\u0000") != std::string_view::npos) hang();
  return false;
}

bool unasked_answer(BugState& state, const Decoded& arrived, transport::Sink&) {
  const Message* message = message_of(arrived);
  if (message == nullptr || message->kind() != MessageKind::kResult) return false;
  if (!state.seen_ids.contains(message->id()->json_text())) crash();
  return false;
}

void remember_request(BugState& state, Departure& departure, int) {
  const Json& json = departure.json();
  if (json.is_object() && json.contains("method") && json.contains("id")) {
    state.seen_ids.insert(wire::encode(json["id"]));
  }
}

bool bad_text(BugState&, const Decoded& arrived, transport::Sink&) {
  const auto* error = std::get_if<DecodeError>(&arrived);
  if (error != nullptr && error->kind == DecodeError::Kind::kInvalidUtf8) hang();
  return false;
}

void split_line(std::string_view piece) {
  if (!piece.empty() && piece.back() != '\n') hang();
}

}  // namespace

std::vector<Bug> crash_bugs() {
  return {
      {.id = "crash-lone-surrogate",
       .description = "Crashes on half of a surrogate pair",
       .shows_as = "crash",
       .arrival =
           [](BugState&, const Decoded& arrived, transport::Sink&) {
             if (has_notice(arrived, Notice::Kind::kLoneSurrogate)) crash();
             return false;
           }},
      {.id = "crash-duplicate-member",
       .description = "Crashes on an object that names a member twice",
       .shows_as = "crash",
       .arrival =
           [](BugState&, const Decoded& arrived, transport::Sink&) {
             if (has_notice(arrived, Notice::Kind::kDuplicateMember)) crash();
             return false;
           }},
      {.id = "crash-huge-number",
       .description = "Crashes on a number beyond a double",
       .shows_as = "crash",
       .arrival =
           [](BugState&, const Decoded& arrived, transport::Sink&) {
             if (has_notice(arrived, Notice::Kind::kNumberOutOfRange)) crash();
             return false;
           }},
      {.id = "crash-deep-nesting",
       .description = "Crashes on values nested more than 100 deep",
       .shows_as = "crash",
       .arrival = deep_nesting},
      {.id = "crash-wide-id",
       .description = "Crashes on an id of 64 bits",
       .shows_as = "crash",
       .arrival = wide_id},
      {.id = "crash-null-params",
       .description = "Crashes on a request whose params are null",
       .shows_as = "crash",
       .arrival = null_params},
      {.id = "crash-late-cancellation",
       .description = "Crashes when a request is cancelled that was answered already",
       .shows_as = "crash",
       .arrival = late_cancellation,
       .departure = remember_answer},
      {.id = "crash-empty-batch",
       .description = "Crashes on an empty batch",
       .shows_as = "crash",
       .arrival = empty_batch},
      {.id = "crash-long-line",
       .description = "Crashes on a message of more than 64 KiB",
       .shows_as = "crash",
       .arrival = long_line},
      {.id = "crash-unasked-answer",
       .description = "Crashes on a result that it never asked for",
       .shows_as = "crash",
       .arrival = unasked_answer,
       .departure = remember_request},
      {.id = "crash-id-again",
       .description = "Crashes on a request with an id that was used before",
       .shows_as = "crash",
       .arrival = id_again},
      {.id = "crash-before-initialize",
       .description = "Crashes on a request that comes before initialize",
       .shows_as = "crash",
       .arrival = first_request},
      {.id = "exit-second-initialize",
       .description = "Ends when it is initialized twice",
       .shows_as = "crash",
       .arrival = second_initialize},
      {.id = "hang-split-line",
       .description = "Hangs when a line comes in two pieces",
       .shows_as = "hang",
       .seen_over = SeenOver::kStdioOnly,
       .read = split_line},
      {.id = "hang-nul",
       .description = "Hangs on a NUL in a string",
       .shows_as = "hang",
       .arrival = nul_in_text},
      {.id = "hang-bad-utf8",
       .description = "Hangs on bytes that are not UTF-8",
       .shows_as = "hang",
       .arrival = bad_text},
      {.id = "leak-memory",
       .description = "Keeps 100 kB for each resource that is read",
       .shows_as = "growing-memory",
       .seen_over = SeenOver::kStdioOnly,
       .arrival = leak_memory<100'000>},
      {.id = "leak-much-memory",
       .description = "Keeps 4 MB for each resource that is read",
       .shows_as = "growing-memory",
       .seen_over = SeenOver::kStdioOnly,
       .arrival = leak_memory<4'000'000>},
      {.id = "leak-descriptor",
       .description = "Keeps a descriptor open for each unknown method",
       .shows_as = "growing-descriptors",
       .seen_over = SeenOver::kStdioOnly,
       .departure = leak_descriptor},
  };
}

}  // namespace assay::server
