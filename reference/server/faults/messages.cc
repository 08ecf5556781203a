// Faults of who reads ids and methods less exactly than they are written. Specification: basic.
#include <algorithm>
#include <string>
#include <string_view>

#include "reference/server/faults/fault.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

// Gives back a textual id in other letters. `initialize` is spared, so that a session comes about.
void respell(Departure& d, std::string (*spell)(std::string)) {
  if (!(d.is_result() || d.is_error()) || !d.request() || d.answers("initialize")) return;
  Json& id = d.json()["id"];
  if (id.is_string()) id = spell(id.get<std::string>());
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// A request whose method this turns into one that the server knows is served as that.
void read_method(Json& request, std::string (*read)(std::string)) {
  const std::string method = read(request.value("method", std::string()));
  if (method == "ping" || method == "tools/list") request["method"] = method;
}

std::vector<Fault> id_faults() {
  return {
      {.id = "ids-trimmed",
       .description = "Returns ids without the blanks around them",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             respell(d, [](std::string id) {
               id.erase(0, std::min(id.find_first_not_of(' '), id.size()));
               return id.substr(0, id.find_last_not_of(' ') + 1);
             });
           }},
      {.id = "ids-in-lower-case",
       .description = "Returns ids in lower case",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure = [](Departure& d) { respell(d, lower_case); }},
      {.id = "ids-cut-at-nul",
       .description = "Returns ids up to their first null character",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             respell(d, [](std::string id) { return id.substr(0, id.find('\0')); });
           }},
      {.id = "ids-for-html",
       .description = "Returns ids with the characters of HTML escaped",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             respell(d, [](std::string id) {
               return replaced(replaced(std::move(id), "&", "&amp;"), "<", "&lt;");
             });
           }},
      {.id = "ids-composed",
       .description = "Returns ids with letters and accents composed into one character",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             respell(d, [](std::string id) {
               return replaced(std::move(id), "e\xcc\x81", "\xc3\xa9");
             });
           }},
      {.id = "ids-read-as-numbers",
       .description = "Returns ids of digits without the zeros that they begin with",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             respell(d, [](std::string id) {
               const bool is_number =
                   id.size() > 1 && id.find_first_not_of("0123456789") == std::string::npos;
               return is_number ? id.substr(std::min(id.find_first_not_of('0'), id.size() - 1))
                                : id;
             });
           }},
  };
}

std::vector<Fault> method_faults() {
  return {
      {.id = "methods-by-prefix",
       .description = "Serves methods that only begin like one that it knows",
       .breaks = {"jsonrpc.unknown-method-refused"},
       .intake =
           [](Json& request, FaultMemory&) {
             read_method(request, [](std::string method) {
               return method.substr(0, method.starts_with("tools/list") ? 10 : 4);
             });
           }},
      {.id = "methods-without-case",
       .description = "Serves methods whose names are written in other letters",
       .breaks = {"jsonrpc.unknown-method-refused"},
       .intake = [](Json& request, FaultMemory&) { read_method(request, lower_case); }},
      {.id = "methods-trimmed",
       .description = "Serves methods whose names end in a space",
       .breaks = {"jsonrpc.unknown-method-refused"},
       .intake =
           [](Json& request, FaultMemory&) {
             read_method(request, [](std::string method) {
               return method.substr(0, method.find_last_not_of(' ') + 1);
             });
           }},
      {.id = "requests-without-id-answered",
       .description = "Answers a ping or a list without an id with a result whose id is null",
       .breaks = {"jsonrpc.notification-no-response", "jsonrpc.response-id",
                  "jsonrpc.result-response-id"},
       .arrival =
           [](Arrival& a) {
             const std::string_view method = a.is_notification() ? a.message().method() : "";
             if (method == "ping" || method == "server/discover" || method.ends_with("/list")) {
               a.send({{"jsonrpc", "2.0"}, {"id", nullptr}, {"result", Json::object()}});
             }
           }},
      {.id = "progress-from-clients-answered",
       .description = "Answers progress of what it did not ask for with an error",
       .breaks = {"jsonrpc.notification-no-response"},
       .arrival =
           [](Arrival& a) {
             if (a.is_notification() && a.message().method() == "notifications/progress") {
               a.send(wire::make_error(std::nullopt, wire::kInvalidParams, "Unknown token"));
             }
           }},
  };
}

}  // namespace

std::vector<Fault> message_faults() {
  std::vector<Fault> all = id_faults();
  for (Fault& fault : method_faults()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
