// A list in several pages, for a client to read whole.
//
// Specification: server/utilities/pagination.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

// How many tools each page has: more than any client takes for a short page, and then a short one
// that is not the last.
constexpr std::array<int, 4> kPageSizes = {120, 120, 1, 3};
// How often the list is that long: a client that reads it before each of its calls would make more
// of it than can be kept.
constexpr int kMostListings = 10;
// Of the last page.
constexpr const char* kLastTool = "tool_4_3";
// Of every page where pages say so: none expires, so that no cache asks for one by its cursor again
// (server/utilities/caching, "Interaction with Pagination").
constexpr int kPagesFreshFor = 3'600'000;  // milliseconds
// With what a cursor that is read, trimmed, or put into a URL does not survive.
constexpr std::array<std::string_view, 3> kCursors = {
    "eyJvZmZzZXQiOjJ9==", " 4/..%2F?page=4&\"quoted\" ", "Seite \xe2\x84\x96 3"};

class PagesPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (visit.is_request("tools/call") && called_tool(visit.message()).starts_with("tool_")) {
      return visit.answer(text_result(visit.message(), "One of many answers"));
    }
    if (!visit.is_request("tools/list")) return;
    const Json& cursor = member(visit.message().params(), "cursor");
    if (cursor.is_null()) return;
    const auto known = std::find_if(kCursors.begin(), kCursors.end(),
                                    [&](std::string_view each) { return cursor == each; });
    if (known == kCursors.end()) return visit.refuse(wire::kInvalidParams, "no such cursor");
    Json result = text_result(visit.message(), "");
    result.erase("content");
    fill(static_cast<std::size_t>(known - kCursors.begin()) + 1, result);
    visit.answer(std::move(result));
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    if (++listings_ <= kMostListings) return fill(0, result);
    list_only({hosted_tool(kLastTool, "One of many")}, result);
  }

  void review(Review& review) override {
    const std::vector<Said> lists = review.requests("tools/list");
    for (std::size_t session = 0; !lists.empty() && session <= lists.back().session; ++session) {
      std::vector<Said> here;
      std::copy_if(lists.begin(), lists.end(), std::back_inserter(here),
                   [&](const Said& each) { return each.session == session; });
      if (!here.empty()) review_listing(review, here);
    }
  }

 private:
  static constexpr catalogue::RequirementId kPaged = "pagination.paged-and-unpaged";

  static void fill(std::size_t page, Json& result) {
    std::vector<Json> tools;
    for (int i = 0; i < kPageSizes[page]; ++i) {
      tools.push_back(hosted_tool(fmt::format("tool_{}_{}", page + 1, i + 1), "One of many"));
    }
    list_only(tools, result);
    if (page < kCursors.size()) result["nextCursor"] = kCursors[page];
    if (!result.contains("resultType")) return;
    result.update({{"ttlMs", kPagesFreshFor}, {"cacheScope", "private"}});
  }

  // All listings of one session.
  static void review_listing(Review& review, const std::vector<Said>& lists) {
    std::map<std::string, int> asked;  // how often by cursor
    std::optional<Said> last;          // that followed a cursor of ours
    for (const Said& list : lists) {
      const Json& cursor = member(list.message.params(), "cursor");
      if (cursor.is_null()) {
        ++asked[""];
        continue;
      }
      const bool is_ours = std::any_of(kCursors.begin(), kCursors.end(),
                                       [&](std::string_view each) { return cursor == each; });
      for (const catalogue::RequirementId rule :
           {catalogue::RequirementId("pagination.opaque-cursor"),
            catalogue::RequirementId("pagination.cursor-not-parsed")}) {
        review.check(rule, is_ours, "the client sent a cursor that no page gave", {list.event},
                     "/params/cursor");
      }
      if (!is_ours) return;
      ++asked[cursor.get<std::string>()];
      last = list;
    }
    if (!last) return review_first_page(review, lists.front());
    const bool is_complete = asked.contains(std::string(kCursors.back()));
    if (is_complete) {
      review.held(kPaged, last->event);
      review.held("pagination.no-fixed-page-size", last->event);
      review_end(review, asked, *last);
    } else if (asked.contains(std::string(kCursors[1]))) {
      review.missed("pagination.no-fixed-page-size",
                    "the client stopped at a page that was shorter than those before, though it "
                    "gave a cursor",
                    {last->event}, {"a request with that cursor"});
    } else {
      review.unclear("pagination.no-fixed-page-size", "the client followed one cursor and no more",
                     {last->event});
    }
  }

  // Who only looks whether the server answers needs no more than one page.
  static void review_first_page(Review& review, const Said& list) {
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("pagination.no-fixed-page-size"),
          catalogue::RequirementId("pagination.missing-cursor-ends")}) {
      review.not_exercised(rule, "the client read the first page only");
    }
    const auto calls = review.requests("tools/call");
    const auto call = std::find_if(calls.begin(), calls.end(), [&](const Said& each) {
      return each.session == list.session && each.event->n > list.event->n &&
             called_tool(each.message).starts_with("tool_1_");
    });
    const auto page = review.reply_to(list);
    if (call == calls.end() || !page) {
      return review.not_exercised(kPaged, "the client read the first page only");
    }
    review.left_open(kPaged,
                     "the client used the tools of the first page, and ignored the cursor to the "
                     "next: it does not know the tools of later pages",
                     {list.event, page->event, call->event});
  }

  // The last page gives no cursor: none is asked for behind it.
  static void review_end(Review& review, const std::map<std::string, int>& asked,
                         const Said& last) {
    const auto begun = asked.find("");
    const int listings = begun == asked.end() ? 0 : begun->second;
    const bool asks_on = std::any_of(asked.begin(), asked.end(), [&](const auto& each) {
      return !each.first.empty() && each.second > listings;
    });
    review.check("pagination.missing-cursor-ends", !asks_on,
                 "the client asked for a page again after the last one", {last.event},
                 "/params/cursor");
  }

  int listings_ = 0;
};

