// Answers that come as a stream of events, and one that is lost on its way.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Sending Messages"; changelog,
// "Major changes".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/wire/peer_json.h"
#include "scenarios/clients/odd_pages.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

void set_events(transport::HttpReply& reply, std::string body) {
  reply.status = 200;
  reply.headers = {{"Content-Type", "text/event-stream"}};
  reply.body = std::move(body);
  reply.stream = nullptr;
}

// The list of tools, or the page of it that the body asks for; null where it is another request.
Json listing_in(std::string_view body) {
  const Json request = wire::parse_of_peer(body);
  if (harness::text_member(request, "method") != "tools/list") return nullptr;
  return request;
}

// Two pages come as JSON, the third as a stream, and the fourth as JSON under field names that are
// written in another way.
class AnswerFormsPlay : public OddPagesPlay {
 public:
  AnswerFormsPlay() : OddPagesPlay({{kSecond}, {kThird}, {kFourth}, {kFifth}, {std::nullopt}}) {}

  void on_reply(const transport::HttpHead& /*request*/, std::string_view body,
                transport::HttpReply& reply) override {
    const Json request = listing_in(body);
    const Json& cursor = member(member(request, "params"), "cursor");
    if (reply.stream) return;
    if (cursor == kThird) set_events(reply, "data: " + reply.body + "\n\n");
    if (cursor == kFourth) reply.headers = {{"cONTENT-tYPE", "application/json"}};
  }

  void review(Review& review) override {
    const EventPtr paging = proof_of_paging(review);
    const EventPtr behind_stream = asked_behind(review, 2);
    review_page(review, "http.client-takes-both-types", paging, behind_stream,
                "came as a stream of events");
    review_page(review, "http.header-names-case-insensitive", behind_stream,
                asked_behind(review, 3), "came with the field cONTENT-tYPE");
  }

 private:
  static void review_page(Review& review, catalogue::RequirementId rule, const EventPtr& paging,
                          const EventPtr& went_on, const char* how) {
    if (went_on != nullptr) {
      review.held(rule, went_on);
    } else if (paging != nullptr) {
      review.missed(rule,
                    fmt::format("the client read several pages, and stopped at one that {}", how),
                    {paging}, {"the next page's request"});
    } else {
      review.not_exercised(rule, "the client did not read all pages");
    }
  }

  static constexpr const char* kSecond = "second";
  static constexpr const char* kThird = "third";
  static constexpr const char* kFourth = "fourth";
  static constexpr const char* kFifth = "fifth";
};

const ClientScenarioRegistration kAnswerForms(
    {.name = "answer-forms",
     .task = "lists all tools, over five pages of which one comes as a stream of events",
     .requirements = {"http.client-takes-both-types", "http.header-names-case-insensitive"},
     .make = make_play<AnswerFormsPlay>,
     .concerns = &model::Revision::is_stateless,
     .transports = {TransportKind::kHttp}});

// The first list of tools is lost: its stream ends before the answer.
class LostStreamPlay : public Play {
 public:
  void on_reply(const transport::HttpHead& /*request*/, std::string_view body,
                transport::HttpReply& reply) override {
    if (has_lost_ || listing_in(body).is_null()) return;
    has_lost_ = true;
    set_events(reply, ": more would have come\n\n");
  }

  void review(Review& review) override {
    const catalogue::RequirementId rule = "http.lost-request-reissued";
    const std::vector<Said> lists = review.requests("tools/list");
    if (lists.empty()) return;
    const Said& lost = lists.front();
    const auto reply = review.reply_to(lost);
    if (reply && reply->event->observation.lane == lost.event->observation.lane) return;
    bool was_asked_again = false;
    for (const Said& each : lists) {
      if (each.event == lost.event) continue;
      was_asked_again = true;
      if (each.message.id() != lost.message.id()) {
        review.held(rule, each.event);
      } else if (may_be_another_run(review, lost, each)) {
        review.unclear(rule, "the client may have been started again, and its ids with it",
                       {lost.event, each.event});
      } else {
        review.broke(rule, "the client asks again for what was lost under the same id",
                     {lost.event, each.event}, "/id");
      }
    }
    // Who asked may have no need for it any more.
    if (!was_asked_again)
      review.not_exercised(rule, "the client did not ask again for what was lost");
  }

 private:
  // A program that is started again begins as it began, and so does one that works twice side by
  // side: with the ids of what it asked before. Where it asked nothing before it lost the answer,
  // nobody can tell.
  static bool may_be_another_run(const Review& review, const Said& lost, const Said& again) {
    std::set<std::string> ids;
    bool has_begun = false;
    for (const Said& each : review.client()) {
      const bool is_request = each.message.kind() == wire::MessageKind::kRequest;
      if (!is_request || each.event == lost.event || each.event->n >= again.event->n) continue;
      has_begun = has_begun || each.event->n < lost.event->n;
      if (!ids.insert(each.message.id()->json_text()).second) return true;
    }
    return !has_begun;
  }

  bool has_lost_ = false;
};

const ClientScenarioRegistration kLostStream(
    {.name = "lost-stream",
     .task = "lists the tools, and asks again as the first answer gets lost",
     .requirements = {"http.lost-request-reissued"},
     .make = make_play<LostStreamPlay>,
     .transports = {TransportKind::kHttp},
     .may_fail = true,
     .enough = std::chrono::seconds(5)});

}  // namespace
}  // namespace assay::scenarios
