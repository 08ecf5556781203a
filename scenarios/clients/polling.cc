// Lists that are fresh for an odd time each: who fetches them again whenever that is over, and asks
// for nothing else meanwhile, has made an interval of it.
//
// Specification of 2026-07-28: server/utilities/caching, "Freshness Calculation".
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kWaitingTool = "test_waits";
constexpr const char* kWaiting = "assay-waiting";
// One after the other: no interval of a client's own is all of them.
constexpr std::array<std::int64_t, 3> kFreshFor = {150, 400, 250};
constexpr milliseconds kLongestFresh{400};
// A timer may be late.
constexpr milliseconds kLate{100};
// So many in a row are no chance.
constexpr std::size_t kInARow = 3;

class ShortLivedPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    visit.answer(text_result(visit.message(), "Waited"));
    if (called_tool(visit.message()) != kWaitingTool || has_waited_) return;
    has_waited_ = true;
    visit.await(kWaiting);
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    list_only({hosted_tool(std::string(kWaitingTool), "Takes its time")}, result);
    result["ttlMs"] = kFreshFor[lists_++ % kFreshFor.size()];
  }

  void review(Review& review) override {
    constexpr catalogue::RequirementId kRule("caching.no-polling-by-ttl");
    std::vector<EventPtr> row;
    for (const Said& list : review.requests("tools/list")) {
      const auto next = fetched_when_stale(review, list);
      if (!next) {
        row.clear();
        continue;
      }
      row.push_back(next->event);
      if (row.size() < kInARow) continue;
      return review.crossed(kRule,
                            "the client fetched the list again three times in a row just when its "
                            "ttlMs was over, and asked for nothing else",
                            row);
    }
    review_wait(review, kRule);
  }

 private:
  // The next request of the client's, if it is for the list, and comes when it is stale.
  static std::optional<Said> fetched_when_stale(const Review& review, const Said& list) {
    const auto reply = review.reply_to(list);
    const Json& fresh = reply ? member(reply->message.result(), "ttlMs") : list.message.params();
    if (!fresh.is_number_unsigned()) return std::nullopt;
    for (const Said& said : review.client()) {
      const bool is_later = said.session == reply->session && said.event->n > reply->event->n;
      if (!is_later || said.message.kind() != wire::MessageKind::kRequest) continue;
      const auto late = said.event->at - reply->event->at - milliseconds(fresh.get<std::int64_t>());
      const bool is_it =
          said.message.method() == "tools/list" && late >= milliseconds(0) && late <= kLate;
      return is_it ? std::optional<Said>(said) : std::nullopt;
    }
    return std::nullopt;
  }

  // It had a list that grew stale while it waited.
  static void review_wait(Review& review, catalogue::RequirementId rule) {
    const auto lists = review.requests("tools/list");
    for (const Said& call : review.requests("tools/call")) {
      const auto reply = review.reply_to(call);
      const bool is_it = called_tool(call.message) == kWaitingTool && reply;
      if (!is_it || reply->event->at - call.event->at < kLongestFresh * 2) continue;
      const auto is_before = [&](const Said& list) { return list.event->n < call.event->n; };
      const auto is_meanwhile = [&](const Said& list) {
        return list.event->n > call.event->n && list.event->n < reply->event->n;
      };
      if (std::none_of(lists.begin(), lists.end(), is_before)) continue;
      if (std::none_of(lists.begin(), lists.end(), is_meanwhile)) {
        return review.held(rule, reply->event);
      }
      return review.unclear(rule,
                            "the client fetched the list while it waited, at a pace of its own",
                            {call.event, reply->event});
    }
    review.not_exercised(rule, "the client did not wait until a list was stale");
  }

  bool has_waited_ = false;
  std::size_t lists_ = 0;
};

const ClientScenarioRegistration kShortLived(
    {.name = "short-lived-lists",
     .task = "lists the tools, and calls test_waits, which takes its time",
     .requirements = {"caching.no-polling-by-ttl"},
     .make = make_play<ShortLivedPlay>,
     .deeds = {{harness::Act::kCallsTool, "test_waits"}}});

}  // namespace
}  // namespace assay::scenarios
