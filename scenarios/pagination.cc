// Scenarios about lists that come in pages.
//
// Specification: server/utilities/pagination.
#include <fmt/format.h>

#include <set>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// A cursor is a string: a number is none, whichever way a server calls what is wrong with it.
void judge_no_cursor(Script& script, const Listing& listing) {
  const auto on_purpose = script.session().malformed_on_purpose();
  const Reply reply = script.request(listing.method, {{"cursor", 7}});
  script.check("pagination.invalid-cursor", reply.is_error(), reply,
               fmt::format("{} with a number for a cursor was answered with {}", listing.method,
                           reply.describe()));
}

// An invalid cursor is refused as invalid params, and the session goes on.
SCENARIO(pagination_refuses_unknown_cursor, in_both_eras(),
         judges({"pagination.invalid-cursor", "pagination.invalid-cursor-handled"})) {
  bool any = false;
  for (const Listing& listing : script.survey().listings()) {
    if (listing.pages == 0) continue;
    any = true;
    const Reply reply = script.request(listing.method, {{"cursor", "assay-not-a-cursor"}});
    script.check("pagination.invalid-cursor", reply.is_error(wire::kInvalidParams), reply,
                 fmt::format("{} with a cursor that was never issued was answered with {}",
                             listing.method, reply.describe()));
    judge_no_cursor(script, listing);
    const bool goes_on = reply.is_answered() && script.request(listing.method).is_answered();
    script.check(
        "pagination.invalid-cursor-handled", goes_on, reply.events(),
        fmt::format(
            "{} with a cursor that was never issued, or without one after it, was not answered",
            listing.method),
        Awaited{fmt::format("the answer to {}", listing.method)});
  }
  if (any) return;
  script.not_exercised("pagination.invalid-cursor", "the server lists nothing");
  script.not_exercised("pagination.invalid-cursor-handled", "the server lists nothing");
}

// A walk from page to page ends, and gives every item once.
SCENARIO(pagination_walks_end, in_both_eras(), judges({"pagination.list-ends"})) {
  bool any = false;
  for (const Listing& listing : script.survey().listings()) {
    if (!listing.is_complete && !listing.is_endless && !listing.is_cut) continue;
    any = true;
    if (listing.is_cut) {
      script.unclear("pagination.list-ends",
                     fmt::format("{} goes on after {} pages and {} items; no more were read",
                                 listing.method, listing.pages, listing.items.size()),
                     listing.last_reply->events());
      continue;
    }
    script.check("pagination.list-ends", !listing.is_endless, *listing.last_reply,
                 fmt::format("{} has no end: after {} pages and {} items they come again",
                             listing.method, listing.pages, listing.items.size()));
    if (listing.is_endless || listing.pages < 2) continue;
    const std::set<Json> different(listing.items.begin(), listing.items.end());
    script.check("pagination.list-ends", different.size() == listing.items.size(),
                 *listing.last_reply,
                 fmt::format("the pages of {} give {} items, of which {} are different",
                             listing.method, listing.items.size(), different.size()));
  }
  if (!any) script.not_exercised("pagination.list-ends", "the server lists nothing");
}

// A cursor that was given, with more behind it, was never given.
void judge_longer_cursor(Script& script, const Listing& listing, const Json& cursor) {
  const Reply reply =
      script.request(listing.method, {{"cursor", cursor.get<std::string>() + "-assay"}});
  if (!reply.is_answered()) return;
  script.check(
      "pagination.invalid-cursor", reply.is_error(wire::kInvalidParams), reply,
      fmt::format("{} with a cursor that is longer than the one that was given was answered "
                  "with {}",
                  listing.method, reply.describe()));
}

// What is on a page, in its order: all else of it may change with the time.
Json items_on(const Listing& listing, const Reply& page) {
  Json items = Json::array();
  for (const Json& item : array_member(page.result(), listing.member)) {
    for (const char* key : {"uri", "uriTemplate", "name"}) {
      if (!member(item, key).is_string()) continue;
      items.push_back(member(item, key));
      break;
    }
  }
  return items;
}

void judge_cursor(Script& script, const Listing& listing, const Json& cursor) {
  constexpr catalogue::RequirementId kRule = "pagination.stable-cursors";
  const Reply once = script.request(listing.method, {{"cursor", cursor}});
  if (!once.is_result()) {
    script.check(kRule, false, once,
                 fmt::format("{} with the nextCursor that it had just given was answered with {}",
                             listing.method, once.describe()));
    return;
  }
  constexpr int kTries = 3;
  Json before = items_on(listing, once);
  for (int tried = 1;; ++tried) {
    const Reply again = script.request(listing.method, {{"cursor", cursor}});
    Json now = items_on(listing, again);
    if (again.is_result() && now == before) {
      if (tried == 1) return script.check(kRule, true, again);
      return script.unclear(kRule, "the list may have changed meanwhile", again.events());
    }
    if (!again.is_result() || tried == kTries) {
      return script.check(kRule, false, again,
                          fmt::format("the same cursor of {} gave another page, or none, when it "
                                      "was sent again",
                                      listing.method));
    }
    before = std::move(now);
  }
}

// A cursor that was handed out names a place, and the same one when it is sent again.
SCENARIO(pagination_cursors_are_stable, in_both_eras(),
         judges({"pagination.stable-cursors", "pagination.invalid-cursor"})) {
  bool any = false;
  for (const Listing& listing : script.survey().listings()) {
    const bool has_second = listing.pages >= 2 || (listing.pages == 1 && !listing.is_complete);
    if (!has_second) continue;
    const Reply first = script.request(listing.method);
    const Json& cursor = member(first.result(), "nextCursor");
    if (!cursor.is_string()) continue;
    any = true;
    judge_cursor(script, listing, cursor);
    judge_longer_cursor(script, listing, cursor);
  }
  if (any) return;
  script.not_exercised("pagination.stable-cursors", "no list of the server has a second page",
                       "a list long enough for two pages");
}

}  // namespace
}  // namespace assay::scenarios
