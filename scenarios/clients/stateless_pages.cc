// Pages as older servers give them, and a cursor that does not hold any more.
//
// Specification of 2026-07-28: basic, "ResultType"; server/utilities/caching, "Interaction with
// Pagination".
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "scenarios/clients/odd_pages.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

// The third page does not say of what type it is.
class UntypedPagePlay : public OddPagesPlay {
 public:
  UntypedPagePlay()
      : OddPagesPlay({{"second"}, {"third"}, {"fourth", std::nullopt}, {std::nullopt}}) {}

  void review(Review& review) override {
    constexpr RequirementId kRule = "jsonrpc.result-type-absent";
    const EventPtr paging = proof_of_paging(review);
    if (const EventPtr went_on = asked_behind(review, 2)) {
      review.held(kRule, went_on);
    } else if (paging != nullptr) {
      review.missed(kRule,
                    "the client read two more pages, and stopped at a page without a resultType",
                    {paging}, {"the next page's request"});
    } else {
      review.not_exercised(kRule, "the client did not read all pages");
    }
  }
};

const ClientScenarioRegistration kUntypedPage({.name = "untyped-page",
                                               .task = "lists all tools, over four pages",
                                               .requirements = {"jsonrpc.result-type-absent"},
                                               .make = make_play<UntypedPagePlay>});

// The cursor of the third page holds only once the list has been begun anew.
class LostCursorPlay : public OddPagesPlay {
 public:
  LostCursorPlay() : OddPagesPlay({{"second"}, {"third"}, {"fourth"}, {std::nullopt}}) {}

  void on_message(Visit& visit) override {
    const bool is_list = visit.is_request("tools/list");
    const Json& cursor = member(visit.message().params(), "cursor");
    if (is_list && is_lost_ && cursor.is_null()) has_begun_anew_ = true;
    if (is_list && cursor == "third" && !has_begun_anew_) {
      is_lost_ = true;
      return visit.refuse(wire::kInvalidParams, "this cursor does not hold any more");
    }
    OddPagesPlay::on_message(visit);
  }

  void review(Review& review) override {
    constexpr RequirementId kRule = "caching.invalid-cursor-drops-pages";
    std::optional<Said> refused;
    std::optional<Said> again;        // with a cursor that it had used before
    std::map<std::string, int> used;  // how often, by cursor
    int begun = 0;                    // walks over the list; there may be several at a time
    for (const Said& list : review.requests("tools/list")) {
      const Json& cursor = member(list.message.params(), "cursor");
      if (cursor.is_null()) {
        if (refused) return review.held(kRule, list.event);
        ++begun;
      } else if (++used[cursor.dump()] > begun && refused) {
        again = list;
      }
      const auto reply = review.reply_to(list);
      const bool is_refused = reply && reply->message.kind() == wire::MessageKind::kError;
      if (!refused && is_refused) refused = list;
    }
    if (again) {
      return review.broke(
          kRule,
          "a cursor was refused as invalid, and the client went on with a cursor of "
          "the same list",
          {refused->event, again->event}, "/params/cursor");
    }
    review.not_exercised(kRule, refused ? "the client did without the rest of the list"
                                        : "the client did not read all pages");
  }

 private:
  bool is_lost_ = false;  // the cursor
  bool has_begun_anew_ = false;
};

const ClientScenarioRegistration kLostCursor(
    {.name = "lost-cursor",
     .task = "lists all tools, over four pages, and begins anew as a cursor does not hold",
     .requirements = {"caching.invalid-cursor-drops-pages"},
     .make = make_play<LostCursorPlay>,
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
