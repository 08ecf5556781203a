// How a client can read a list of several pages badly. Specification: server/utilities/pagination.
#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

Json* cursor_of(Departure& d) {
  if (!d.is_request("tools/list") || !d.part("cursor").is_string()) return nullptr;
  return &d.params()["cursor"];
}

// Replaces the first place in the cursor where it says so.
void rewrite_cursor(Json* cursor, std::string_view from, std::string_view to) {
  if (cursor == nullptr) return;
  std::string text = cursor->get<std::string>();
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  *cursor = text;
}

}  // namespace

std::vector<Fault> list_faults() {
  return {
      {.id = "cursor-changed",
       .description = "Takes the last character off a cursor",
       .breaks = {"pagination.opaque-cursor", "pagination.cursor-not-parsed"},
       .departure =
           [](Departure& d) {
             Json* cursor = cursor_of(d);
             if (cursor == nullptr) return;
             std::string text = cursor->get<std::string>();
             text.pop_back();
             *cursor = text;
           }},
      {.id = "cursor-trimmed",
       .description = "Takes the blank at the beginning off a cursor",
       .breaks = {"pagination.opaque-cursor", "pagination.cursor-not-parsed"},
       .departure = [](Departure& d) { rewrite_cursor(cursor_of(d), " 4/", "4/"); }},
      {.id = "cursor-decoded-as-url",
       .description = "Takes a cursor for a part of a URL, and decodes it",
       .breaks = {"pagination.opaque-cursor", "pagination.cursor-not-parsed"},
       .departure = [](Departure& d) { rewrite_cursor(cursor_of(d), "%2F", "/"); }},
      {.id = "cursor-without-padding",
       .description = "Takes a cursor for Base64, and takes the padding off",
       .breaks = {"pagination.opaque-cursor", "pagination.cursor-not-parsed"},
       .departure = [](Departure& d) { rewrite_cursor(cursor_of(d), "==", ""); }},
      {.id = "cursor-in-ascii",
       .description = "Writes a cursor of the last page in ASCII",
       .breaks = {"pagination.opaque-cursor", "pagination.cursor-not-parsed"},
       .departure = [](Departure& d) { rewrite_cursor(cursor_of(d), "\xe2\x84\x96", "No"); }},
      {.id = "zero-cursor-ends",
       .description = "Takes the cursor 0 for the end of a list of resources",
       .breaks = {"pagination.no-cursor-format-assumed"},
       .intake =
           [](Json& message, const FaultMemory&) {
             const Json::json_pointer next("/result/nextCursor");
             const bool is_zero =
                 message.is_object() && message.contains(next) && message[next] == "0";
             if (is_zero) message["result"].erase("nextCursor");
           }},
      {.id = "short-page-ends",
       .description = "Takes a page with one item for the last",
       .breaks = {"pagination.no-fixed-page-size"},
       .intake =
           [](Json& message, const FaultMemory&) {
             if (!message.is_object() || !message.contains("result")) return;
             Json& result = message["result"];
             const bool is_short = result.is_object() && result.contains("tools") &&
                                   result["tools"].is_array() && result["tools"].size() == 1;
             if (is_short) result.erase("nextCursor");
           }},
      {.id = "empty-cursor-ends",
       .description = "Takes an empty cursor for the end of a list",
       .breaks = {"pagination.no-cursor-format-assumed"},
       .concerns = &model::Revision::has_sessions,
       .intake =
           [](Json& message, const FaultMemory&) {
             if (!message.is_object() || !message.contains("result")) return;
             Json& result = message["result"];
             const bool is_empty =
                 result.is_object() && result.contains("nextCursor") && result["nextCursor"] == "";
             if (is_empty) result.erase("nextCursor");
           }},
      {.id = "third-page-of-prompts-unread",
       .description = "Reads no more than two pages of prompts",
       .breaks = {"prompts.pages-handled"},
       .intake =
           [](Json& message, const FaultMemory&) {
             const Json::json_pointer next("/result/nextCursor");
             const bool is_second = message.is_object() && message.contains(next) &&
                                    message[next] == "assay-prompts-3";
             if (is_second) message["result"].erase("nextCursor");
           }},
      {.id = "pages-read-again",
       .description = "Asks for each page twice",
       .breaks = {"pagination.missing-cursor-ends"},
       // A cursor that was refused as well.
       .may_break = {"caching.invalid-cursor-drops-pages"},
       .departure =
           [](Departure& d) {
             if (cursor_of(d) == nullptr) return;
             Json again = d.json();
             again["id"] = "again-" + again["id"].dump();
             d.after(again.dump());
           }},
  };
}

}  // namespace assay::client
