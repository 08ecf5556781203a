// A client is asked for what cannot be given: a message to sample that is none, and a form in which
// not everything fits.
//
// Specification: client/sampling, "Error Handling" and "Security Considerations";
// client/elicitation, "Security Considerations"; 2024-11-05 to 2025-11-25.
#include <memory>
#include <string>
#include <string_view>

#include "scenarios/clients/narrow_form.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kSomeMessage = "assay-sample-of-something";
constexpr const char* kNoMessage = "assay-sample-of-nothing";

// The one message to sample has an unknown role and no content. A sound one is asked for beside it:
// it shows whether somebody, or something, decides about samples at once.
class BadSamplePlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    const Json text = {{"type", "text"}, {"text", "Say yes"}};
    ask_to_sample(visit, kSomeMessage, {{"role", "user"}, {"content", text}});
    ask_to_sample(visit, kNoMessage, {{"role", "nobody"}});
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    const auto question = review.question(kNoMessage);
    if (!question) return;
    if (!harness::declares_in(review.capabilities(*question), "sampling")) return;
    const auto answer = review.answer_to(kNoMessage);
    if (!answer) return review_silence(review, *question);
    const bool is_refused = answer->message.kind() == wire::MessageKind::kError;
    review.check("sampling.content-validated", is_refused,
                 "the client sampled a message that has an unknown role and no content",
                 {question->event, answer->event});
    if (is_refused) {
      review.held(kRejected, answer->event);
    } else {
      review.not_exercised(kRejected, "the client sampled what was to fail");
    }
  }

 private:
  static constexpr RequirementId kRejected = "sampling.rejection-error";

  static void ask_to_sample(Visit& visit, const char* id, const Json& message) {
    visit.ask(id, "sampling/createMessage",
              {{"messages", Json::array({message})}, {"maxTokens", 100}});
  }

  static void review_silence(Review& review, const Said& question) {
    const auto other = review.answer_to(kSomeMessage);
    if (!other) {
      return review.left_open(kRejected,
                              "no sampling request was answered; a person may have been asked",
                              {question.event});
    }
    review.missed(kRejected,
                  "a sampling request with an invalid message was not answered, and one with a "
                  "valid message was",
                  {question.event, other->event}, {"an error"});
  }

  bool has_asked_ = false;
};

const ClientScenarioRegistration kBadSample(
    {.name = "server-samples-nothing",
     .task = "lists the tools, and refuses to sample something that is not a message",
     .requirements = {"sampling.rejection-error", "sampling.content-validated"},
     .make = make_play<BadSamplePlay>,
     .concerns = &model::Revision::has_server_requests});

constexpr const char* kNarrowForm = "assay-narrow-form";

class NarrowFormPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    visit.ask(kNarrowForm, "elicitation/create",
              {{"message", "Who are you?"}, {"requestedSchema", narrow_schema()}});
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    constexpr RequirementId kRule = "elicitation.client-validates";
    const auto question = review.question(kNarrowForm);
    const auto answer = review.answer_to(kNarrowForm);
    if (!question || !answer) return;
    const Json& result = answer->message.result();
    if (text_member(result, "action") != "accept") {
      return review.not_exercised(kRule, "the client did not accept the form");
    }
    const std::string misfit = misfit_in(member(result, "content"));
    review.check(kRule, misfit.empty(),
                 "the client accepted a form with a value that does not fit its schema",
                 {question->event, answer->event}, "/result/content" + misfit);
  }

 private:
  bool has_asked_ = false;
};

const ClientScenarioRegistration kNarrow(
    {.name = "server-elicits-narrowly",
     .task = "lists the tools, and fills in a form whose fields take few values",
     .requirements = {"elicitation.client-validates"},
     .make = make_play<NarrowFormPlay>,
     .concerns = &model::Revision::has_elicitation_requests});

}  // namespace
}  // namespace assay::scenarios
