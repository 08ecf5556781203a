// Faults of pagination. Specification: server/utilities/pagination.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

bool is_list(const Departure& d) {
  return d.request() && d.request()->method().ends_with("/list");
}

bool has_cursor(const Departure& d) {
  return d.request()->has_params() && d.request()->params().is_object() &&
         d.request()->params().contains("cursor");
}

}  // namespace

std::vector<Fault> list_faults() {
  return {
      {.id = "invalid-cursor-other-code",
       .description = "Refuses unknown cursors with -32603",
       .breaks = {"pagination.invalid-cursor", "tasks.list-invalid-cursor-error"},
       .departure =
           [](Departure& d) {
             if (is_list(d) && d.has_error_code(wire::kInvalidParams)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
      {.id = "invalid-cursor-accepted",
       .description = "Takes an unknown cursor for the beginning of the list",
       .breaks = {"pagination.invalid-cursor", "tasks.list-invalid-cursor-error"},
       .inside = Switch::kAcceptsAnyCursor},
      {.id = "invalid-cursor-unanswered",
       .description = "Leaves requests with an unknown cursor unanswered",
       .breaks = {"pagination.invalid-cursor", "pagination.invalid-cursor-handled",
                  "tasks.list-invalid-cursor-error"},
       .departure =
           [](Departure& d) {
             if (is_list(d) && d.has_error_code(wire::kInvalidParams)) d.drop();
           }},
      {.id = "cursor-never-ends",
       .description = "Names a next page on the last one",
       .breaks = {"pagination.list-ends", "tools.name-unique"},
       .inside = Switch::kCursorNeverEnds},
      {.id = "page-repeats-items",
       .description = "Repeats an item of one page on the next",
       .breaks = {"pagination.list-ends", "tools.name-unique"},
       .departure =
           [](Departure& d) {
             if (!is_list(d) || !d.is_result() || !has_cursor(d)) return;
             for (Json& items : d.result()) {
               if (items.is_array() && !items.empty()) items.push_back(items[0]);
             }
           }},
      {.id = "cursor-unstable",
       .description = "Gives the page of a cursor back to front every other time",
       .breaks = {"pagination.stable-cursors"},
       .departure =
           [](Departure& d) {
             if (!is_list(d) || !d.is_result() || !has_cursor(d)) return;
             // Ids count up, so that two requests in a row differ in their last bit.
             if (d.json()["id"].is_number_integer() &&
                 d.json()["id"].get<std::int64_t>() % 2 == 0) {
               return;
             }
             for (Json& items : d.result()) {
               if (items.is_array()) std::reverse(items.begin(), items.end());
             }
           }},
      {.id = "cursor-own-refused",
       .description = "Refuses the cursors that it gives",
       .breaks = {"pagination.stable-cursors"},
       .departure =
           [](Departure& d) {
             if (!is_list(d) || !d.is_result() || !has_cursor(d)) return;
             if (d.answers("tasks/list")) return;
             d.json().erase("result");
             d.json()["error"] = {{"code", wire::kInvalidParams}, {"message", "Invalid cursor"}};
           }},
      {.id = "cursor-of-resources-unstable",
       .description = "Refuses a cursor of its resources every other time",
       .breaks = {"pagination.stable-cursors"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("resources/list") || !has_cursor(d)) return;
             const Json& id = d.json()["id"];
             if (!id.is_number_integer() || id.get<std::int64_t>() % 2 == 0) return;
             d.json().erase("result");
             d.json()["error"] = {{"code", wire::kInvalidParams}, {"message", "Invalid cursor"}};
           }},
      {.id = "cursor-number-accepted",
       .description = "Takes a number for the cursor of an empty page",
       .breaks = {"pagination.invalid-cursor"},
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(wire::kInvalidParams) || !d.answers("prompts/list")) return;
             if (!has_cursor(d) || d.request()->params()["cursor"].is_string()) return;
             d.json().erase("error");
             d.json()["result"] = {{"prompts", Json::array()}};
           }},
      {.id = "cursor-is-number",
       .description = "Writes cursors as numbers",
       .breaks = {"schema.tools-list-result", "schema.resources-list-result",
                  "schema.prompts-list-result"},
       .departure =
           [](Departure& d) {
             if (is_list(d) && d.is_result() && d.result().contains("nextCursor")) {
               d.result()["nextCursor"] = 2;
             }
           }},
      {.id = "cursor-null-at-end",
       .description = "Ends a list with a null cursor",
       .breaks = {"schema.tools-list-result", "schema.resources-list-result",
                  "schema.prompts-list-result", "schema.other-results", "schema.task-results"},
       .departure =
           [](Departure& d) {
             if (is_list(d) && d.is_result() && !d.result().contains("nextCursor")) {
               d.result()["nextCursor"] = nullptr;
             }
           }},
      {.id = "cursor-with-more-accepted",
       .description = "Accepts a cursor with text added to it",
       .breaks = {"pagination.invalid-cursor"},
       .intake =
           [](Json& request, FaultMemory&) {
             constexpr std::size_t kLength = 16;  // of each that the server gives
             const Json::json_pointer path("/params/cursor");
             if (!request.value("method", "").ends_with("/list") || !request.contains(path)) return;
             Json& cursor = request.at(path);
             if (!cursor.is_string() || cursor.get_ref<const std::string&>().size() <= kLength)
               return;
             const std::string begin = cursor.get<std::string>().substr(0, kLength);
             const bool is_one = begin.find_first_not_of("0123456789abcdef") == std::string::npos;
             if (is_one) cursor = begin;
           }},
      {.id = "cursor-of-prompts-used-up",
       .description = "Refuses a cursor of its prompts that it has had before",
       .breaks = {"pagination.stable-cursors"},
       // Before, its prompts are too few for two pages.
       .concerns = &model::Revision::has_audio,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!d.is_result_of("prompts/list") || !has_cursor(d)) return;
             const std::string cursor = wire::encode(d.request()->params()["cursor"]);
             if (!std::exchange(memory.of_connection[cursor], Json(true)).is_boolean()) return;
             d.json().erase("result");
             d.json()["error"] = {{"code", wire::kInvalidParams}, {"message", "Invalid cursor"}};
           }},
      {.id = "list-change-announced-for-another",
       .description = "Announces changes of its tools as changes of its prompts",
       .breaks = {"tools.list-changed-notified"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/tools/list_changed")) {
               d.json()["method"] = "notifications/prompts/list_changed";
             }
           }},
      {.id = "prompt-change-unannounced",
       .description = "Announces no change of its prompts",
       .breaks = {"prompts.list-changed-notified"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/prompts/list_changed")) d.drop();
           }},
      {.id = "resource-change-unannounced",
       .description = "Announces no change of its resources",
       .breaks = {"resources.list-changed-notified"},
       .departure = drops<notification<"notifications/resources/list_changed">>},
  };
}

}  // namespace assay::server
