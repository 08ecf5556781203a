// A subscription of which the server honours nothing: a client that listened for more goes on.
//
// Specification of 2026-07-28: basic/patterns/subscriptions, "Acknowledgment".
#include <memory>
#include <optional>
#include <string_view>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kSubscribed = "assay-subscribed";
constexpr std::string_view kAcknowledgment = "notifications/subscriptions/acknowledged";

// It stays open for a while, and ends well.
class DeclinedSubscriptionPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (visit.is_request("tools/call")) {
      return visit.answer(text_result(visit.message(), "Nothing has changed"));
    }
    if (!visit.is_request("subscriptions/listen")) return;
    const Json meta = {
        {"io.modelcontextprotocol/subscriptionId", wire::to_json(*visit.message().id())}};
    visit.say({{"jsonrpc", "2.0"},
               {"method", kAcknowledgment},
               {"params", {{"_meta", meta}, {"notifications", Json::object()}}}});
    visit.await(kSubscribed);
    visit.answer({{"resultType", "complete"}, {"_meta", meta}});
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    constexpr catalogue::RequirementId kRule("subscriptions.acknowledgment-checked");
    const auto declined = acknowledgment(review);
    if (!declined) {
      review.not_exercised(kRule, "the client did not listen for anything");
    } else if (!review.crash().empty()) {
      review.crashed(
          kRule,
          "the client crashed over an acknowledgment that leaves out what it listens for: " +
              review.crash(),
          {declined->event});
    } else if (review.went_on_after(*declined)) {
      review.held(kRule, declined->event);
    } else {
      review.not_exercised(kRule, "the client asked for nothing after the acknowledgment");
    }
  }

 private:
  // Of a client that had listened for something.
  static std::optional<Said> acknowledgment(const Review& review) {
    for (const Said& listen : review.requests("subscriptions/listen")) {
      const Json& filter = member(listen.message.params(), "notifications");
      if (!filter.is_object() || filter.empty()) continue;
      for (const Said& said : review.server()) {
        const bool is_it = said.session == listen.session && said.event->n > listen.event->n &&
                           said.message.method() == kAcknowledgment;
        if (is_it) return said;
      }
    }
    return std::nullopt;
  }
};

const ClientScenarioRegistration kDeclinedSubscription(
    {.name = "subscription-declined",
     .task = "listens for changes of the tools, is told that it will hear of none, and calls "
             "test_simple_text",
     .requirements = {"subscriptions.acknowledgment-checked"},
     .make = make_play<DeclinedSubscriptionPlay>,
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
