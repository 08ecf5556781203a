// Bugs that end the process or stop it, over what a message says.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "reference/client/bugs/breakdown.h"
#include "reference/client/bugs/bug.h"
#include "reference/wire/message.h"

namespace assay::client {
namespace {

using transport::Observation;

bool holds(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

bool has_notice(std::string_view text, wire::Notice::Kind kind) {
  const wire::Decoded decoded = wire::decode(text);
  const auto* message = std::get_if<wire::Message>(&decoded);
  return message != nullptr &&
         std::any_of(message->notices().begin(), message->notices().end(),
                     [&](const wire::Notice& notice) { return notice.kind == kind; });
}

bool is_undecodable(std::string_view text, wire::DecodeError::Kind kind) {
  const wire::Decoded decoded = wire::decode(text);
  const auto* error = std::get_if<wire::DecodeError>(&decoded);
  return error != nullptr && error->kind == kind;
}

// The member of the result that is a list, if there is one.
Json list_of(std::string_view text, const char* name) {
  const Json message = parsed(text);
  const Json none = Json::object();
  if (!message.is_object()) return none;
  const Json result = message.value("result", none);
  return result.is_object() ? result.value(name, none) : none;
}

void null_result(const Observation&, std::string_view text, FaultMemory&) {
  const Json message = parsed(text);
  if (message.is_object() && message.contains("result") && message["result"].is_null()) crash();
}

void missing_name(const Observation&, std::string_view text, FaultMemory&) {
  const Json tools = list_of(text, "tools");
  if (!tools.is_array()) return;
  for (const Json& tool : tools) {
    if (!tool.is_object() || !tool.contains("inputSchema")) crash();
  }
}

void odd_content(const Observation&, std::string_view text, FaultMemory&) {
  const Json content = list_of(text, "content");
  if (!content.is_array()) return;
  for (const Json& part : content) {
    if (!part.is_object() || !part.contains("type") || !part["type"].is_string()) crash();
  }
}

void unknown_id(const Observation&, std::string_view text, FaultMemory& memory) {
  const Json message = parsed(text);
  if (!message.is_object() || message.contains("method") || !message.contains("id")) return;
  const bool is_error_of_none = message["id"].is_null();
  if (!is_error_of_none && !memory.requests.contains(message["id"].dump())) crash();
}

void deep_nesting(const Observation&, std::string_view text, FaultMemory&) {
  constexpr int kDeepest = 100;
  if (depth_of(text) > kDeepest) crash();
}

void wide_progress(const Observation&, std::string_view text, FaultMemory&) {
  constexpr double kLargest = 9007199254740991.0;
  if (!holds(text, "notifications/progress")) return;
  const Json message = parsed(text);
  if (has_number_beyond(message, "progress", kLargest)) crash();
}

void wide_time_to_live(const Observation&, std::string_view text, FaultMemory&) {
  constexpr double kLargest = 2147483647.0;
  if (!holds(text, "\"ttl")) return;
  const Json message = parsed(text);
  if (has_number_beyond(message, "ttl", kLargest) ||
      has_number_beyond(message, "ttlMs", kLargest)) {
    crash();
  }
}

void bare_error(const Observation&, std::string_view text, FaultMemory&) {
  const Json message = parsed(text);
  const Json error = message.is_object() ? message.value("error", Json()) : Json();
  if (error.is_object() && !error.contains("message")) crash();
}

void null_params(const Observation&, std::string_view text, FaultMemory&) {
  const Json message = parsed(text);
  const bool is_it = message.is_object() && message.contains("method") &&
                     message.contains("params") && message["params"].is_null();
  if (is_it) crash();
}

void long_message(const Observation&, std::string_view text, FaultMemory&) {
  constexpr std::size_t kBuffer = 1u << 20;
  if (text.size() > kBuffer) crash();
}

// As interpreters end that nobody catches an exception for.
void text_result(const Observation&, std::string_view text, FaultMemory&) {
  constexpr int kOwnStatus = 70;
  const Json message = parsed(text);
  if (!message.is_object() || !message.contains("result") || !message["result"].is_string()) return;
  std::fputs(
      "Traceback (most recent call last):\n  File \"client.py\", line 12, in take\n"
      "AttributeError: 'str' object has no attribute 'get'\n",
      stderr);
  std::fflush(stderr);
  ::_exit(kOwnStatus);
}

void odd_answer_hang(const Observation&, std::string_view text, FaultMemory&) {
  const Json message = parsed(text);
  if (message.is_object() && message.contains("result") && message.contains("error")) spin();
}

void cancelled_hang(const Observation&, std::string_view text, FaultMemory&) {
  if (holds(text, "\"notifications/cancelled\"")) hang();
}

}  // namespace

std::vector<Bug> crash_bugs() {
  using Kind = wire::Notice::Kind;
  return {
      {.id = "crash-null-result",
       .description = "Crashes on a result that is null",
       .shows_as = "crash",
       .how = {.heard = null_result}},
      {.id = "crash-tool-without-schema",
       .description = "Crashes on a tool without inputSchema",
       .shows_as = "crash",
       .how = {.heard = missing_name}},
      {.id = "crash-odd-content",
       .description = "Crashes on content without a type that is a string",
       .shows_as = "crash",
       .how = {.heard = odd_content}},
      {.id = "crash-unknown-id",
       .description = "Crashes on an answer to what it never asked",
       .shows_as = "crash",
       .how = {.heard = unknown_id}},
      {.id = "crash-deep-nesting",
       .description = "Crashes on values nested more than 100 deep",
       .shows_as = "crash",
       .how = {.heard = deep_nesting}},
      {.id = "crash-progress-overflow",
       .description = "Crashes on a progress beyond 53 bits",
       .shows_as = "crash",
       .how = {.heard = wide_progress}},
      {.id = "crash-ttl-overflow",
       .description = "Crashes on a time to live beyond 31 bits",
       .shows_as = "crash",
       .how = {.heard = wide_time_to_live}},
      {.id = "crash-error-without-message",
       .description = "Crashes on an error without a message",
       .shows_as = "crash",
       .how = {.heard = bare_error}},
      {.id = "crash-null-params",
       .description = "Crashes on params that are null",
       .shows_as = "crash",
       .how = {.heard = null_params}},
      {.id = "crash-long-message",
       .description = "Crashes on a message of more than 1 MiB",
       .shows_as = "crash",
       .how = {.heard = long_message}},
      {.id = "crash-batch",
       .description = "Crashes on an array of messages",
       .shows_as = "crash",
       .how = {.heard =
                   [](const Observation&, std::string_view text, FaultMemory&) {
                     if (text.starts_with('[')) crash();
                   }}},
      {.id = "crash-lone-surrogate",
       .description = "Crashes on half of a surrogate pair",
       .shows_as = "crash",
       .how = {.heard =
                   [](const Observation&, std::string_view text, FaultMemory&) {
                     if (has_notice(text, Kind::kLoneSurrogate)) crash();
                   }}},
      {.id = "crash-duplicate-member",
       .description = "Crashes on an object that names a member twice",
       .shows_as = "crash",
       .how = {.heard =
                   [](const Observation&, std::string_view text, FaultMemory&) {
                     if (has_notice(text, Kind::kDuplicateMember)) crash();
                   }}},
      {.id = "crash-huge-number",
       .description = "Crashes on a number beyond a double",
       .shows_as = "crash",
       .how = {.heard =
                   [](const Observation&, std::string_view text, FaultMemory&) {
                     if (has_notice(text, Kind::kNumberOutOfRange)) crash();
                   }}},
      {.id = "exit-text-result",
       .description =
           "Ends with a stack trace and a status of its own on a result that is a string",
       .shows_as = "crash",
       .how = {.heard = text_result}},
      {.id = "hang-result-and-error",
       .description = "Is busy for ever over an answer with both result and error",
       .shows_as = "hang",
       .how = {.heard = odd_answer_hang}},
      {.id = "hang-cancelled",
       .description = "Hangs when something is cancelled",
       .shows_as = "hang",
       .how = {.heard = cancelled_hang}},
      {.id = "hang-nul",
       .description = "Is busy for ever over a NUL in a string",
       .shows_as = "hang",
       .how = {.heard =
                   [](const Observation&, std::string_view text, FaultMemory&) {
                     if (holds(text, "\\u0000")) spin();
                   }}},
      {.id = "hang-bad-utf8",
       .description = "Is busy for ever over bytes that are not UTF-8",
       .shows_as = "hang",
       .how = {.heard =
                   [](const Observation&, std::string_view text, FaultMemory&) {
                     if (is_undecodable(text, wire::DecodeError::Kind::kInvalidUtf8)) spin();
                   }}},
  };
}

}  // namespace assay::client
