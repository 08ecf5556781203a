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

constexpr const char* kNoMessage = "assay-sample-of-nothing";

// The one message to sample is nobody's, and has no content.
class BadSamplePlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    visit.ask(kNoMessage, "sampling/createMessage",
              {{"messages", Json::array({{{"role", "nobody"}}})}, {"maxTokens", 100}});
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    const auto question = review.question(kNoMessage);
    if (!question) return;
    if (!harness::declares_in(review.capabilities(*question), "sampling")) return;
    const auto answer = review.answer_to(kNoMessage);
    constexpr RequirementId kRejected = "sampling.rejection-error";
    if (!answer) {
      review.missed(kRejected, "a sampling request with an invalid message was not answered",
                    {question->event}, {"an error"});
      return;
    }
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
