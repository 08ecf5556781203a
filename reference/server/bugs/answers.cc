// Bugs in what is answered: nothing, twice, to somebody else, wrongly, or with undue success.
#include <charconv>

#include "reference/server/bugs/bug.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using wire::Decoded;
using wire::DecodeError;
using wire::Message;
using wire::MessageKind;

const Message* request_of(const Decoded& arrived) {
  const auto* message = std::get_if<Message>(&arrived);
  return message != nullptr && message->kind() == MessageKind::kRequest ? message : nullptr;
}

Json params_member(const Message& message, const char* key) {
  if (!message.has_params() || !message.params().is_object()) return nullptr;
  return message.params().value(key, Json());
}

// Puts a result in place of the error.
void succeed(Departure& departure, Json result) {
  departure.json().erase("error");
  departure.json()["result"] = std::move(result);
}

std::string error_text(Departure& departure) {
  if (!departure.is_error()) return "";
  return departure.json()["error"].value("message", std::string());
}

bool upset_by_parse_error(BugState& state, const Decoded& arrived, transport::Sink&) {
  if (std::holds_alternative<DecodeError>(arrived)) state.is_upset = true;
  return false;
}

void answer_last_id(BugState& state, Departure& departure, int) {
  if (!departure.is_result() || !departure.json().contains("id")) return;
  const std::string own = wire::encode(departure.json()["id"]);
  if (state.is_upset && !state.last_id.empty()) {
    departure.json()["id"] = Json::parse(state.last_id);
    state.is_upset = false;
  }
  state.last_id = own;
}

// Never comes to an end with the bad line.
void complain_again(BugState& state, Departure& departure, int) {
  if (!state.is_upset || !departure.is_result()) return;
  departure.before(
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
}

void answer_in_array(BugState&, Departure& departure, int) {
  if (departure.is_result_of("prompts/list")) departure.set_bytes("[" + departure.text() + "]");
}

bool lose_line_after_bad_one(BugState& state, const Decoded& arrived, transport::Sink&) {
  if (const auto* error = std::get_if<DecodeError>(&arrived)) {
    state.is_upset = error->kind == DecodeError::Kind::kInvalidJson;
    return false;
  }
  const bool is_lost = state.is_upset && request_of(arrived) != nullptr;
  if (is_lost) state.is_upset = false;
  return is_lost;
}

bool forget_odd_meta(BugState&, const Decoded& arrived, transport::Sink&) {
  const Message* request = request_of(arrived);
  if (request == nullptr) return false;
  const Json meta = params_member(*request, "_meta");
  return !meta.is_null() && !meta.is_object();
}

bool answer_cancellation(BugState&, const Decoded& arrived, transport::Sink& sink) {
  const auto* message = std::get_if<Message>(&arrived);
  if (message == nullptr || message->method() != "notifications/cancelled") return false;
  const Json id = params_member(*message, "requestId");
  if (!id.is_string()) return false;
  sink.send({transport::Outgoing::Kind::kResponse,
             wire::encode(Json{{"jsonrpc", "2.0"},
                               {"id", id},
                               {"error", {{"code", -32603}, {"message", "Cancelled"}}}})});
  return false;
}

void read_id_as_number(BugState&, Departure& departure, int) {
  if (!departure.is_result() && !departure.is_error()) return;
  Json& id = departure.json()["id"];
  if (!id.is_string()) return;
  const std::string& text = id.get_ref<const std::string&>();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && error == std::errc() && end == text.data() + text.size()) id = number;
}

void cut_long_answer(BugState&, Departure& departure, int) {
  constexpr std::size_t kBuffer = 1000;
  if (departure.is_error() && departure.text().size() > kBuffer) {
    departure.set_bytes(departure.text().substr(0, kBuffer));
  }
}

std::vector<Bug> form_bugs() {
  return {
      {.id = "noise-unknown-method",
       .description = "Writes to its standard output about a method that it does not know",
       .shows_as = "noise",
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](BugState&, Departure& d, int) {
             if (d.has_error_code(wire::kMethodNotFound)) d.before("warning: no such method");
           }},
      {.id = "noise-long-error",
       .description = "Cuts an error message off after 1000 bytes",
       .shows_as = "noise",
       .seen_over = SeenOver::kStdioOnly,
       .departure = cut_long_answer},
      {.id = "invalid-error-code",
       .description = "Writes the code of an error about a tool's arguments as text",
       .shows_as = "invalid-message",
       .departure =
           [](BugState&, Departure& d, int) {
             if (d.is_error_of("tools/call", wire::kInvalidParams)) {
               d.json()["error"]["code"] = "-32602";
             }
           }},
      {.id = "invalid-null-result",
       .description = "Sends a result of null when a level is set that it has set before",
       .shows_as = "invalid-message",
       .departure =
           [](BugState& state, Departure& d, int) {
             if (!d.is_result_of("logging/setLevel")) return;
             if (state.has_begun) d.json()["result"] = nullptr;
             state.has_begun = true;
           }},
  };
}

