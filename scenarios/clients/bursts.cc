// A server that asks often, all at once, meets a limit, or not.
//
// Specification: client/sampling and client/elicitation, "Security Considerations";
// basic/utilities/tasks, "Resource Management" of 2025-11-25. The pages name no rate, so that
// nobody breaks these rules by answering what is asked for; but a limit can be seen.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "harness/script/limit.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

using harness::speaks_of_a_limit;

// Few enough to harm nobody.
constexpr int kAtOnce = 12;

struct QuestionKind {
  const char* word;  // in the ids of its questions
  RequirementId rule;
  std::string_view method;
  Json params;
};

QuestionKind samples_at_once() {
  return {
      "sample",
      "sampling.rate-limited",
      "sampling/createMessage",
      {{"messages",
        Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", "Say yes"}}}}})},
       {"maxTokens", 5}}};
}
QuestionKind forms_at_once() {
  const Json schema = {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}};
  return {"form",
          "elicitation.rate-limited",
          "elicitation/create",
          {{"message", "Who are you?"}, {"requestedSchema", schema}}};
}
// Of one that there is not, as nothing has to be made for it.
QuestionKind looks_at_once() {
  return {"look", "tasks.rate-limited", "tasks/get", {{"taskId", "assay-no-such-task"}}};
}

std::string id_at_once(const QuestionKind& kind, int number) {
  return fmt::format("assay-burst-{}-{}", kind.word, number);
}

class BurstPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (visit.is_request("initialize")) {
      declared_ = member(visit.message().params(), "capabilities");
    }
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    const Json& forms = member(declared_, "elicitation");
    const bool has_forms = forms.is_object() && (forms.empty() || forms.contains("form"));
    if (harness::declares_in(declared_, "sampling")) ask_at_once(visit, samples_at_once());
    if (visit.revision().has_elicitation() && has_forms) ask_at_once(visit, forms_at_once());
    const bool has_tasks = harness::declares_in(declared_, "tasks");
    if (visit.revision().has_core_tasks() && has_tasks) ask_at_once(visit, looks_at_once());
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    for (const QuestionKind& kind : {samples_at_once(), forms_at_once(), looks_at_once()}) {
      if (review.question(id_at_once(kind, 1))) review_burst(review, kind);
    }
  }

 private:
  static void ask_at_once(Visit& visit, const QuestionKind& kind) {
    for (int i = 1; i <= kAtOnce; ++i) visit.ask(id_at_once(kind, i), kind.method, kind.params);
    visit.then();
  }

  static void review_burst(Review& review, const QuestionKind& kind) {
    int answered = 0;
    for (int i = 1; i <= kAtOnce; ++i) {
      const auto answer = review.answer_to(id_at_once(kind, i));
      if (!answer) continue;
      ++answered;
      const bool is_error = answer->message.kind() == wire::MessageKind::kError;
      if (is_error && harness::speaks_of_a_limit(text_member(answer->message.error(), "message"))) {
        return review.held(kind.rule, answer->event);
      }
    }
    if (answered == 0) {
      return review.not_exercised(kind.rule, "the client answered none of the requests");
    }
    review.unclear(kind.rule, fmt::format("{} requests for {} at once met no limit; the text names "
                                          "no rate, so there may be one beyond them",
                                          kAtOnce, kind.method));
  }

  bool has_asked_ = false;
  Json declared_;
};

const ClientScenarioRegistration kBurstOfQuestions(
    {.name = "server-asks-often",
     .task = "lists the tools, and is asked the same a dozen times meanwhile",
     .requirements = {"sampling.rate-limited", "elicitation.rate-limited", "tasks.rate-limited"},
     .make = make_play<BurstPlay>,
     .concerns = &model::Revision::has_server_requests});

}  // namespace
}  // namespace assay::scenarios
