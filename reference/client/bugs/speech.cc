// Bugs in what a client says and asks for, and in what it keeps.
#include <chrono>
#include <string>

#include "reference/client/bugs/breakdown.h"
#include "reference/client/bugs/bug.h"
#include "reference/transport/http_fetch.h"

namespace assay::client {
namespace {

using transport::Observation;

constexpr char kRound = '\x1f';  // between a cursor and what makes it another one
constexpr std::size_t kHoarded = 64u << 10;

// It takes a cursor that it was given before for a new one.
void take_cursor_for_new(Json& message, const FaultMemory&) {
  const auto result = message.is_object() ? message.find("result") : message.end();
  if (!message.is_object() || result == message.end() || !result->is_object()) return;
  const auto cursor = result->find("nextCursor");
  if (cursor == result->end() || !cursor->is_string() || !message.contains("id")) return;
  *cursor = cursor->get<std::string>() + kRound + message["id"].dump();
}

void give_cursor_back(Departure& departure) {
  Json& message = departure.json();
  if (!message.is_object() || !message.contains("params") || !message["params"].is_object()) return;
  const auto cursor = message["params"].find("cursor");
  if (cursor == message["params"].end() || !cursor->is_string()) return;
  const std::string text = cursor->get<std::string>();
  *cursor = text.substr(0, text.find(kRound));
}

std::string method_of(const Json& message) {
  const auto method = message.is_object() ? message.find("method") : message.end();
  const bool is_text = message.is_object() && method != message.end() && method->is_string();
  return is_text ? method->get<std::string>() : "";
}

std::string answer_to_notification(const Json& message, std::string_view) {
  const std::string method = method_of(message);
  if (method.empty() || message.contains("id") || method.find("assay") == std::string::npos) {
    return "";
  }
  return R"({"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"No such method"}})";
}

void answer_twice(Departure& departure) {
  const Json& message = departure.json();
  const bool is_answer =
      message.is_object() && message.contains("id") && !message.contains("method");
  if (is_answer && departure.is_error() && message["id"].is_string()) {
    departure.after(message.dump());
  }
}

std::string complaint_about_list(const Json& message, std::string_view) {
  const auto result = message.is_object() ? message.find("result") : message.end();
  if (!message.is_object() || result == message.end() || !result->is_array()) return "";
  return R"({"jsonrpc":"2.0","oops":undefined})";
}

void hoard_notifications(const Observation&, std::string_view text, FaultMemory& memory) {
  if (text.find("\"notifications/") == std::string_view::npos) return;
  if (!memory.hoard) memory.hoard = std::make_shared<std::vector<std::string>>();
  memory.hoard->emplace_back(kHoarded, 'x');
}

// Room for as many parts as there are to come.
void make_room_for_total(const Observation&, std::string_view text, FaultMemory& memory) {
  constexpr std::size_t kRoom = 200u << 20;
  constexpr double kMany = 1e9;
  if (text.find("\"total\"") == std::string_view::npos) return;
  if (!has_number_beyond(parsed(text), "total", kMany)) return;
  if (!memory.hoard) memory.hoard = std::make_shared<std::vector<std::string>>();
  if (memory.hoard->empty()) memory.hoard->emplace_back(kRoom, 'x');
}

void fetch_references(const Json& part) {
  if (!part.is_structured()) return;
  for (const auto& [key, value] : part.items()) {
    fetch_references(value);
    const std::string url = key == "$ref" && value.is_string() ? value.get<std::string>() : "";
    if (!url.starts_with("http://127.0.0.1:")) continue;
    transport::HttpMessage message;
    message.method = "GET";
    (void)transport::fetch(url, std::move(message), std::chrono::seconds(2));
  }
}

void resolve_schemas(const Observation&, std::string_view text, FaultMemory&) {
  if (text.find("\"$ref\"") != std::string_view::npos) fetch_references(parsed(text));
}

}  // namespace

std::vector<Bug> speech_bugs() {
  return {
      {.id = "follows-old-cursor",
       .description = "Follows a cursor that it was given before, for ever",
       .shows_as = "undue-requests",
       .how = {.departure = give_cursor_back, .intake = take_cursor_for_new}},
      {.id = "answers-notification",
       .description = "Answers a notification that it does not know",
       .shows_as = "unasked-answer",
       .how = {.reaction = answer_to_notification}},
      {.id = "answers-twice",
       .description = "Answers what it does not know twice, where the id is a string",
       .shows_as = "doubled-answer",
       .how = {.departure = answer_twice}},
      {.id = "says-no-json",
       .description = "Sends text that is not JSON when a result is an array",
       .shows_as = "invalid-message",
       .how = {.reaction = complaint_about_list}},
      {.id = "hoards-notifications",
       .description = "Keeps 64 KiB for each notification",
       .shows_as = "growing-memory",
       .how = {.heard = hoard_notifications}},
      {.id = "believes-total",
       .description = "Makes room for as much as a progress notification says there is",
       .shows_as = "growing-memory",
       .how = {.heard = make_room_for_total}},
      {.id = "fetches-ref",
       .description = "Fetches the URL of a $ref in a schema",
       .shows_as = "fetched",
       .how = {.heard = resolve_schemas}},
  };
}

}  // namespace assay::client