std::vector<Bug> routing_bugs() {
  return {
      {.id = "answer-twice",
       .description = "Answers a prompt's bad arguments twice",
       .shows_as = "doubled-answer",
       .departure =
           [](BugState&, Departure& d, int) {
             if (d.is_error_of("prompts/get", wire::kInvalidParams)) d.after(d.text());
           }},
      {.id = "answer-wrong-id",
       .description = "Answers with the id of an older request after a parse error",
       .shows_as = "doubled-answer",
       .arrival = upset_by_parse_error,
       .departure = answer_last_id},
      {.id = "errors-after-bad-line",
       .description = "Sends an error without an id before every answer, once a line was no JSON",
       .shows_as = "misdirected-answer",
       .seen_over = SeenOver::kStdioOnly,
       .arrival = upset_by_parse_error,
       .departure = complain_again},
      {.id = "answer-in-array",
       .description = "Answers prompts/list with an array that holds the answer",
       .shows_as = "invalid-message",
       .departure = answer_in_array},
      {.id = "answer-to-cancellation",
       .description = "Answers a notification that cancels what it does not know",
       .shows_as = "misdirected-answer",
       .arrival = answer_cancellation},
      {.id = "answer-number-for-text",
       .description = "Answers a request whose id is a text of digits with a number",
       .shows_as = "misdirected-answer",
       .departure = read_id_as_number},
      {.id = "lost-odd-meta",
       .description = "Never answers a request whose _meta is no object",
       .shows_as = "missing-answer",
       .arrival = forget_odd_meta},
      {.id = "lost-after-bad-line",
       .description = "Never answers the request that follows a line that is not JSON",
       .shows_as = "missing-answer",
       .arrival = lose_line_after_bad_one},
  };
}

std::vector<Bug> success_bugs() {
  return {
      {.id = "accepts-unknown-cursor",
       .description = "Takes an unknown cursor for the first page",
       .shows_as = "accepted",
       .inside = Switch::kAcceptsAnyCursor},
      {.id = "accepts-unknown-tool",
       .description = "Answers a call of an unknown tool with an empty result",
       .shows_as = "accepted",
       .departure =
           [](BugState&, Departure& d, int) {
             if (d.answers("tools/call") && error_text(d).starts_with("Unknown tool")) {
               succeed(d, {{"content", Json::array()}});
             }
           }},
      {.id = "accepts-bad-arguments",
       .description = "Calls a tool with arguments that its schema does not allow",
       .shows_as = "accepted",
       .departure =
           [](BugState&, Departure& d, int) {
             // The refusal is an error, or since 2025-11-25 a result that says so.
             if (d.answers("tools/call") && d.text().find("must be of type") != std::string::npos) {
               succeed(d, {{"content", Json::array()}});
             }
           }},
      {.id = "accepts-unknown-method",
       .description = "Answers unknown methods with an empty result",
       .shows_as = "accepted",
       .departure =
           [](BugState&, Departure& d, int) {
             if (d.has_error_code(wire::kMethodNotFound) && !d.answers("tools/call")) {
               succeed(d, Json::object());
             }
           }},
      {.id = "accepts-unknown-prompt",
       .description = "Answers an unknown prompt with no messages",
       .shows_as = "accepted",
       .departure =
           [](BugState&, Departure& d, int) {
             if (d.answers("prompts/get") && error_text(d) == "Unknown prompt") {
               succeed(d, {{"messages", Json::array()}});
             }
           }},
  };
}

}  // namespace

std::vector<Bug> answer_bugs() {
  std::vector<Bug> all;
  for (std::vector<Bug> (*table)() : {form_bugs, routing_bugs, success_bugs}) {
    for (Bug& bug : table()) all.push_back(std::move(bug));
  }
  return all;
}

}  // namespace assay::server