const ClientScenarioRegistration kPages(
    {.name = "list-in-pages",
     .task = "lists all tools, over four pages, and calls tool_4_3, which the last page has",
     .requirements = {"pagination.opaque-cursor", "pagination.cursor-not-parsed",
                      "pagination.no-fixed-page-size", "pagination.missing-cursor-ends",
                      "pagination.paged-and-unpaged"},
     .make = make_play<PagesPlay>,
     .deeds = {{harness::Act::kListsTools}, {harness::Act::kCallsTool, kLastTool}}});

// The last cursor is the empty string: it is there, so there is another page.
constexpr std::array<std::string_view, 3> kCursorsToEmpty = {"page-2", "page-3", ""};

class EmptyCursorPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list")) return;
    const Json& cursor = member(visit.message().params(), "cursor");
    if (cursor.is_null()) return;
    const auto known = std::find_if(kCursorsToEmpty.begin(), kCursorsToEmpty.end(),
                                    [&](std::string_view each) { return cursor == each; });
    if (known == kCursorsToEmpty.end()) {
      return visit.refuse(wire::kInvalidParams, "no such cursor");
    }
    Json result = Json::object();
    fill(static_cast<std::size_t>(known - kCursorsToEmpty.begin()) + 1, result);
    visit.answer(std::move(result));
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "tools/list") fill(0, result);
  }

  void review(Review& review) override {
    const catalogue::RequirementId rule("pagination.no-cursor-format-assumed");
    std::optional<Said> before;  // that asked for the page which gives the empty cursor
    std::optional<Said> empty;
    for (const Said& list : review.requests("tools/list")) {
      const Json& cursor = member(list.message.params(), "cursor");
      if (cursor == kCursorsToEmpty[1]) before = list;
      if (cursor == kCursorsToEmpty[2]) empty = list;
    }
    if (empty) {
      review.held(rule, empty->event);
    } else if (before && review.reply_to(*before)) {
      review.missed(
          rule,
          "the client followed all cursors of the list except the one that is an empty string",
          {before->event, review.reply_to(*before)->event}, {"a request with that cursor"},
          "/result/nextCursor");
    } else {
      review.not_exercised(rule, "the client did not read as far as the page with that cursor");
    }
  }

 private:
  static void fill(std::size_t page, Json& result) {
    list_only({hosted_tool(fmt::format("tool_{}", page + 1), "One of many")}, result);
    if (page < kCursorsToEmpty.size()) result["nextCursor"] = kCursorsToEmpty[page];
  }
};

const ClientScenarioRegistration kEmptyCursor(
    {.name = "list-with-empty-cursor",
     .task = "lists all tools, over four pages, the last of which has an empty cursor",
     .requirements = {"pagination.no-cursor-format-assumed"},
     .make = make_play<EmptyCursorPlay>,
     .concerns = &model::Revision::has_sessions});

}  // namespace
}  // namespace assay::scenarios
