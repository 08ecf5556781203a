// Batches of a server, which the client takes apart.
//
// Specification: basic, "Batching"; 2025-03-26 alone.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "reference/wire/peer_json.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr RequirementId kBatchReceived("jsonrpc.batch-receive");
constexpr RequirementId kNotesUnanswered("jsonrpc.batch-no-requests-unanswered");
constexpr RequirementId kArrayResponse("jsonrpc.batch-array-response");
constexpr RequirementId kBadMember("jsonrpc.batch-invalid-member");
constexpr RequirementId kEmptyBatch("jsonrpc.batch-empty-refused");
constexpr const char* kBesideBad = "assay-beside-bad-member";
constexpr const char* kBehindEmpty = "assay-behind-empty-batch";
constexpr const char* kBeforeBatches = "assay-before-batches";
constexpr const char* kFirstOfBatch = "assay-first-of-batch";
constexpr const char* kSecondOfBatch = "assay-second-of-batch";
constexpr const char* kBesideNote = "assay-beside-notification";
constexpr const char* kBehindNotes = "assay-behind-notifications";

Json batched_ping(const char* id) {
  return wire::make_request(wire::Id::of_string(id), "ping");
}
Json batched_note() {
  return wire::make_notification("notifications/message",
                                 {{"level", "info"}, {"data", "in a batch"}});
}

class BatchesPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list") || has_begun_) return;
    has_begun_ = true;
    visit.ask(kBeforeBatches, "ping");
    visit.then();
    visit.say_raw(Json::array({batched_ping(kFirstOfBatch), batched_ping(kSecondOfBatch)}).dump());
    visit.await(kFirstOfBatch);
    visit.await(kSecondOfBatch);
    visit.then();
    visit.say_raw(Json::array({batched_note(), batched_ping(kBesideNote)}).dump());
    visit.await(kBesideNote);
    visit.then();
    visit.say_raw(Json::array({batched_note(), batched_note()}).dump());
    visit.ask(kBehindNotes, "ping");
    visit.then();
    visit.say_raw(Json::array({Json{{"foo", "boo"}}, batched_ping(kBesideBad)}).dump());
    visit.await(kBesideBad);
    visit.then();
    visit.say_raw("[]");
    visit.ask(kBehindEmpty, "ping");
  }

  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    if (!review.answer_to(kBeforeBatches)) return;
    review_received(review, kFirstOfBatch, "an array of two pings");
    review_received(review, kSecondOfBatch, "an array of two pings");
    review_received(review, kBesideNote, "an array of a notification and a ping");
    review_notifications(review);
    review_array(review);
    review_bad_member(review);
    review_empty(review);
  }

 private:
  static void review_received(Review& review, const char* id, const char* what) {
    const auto question = review.question(id);
    if (!question) return;
    if (const auto answer = review.answer_to(id)) {
      review.held(kBatchReceived, answer->event);
    } else if (review.asked_beside("tools/list", *question)) {
      review.unclear(kBatchReceived, "the client did other things meanwhile, and left",
                     {question->event});
    } else {
      review.fell_silent(kBatchReceived, std::string("the client did not answer ") + what,
                         {question->event});
    }
  }

  static void review_array(Review& review) {
    const auto first = review.answer_to(kFirstOfBatch);
    const auto second = review.answer_to(kSecondOfBatch);
    if (!first || !second) return;
    review.check(kArrayResponse, first->event == second->event,
                 "two pings that came in one array were not answered in one array",
                 {review.question(kFirstOfBatch)->event, first->event, second->event});
  }

  static void review_bad_member(Review& review) {
    const auto question = review.question(kBesideBad);
    if (!question || !review.answer_to(kBesideNote)) return;
    if (const auto answer = review.answer_to(kBesideBad)) {
      review.held(kBadMember, answer->event);
    } else {
      review.fell_silent(kBadMember,
                         "a ping was not answered because another member of its array was none",
                         {question->event});
    }
  }

  // Whoever answers an empty array answers it with one error, and no array.
  static void review_empty(Review& review) {
    const auto question = review.question(kBehindEmpty);
    if (!question || !review.answer_to(kBehindEmpty)) return;
    const EventPtr empty = review.said_before(*question);
    for (const EventPtr& event : review.sessions()[question->session].events) {
      const bool is_later = event->is_from_client() && event->n > empty->n;
      if (!is_later || !answers_nobody(event->observation.bytes())) continue;
      return review.broke(kEmptyBatch, "an empty array was answered with an array", {empty, event});
    }
    review.held(kEmptyBatch, empty);
  }

  // An array of nothing, or of errors for nobody.
  static bool answers_nobody(std::string_view bytes) {
    const Json all = bytes.starts_with("[") ? wire::parse_of_peer(bytes) : Json();
    return all.is_array() && std::all_of(all.begin(), all.end(), [](const Json& each) {
             return each.is_object() && each.contains("error") &&
                    each.value("id", Json()).is_null();
           });
  }

  // Behind the notifications an empty array would answer nothing else.
  static void review_notifications(Review& review) {
    const auto question = review.question(kBehindNotes);
    if (!question || !review.answer_to(kBehindNotes)) return;
    const EventPtr batch = review.said_before(*question);
    for (const EventPtr& event : review.sessions()[question->session].events) {
      const bool is_empty =
          event->is_from_client() && event->n > batch->n && event->observation.bytes() == "[]";
      if (!is_empty) continue;
      review.broke(kNotesUnanswered, "an array of notifications was answered with an empty array",
                   {batch, event});
      return;
    }
    review.held(kNotesUnanswered, batch);
  }

  bool has_begun_ = false;
};

const ClientScenarioRegistration kBatches(
    {.name = "batches",
     .task = "lists the tools, and is sent batches meanwhile",
     .requirements = {kBatchReceived, kNotesUnanswered, kArrayResponse, kBadMember, kEmptyBatch},
     .make = make_play<BatchesPlay>});

}  // namespace
}  // namespace assay::scenarios
