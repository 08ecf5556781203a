// Prompts and resources in pages, and tools in one piece, for a client to read whole.
//
// Specification: server/prompts, "Implementation Considerations"; server/utilities/pagination.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

using Cursors = std::array<std::string_view, 2>;
constexpr Cursors kPromptCursors = {"assay-prompts-2", "assay-prompts-3"};
// With what a cursor that is taken for a number does not survive, and what some take for none.
constexpr Cursors kResourceCursors = {"002", "0"};

class PromptPagesPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (visit.is_request("prompts/list")) answer_page(visit, kPromptCursors, fill_prompts);
    if (visit.is_request("resources/list")) answer_page(visit, kResourceCursors, fill_resources);
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
    if (request.method() == "prompts/list") fill_prompts(0, result);
    if (request.method() == "resources/list") fill_resources(0, result);
  }

  void review(Review& review) override {
    const auto lists = review.requests("prompts/list");
    const auto asked = asked_by(lists, kPromptCursors);
    if (asked[1]) {
      review.held(kFollowed, asked[1]);
    } else if (asked[0]) {
      review.missed(kFollowed, "the client read the second page of the prompts, but not the third",
                    {asked[0]}, {"a request for the third page"});
    } else {
      review.not_exercised(kFollowed, "the client did not read the prompts beyond one page");
    }
    review_both(review, lists, asked[1]);
    review_zero(review);
  }

 private:
  static constexpr RequirementId kFollowed = "prompts.pages-handled";
  static constexpr RequirementId kBoth = "pagination.paged-and-unpaged";
  static constexpr RequirementId kAnyCursor = "pagination.no-cursor-format-assumed";
  using Asked = std::array<EventPtr, std::tuple_size_v<Cursors>>;

  static void answer_page(Visit& visit, const Cursors& cursors, void (*fill)(std::size_t, Json&)) {
    const Json& cursor = member(visit.message().params(), "cursor");
    if (cursor.is_null()) return;
    const auto known = std::find_if(cursors.begin(), cursors.end(),
                                    [&](std::string_view each) { return cursor == each; });
    if (known == cursors.end()) return visit.refuse(wire::kInvalidParams, "no such cursor");
    Json result = Json::object();
    if (visit.revision().has_result_types()) {
      result = {{"resultType", "complete"}, {"ttlMs", 0}, {"cacheScope", "private"}};
    }
    fill(static_cast<std::size_t>(known - cursors.begin()) + 1, result);
    visit.answer(std::move(result));
  }

  // Where the client asked by each of the cursors.
  static Asked asked_by(const std::vector<Said>& lists, const Cursors& cursors) {
    Asked asked;
    for (const Said& list : lists) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (member(list.message.params(), "cursor") == cursors[i]) asked[i] = list.event;
      }
    }
    return asked;
  }

  // The cursor behind the second page of the resources is "0".
  static void review_zero(Review& review) {
    const auto lists = review.requests("resources/list");
    const auto asked = asked_by(lists, kResourceCursors);
    const auto second = std::find_if(lists.begin(), lists.end(),
                                     [&](const Said& list) { return list.event == asked[0]; });
    if (asked[1]) return review.held(kAnyCursor, asked[1]);
    const auto page = second == lists.end() ? std::nullopt : review.reply_to(*second);
    if (!page) {
      return review.not_exercised(kAnyCursor,
                                  "the client did not read the resources beyond one page");
    }
    review.missed(kAnyCursor,
                  "the client read the second page of the resources, and did not follow its "
                  "cursor, which is \"0\"",
                  {second->event, page->event}, {"a request with that cursor"},
                  "/result/nextCursor");
  }

  // The tools came in one piece, the prompts in three.
  static void review_both(Review& review, const std::vector<Said>& lists, const EventPtr& last) {
    const auto paged = lists.empty() ? std::nullopt : review.reply_to(lists.front());
    const auto tools = review.requests("tools/list");
    const auto unpaged = tools.empty() ? std::nullopt : review.reply_to(tools.front());
    const auto& seen = paged ? paged : unpaged;
    if (!review.crash().empty() && seen) {
      review.crashed(kBoth, "the client crashed over a list: " + review.crash(), {seen->event});
    } else if (last && unpaged) {
      review.held(kBoth, last);
    } else {
      review.not_exercised(kBoth, "the client did not read both lists");
    }
  }

  static void fill_resources(std::size_t page, Json& result) {
    const std::string name = fmt::format("resource_{}", page + 1);
    result["resources"] = Json::array({{{"uri", "test://assay/" + name}, {"name", name}}});
    give_cursor(page, kResourceCursors, result);
  }

  static void give_cursor(std::size_t page, const Cursors& cursors, Json& result) {
    result.erase("nextCursor");
    if (page < cursors.size()) result["nextCursor"] = cursors[page];
  }

  static void fill_prompts(std::size_t page, Json& result) {
    Json prompts = Json::array();
    for (int i = 0; i < 2; ++i) {
      prompts.push_back({{"name", fmt::format("prompt_{}_{}", page + 1, i + 1)},
                         {"description", "One of several"}});
    }
    result["prompts"] = std::move(prompts);
    give_cursor(page, kPromptCursors, result);
  }
};

const ClientScenarioRegistration kPromptPages(
    {.name = "prompts-in-pages",
     .task = "lists all tools, on one page, and all prompts and all resources, over three each",
     .requirements = {"prompts.pages-handled", "pagination.paged-and-unpaged",
                      "pagination.no-cursor-format-assumed"},
     .make = make_play<PromptPagesPlay>});

}  // namespace
}  // namespace assay::scenarios
