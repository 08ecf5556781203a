// Lists whose pages are odd, and right or wrong all the same: who goes on, and where, shows what a
// client makes of them.
//
// Specification of 2026-07-28: basic, "ResultType"; server/utilities/pagination, "Implementation
// Guidelines".
#include <memory>
#include <optional>
#include <vector>

#include "scenarios/clients/odd_pages.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

class OddCursorPlay : public OddPagesPlay {
 public:
  OddCursorPlay() : OddPagesPlay({{"second"}, {"third"}, {""}, {std::nullopt}}) {}

  void review(Review& review) override {
    const EventPtr paging = proof_of_paging(review);
    const EventPtr went_on = asked_behind(review, 2);
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("pagination.empty-cursor-continues"),
          catalogue::RequirementId("pagination.no-cursor-format-assumed"),
          catalogue::RequirementId("pagination.cursor-value-not-interpreted")}) {
      if (went_on != nullptr) {
        review.held(rule, went_on);
      } else if (paging != nullptr) {
        review.missed(rule,
                      "the client read two more pages, and stopped at a page whose nextCursor is "
                      "an empty string",
                      {paging}, {"the next page's request"});
      } else {
        review.not_exercised(rule, "the client did not read all pages");
      }
    }
  }
};

const ClientScenarioRegistration kOddCursor(
    {.name = "empty-cursor",
     .task = "lists all tools, over four pages",
     .requirements = {"pagination.empty-cursor-continues",
                      "pagination.cursor-value-not-interpreted",
                      "pagination.no-cursor-format-assumed"},
     .make = make_play<OddCursorPlay>,
     .concerns = &model::Revision::is_stateless});

// Values that mean nothing, at keys that are reserved.
class ReservedKeysPlay : public OddPagesPlay {
 public:
  ReservedKeysPlay() : OddPagesPlay(pages()) {}

  void review(Review& review) override {
    const catalogue::RequirementId rule = "meta.no-assumptions";
    const EventPtr paging = proof_of_paging(review);
    if (const EventPtr went_on = asked_behind(review, 2)) {
      review.held(rule, went_on);
    } else if (paging != nullptr) {
      review.missed(rule,
                    "the client read two more pages, and stopped at a page with unknown values at "
                    "reserved keys of _meta",
                    {paging}, {"the next page's request"});
    } else {
      review.not_exercised(rule, "the client did not read all pages");
    }
  }

 private:
  static std::vector<OddPage> pages() {
    const Json meta = {{"io.modelcontextprotocol/unheard-of", {1, nullptr, {{"a", "b"}}}},
                       {"dev.mcp/unheard-of", 7.5}};
    return {{"second"}, {"third"}, {"fourth", "complete", meta}, {std::nullopt}};
  }
};

const ClientScenarioRegistration kReservedKeys({.name = "reserved-keys",
                                                .task = "lists all tools, over four pages",
                                                .requirements = {"meta.no-assumptions"},
                                                .make = make_play<ReservedKeysPlay>,
                                                .concerns = &model::Revision::is_stateless});

class ResultTypesPlay : public OddPagesPlay {
 public:
  ResultTypesPlay()
      : OddPagesPlay(
            {{"second"}, {"third"}, {"fourth", "com.example/unheard-of"}, {std::nullopt}}) {}

  void review(Review& review) override {
    const catalogue::RequirementId rule = "jsonrpc.result-type-unknown-invalid";
    const EventPtr paging = proof_of_paging(review);
    if (paging == nullptr) {
      review.not_exercised(rule, "the client did not read all pages");
    } else if (const EventPtr went_on = asked_behind(review, 2)) {
      review.broke(rule,
                   "the client goes on with the cursor of a result whose resultType does not exist",
                   {paging, went_on}, "/params/cursor");
    } else {
      review.held(rule, paging);
    }
  }
};

const ClientScenarioRegistration kResultTypes(
    {.name = "unknown-result-type",
     .task = "lists all tools, over pages of which the third is of a type that does not exist",
     .requirements = {"jsonrpc.result-type-unknown-invalid"},
     .make = make_play<ResultTypesPlay>,
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
