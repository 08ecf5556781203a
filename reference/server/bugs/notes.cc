// Bugs behind an identifier: tools that keep notes, of which the id is known only to whoever made
// one.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "reference/server/bugs/bug.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using wire::Decoded;
using wire::Message;
using wire::MessageKind;

Json text_schema(const char* argument) {
  return {{"type", "object"},
          {"properties", {{argument, {{"type", "string"}}}}},
          {"required", {argument}}};
}

void offer_notes(BugState&, Departure& departure, int) {
  if (!departure.is_result_of("tools/list")) return;
  Json& tools = departure.result()["tools"];
  tools.push_back({{"name", "create_note"}, {"inputSchema", text_schema("text")}});
  tools.push_back({{"name", "get_note"}, {"inputSchema", text_schema("note_id")}});
  tools.push_back({{"name", "delete_note"}, {"inputSchema", text_schema("note_id")}});
}

// The arguments of a call of the tool; null for everything else.
Json arguments_for(const Message& message, std::string_view tool) {
  const bool is_call = message.kind() == MessageKind::kRequest &&
                       message.method() == "tools/call" && message.has_params() &&
                       message.params().is_object();
  if (!is_call || message.params().value("name", Json()) != tool) return nullptr;
  const Json arguments = message.params().value("arguments", Json());
  return arguments.is_object() ? arguments : Json::object();
}

void tell(const Message& request, transport::Sink& sink, Json structured, bool is_error) {
  const std::string text = wire::encode(structured);
  Json result = {{"content", Json::array({{{"type", "text"}, {"text", text}}})},
                 {"isError", is_error}};
  if (!is_error) result["structuredContent"] = std::move(structured);
  sink.send({transport::Outgoing::Kind::kResponse, wire::encode_result(*request.id(), result)});
}

// Nobody guesses it, and no two processes have the same.
std::string new_note_id(const BugState& state) {
  const auto address = reinterpret_cast<std::uintptr_t>(&state);
  const std::uint64_t mixed = (address + state.seen_ids.size() + 1) * 0x9e3779b97f4a7c15u;
  return "note-" + std::to_string(mixed);
}

// What is done with the notes: `seen_ids` were made, `answered_ids` deleted.
template <bool (*is_fatal)(const BugState&, const std::string& id)>
bool keep_notes(BugState& state, const Decoded& arrived, transport::Sink& sink) {
  const auto* message = std::get_if<Message>(&arrived);
  if (message == nullptr) return false;
  if (const Json made = arguments_for(*message, "create_note"); !made.is_null()) {
    if (!made.value("text", Json()).is_string()) {
      tell(*message, sink, {{"note", "no text"}}, true);
      return true;
    }
    const std::string id = new_note_id(state);
    state.seen_ids.insert(id);
    tell(*message, sink, {{"id", id}, {"text", "kept"}}, false);
    return true;
  }
  for (const char* tool : {"get_note", "delete_note"}) {
    const Json arguments = arguments_for(*message, tool);
    if (arguments.is_null()) continue;
    const Json given = arguments.value("note_id", Json());
    const std::string id = given.is_string() ? given.get<std::string>() : std::string();
    const bool is_known = state.seen_ids.contains(id);
    if (is_known && std::string_view(tool) == "get_note" && is_fatal(state, id)) std::abort();
    if (is_known && std::string_view(tool) == "delete_note") state.answered_ids.insert(id);
    const bool is_there = is_known && !state.answered_ids.contains(id);
    tell(*message, sink, {{"note", is_there ? "a note" : "none"}}, !is_there);
    return true;
  }
  return false;
}

bool is_any(const BugState&, const std::string&) {
  return true;
}

bool is_deleted(const BugState& state, const std::string& id) {
  return state.answered_ids.contains(id);
}

}  // namespace

std::vector<Bug> note_bugs() {
  return {
      {.id = "crash-known-note",
       .description = "Crashes when a note is read that a tool has made before",
       .shows_as = "crash",
       .arrival = keep_notes<is_any>,
       .departure = offer_notes},
      {.id = "crash-deleted-note",
       .description = "Crashes when a note is read that was made and deleted before",
       .shows_as = "crash",
       .arrival = keep_notes<is_deleted>,
       .departure = offer_notes},
  };
}

}  // namespace assay::server
