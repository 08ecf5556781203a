// Prompts in pages, and tools in one piece, for a client to read whole.
//
// Specification: server/prompts, "Implementation Considerations"; server/utilities/pagination.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::array<std::string_view, 2> kPromptCursors = {"assay-prompts-2", "assay-prompts-3"};

class PromptPagesPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("prompts/list")) return;
    const Json& cursor = member(visit.message().params(), "cursor");
    if (cursor.is_null()) return;
    const auto known = std::find_if(kPromptCursors.begin(), kPromptCursors.end(),
                                    [&](std::string_view each) { return cursor == each; });
    if (known == kPromptCursors.end()) return visit.refuse(wire::kInvalidParams, "no such cursor");
    Json result = Json::object();
    if (visit.revision().has_result_types()) {
      result = {{"resultType", "complete"}, {"ttlMs", 0}, {"cacheScope", "private"}};
    }
    fill(static_cast<std::size_t>(known - kPromptCursors.begin()) + 1, result);
    visit.answer(std::move(result));
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
    if (request.method() == "prompts/list") fill(0, result);
  }

  void review(Review& review) override {
    std::array<EventPtr, kPromptCursors.size()> asked;  // by cursor
    const auto lists = review.requests("prompts/list");
    for (const Said& list : lists) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (member(list.message.params(), "cursor") == kPromptCursors[i]) asked[i] = list.event;
      }
    }
    if (asked[1]) {
      review.held(kFollowed, asked[1]);
    } else if (asked[0]) {
      review.missed(kFollowed, "the client read the second page of the prompts, but not the third",
                    {asked[0]}, {"a request for the third page"});
    } else {
      review.not_exercised(kFollowed, "the client did not read the prompts beyond one page");
    }
    review_both(review, lists, asked[1]);
  }

 private:
  static constexpr RequirementId kFollowed = "prompts.pages-handled";
  static constexpr RequirementId kBoth = "pagination.paged-and-unpaged";

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

  static void fill(std::size_t page, Json& result) {
    Json prompts = Json::array();
    for (int i = 0; i < 2; ++i) {
      prompts.push_back({{"name", fmt::format("prompt_{}_{}", page + 1, i + 1)},
                         {"description", "One of several"}});
    }
    result["prompts"] = std::move(prompts);
    result.erase("nextCursor");
    if (page < kPromptCursors.size()) result["nextCursor"] = kPromptCursors[page];
  }
};

const ClientScenarioRegistration kPromptPages(
    {.name = "prompts-in-pages",
     .task = "lists all tools, on one page, and all prompts, over three",
     .requirements = {"prompts.pages-handled", "pagination.paged-and-unpaged"},
     .make = make_play<PromptPagesPlay>});

}  // namespace
}  // namespace assay::scenarios
