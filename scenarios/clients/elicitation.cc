// A client fills in a form, or is sent to a URL; each only in the modes that it declared.
//
// Specification: client/elicitation, 2025-06-18 and 2025-11-25.
#include <array>
#include <memory>
#include <vector>

#include "scenarios/clients/default_forms.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kTool = "test_client_elicitation_defaults";
constexpr const char* kForm = "assay-form";

struct AskedForm {
  const char* id;
  DefaultForm form;
};
constexpr std::array<AskedForm, 4> kForms = {{{kForm, DefaultForm::kFirst},
                                              {"assay-form-2", DefaultForm::kSecond},
                                              {"assay-choices", DefaultForm::kFirstChoices},
                                              {"assay-choices-2", DefaultForm::kSecondChoices}}};

Json asking_to_fill(DefaultForm form) {
  return {{"message", "Who are you?"}, {"requestedSchema", default_form_schema(form)}};
}

class FormPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call") || called_tool(visit.message()) != kTool) return;
    visit.answer(text_result(visit.message(), "The form came back"));
    if (has_asked_) return;
    has_asked_ = true;
    // Without a mode it is a form.
    for (const AskedForm& each : kForms) {
      if (each.id != kForm) visit.then();
      visit.ask(each.id, "elicitation/create", asking_to_fill(each.form));
    }
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "tools/list")
      list_only({hosted_tool(kTool, "Asks for a form")}, result);
  }

  void review(Review& review) override {
    const auto question = review.question(kForm);
    const auto answer = review.answer_to(kForm);
    if (!question || !answer) return;
    const std::vector<harness::EventPtr> events = {question->event, answer->event};
    const Json declared = member(review.capabilities(*answer), "elicitation");
    const bool is_result = answer->message.kind() == wire::MessageKind::kResult;
    // An empty object stands for forms.
    const bool has_forms = declared.is_object() && (declared.empty() || declared.contains("form"));
    if (declared.is_null()) {
      review.check("elicitation.capability-declared", !is_result,
                   "the client answers an elicitation, and does not declare the capability",
                   events);
      return;
    }
    if (is_result) review.held("elicitation.capability-declared", answer->event);
    if (!has_forms) return;
    review.check("elicitation.missing-mode-is-form",
                 is_result || answer->message.error_code() != wire::kInvalidParams,
                 "an elicitation without a mode is refused as invalid", events);
    review_defaults(review);
  }

 private:
  static void review_defaults(Review& review) {
    std::vector<FilledForm> filled;
    for (const auto& [id, form] : kForms) {
      const auto question = review.question(id);
      const auto answer = review.answer_to(id);
      if (!question || !answer || answer->message.kind() != wire::MessageKind::kResult) continue;
      const Json& result = answer->message.result();
      if (text_member(result, "action") != "accept") continue;
      filled.push_back({form, question->event, answer->event, member(result, "content")});
    }
    review_default_forms(review, filled, "/result/content");
  }

  bool has_asked_ = false;
};

const ClientScenarioRegistration kFormDefaults(
    {.name = "elicitation-sep1034-client-defaults",
     .task = "calls test_client_elicitation_defaults, and accepts the form that it is shown",
     .requirements = {"elicitation.capability-declared", "elicitation.missing-mode-is-form",
                      "elicitation.defaults-filled"},
     .make = make_play<FormPlay>,
     .concerns = &model::Revision::has_rich_elicitation_requests,
     .deeds = {{harness::Act::kAnswersElicitation, kTool}}});

constexpr const char* kPlainForm = "assay-plain-form";
constexpr const char* kUrl = "assay-url";

// Asks in both modes when the client lists the tools. Nothing is to be found at the URL.
class ModesPlay : public Play {
 public:
  bool sets_trap() const override { return true; }
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    visit.ask(kPlainForm, "elicitation/create",
              {{"message", "Who are you?"},
               {"requestedSchema",
                {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}}}});
    if (!visit.revision().has_url_elicitation()) return;
    visit.ask(kUrl, "elicitation/create",
              {{"mode", "url"},
               {"elicitationId", kUrl},
               {"message", "Please look at this page."},
               {"url", visit.trap() + "/elicitation"}});
  }

  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    const auto form = review.answer_to(kPlainForm);
    const auto asked = review.question(kPlainForm);
    if (!asked) return;
    const Json declared = member(review.capabilities(*asked), "elicitation");
    review.expect_answer(kPlainForm, declared.is_object());
    if (form) review_declared(review, *asked, *form, declared);
    if (!declared.is_object() || !review.revision().has_url_elicitation()) return;
    const bool has_forms = declared.empty() || declared.contains("form");
    const bool has_urls = declared.contains("url");
    review.check("elicitation.some-mode-supported", has_forms || has_urls,
                 "the client declares elicitation, and neither form nor url", {asked->event});
    if (!has_forms) review_undeclared_mode(review, kPlainForm, kUrl);
    if (!has_urls) review_undeclared_mode(review, kUrl, kPlainForm);
    if (has_urls) review_url(review);
  }

 private:
  static void review_declared(Review& review, const harness::Said& asked, const harness::Said& form,
                              const Json& declared) {
    const bool is_result = form.message.kind() == wire::MessageKind::kResult;
    review.check("elicitation.capability-declared", !is_result || declared.is_object(),
                 "the client answers an elicitation, and does not declare the capability",
                 {asked.event, form.event});
  }

  // Who declares elicitations and serves none, in no mode, refuses this for the same reason.
  static void review_undeclared_mode(Review& review, const char* id, const char* other_id) {
    const auto question = review.question(id);
    const auto answer = review.answer_to(id);
    if (!question || !answer) return;
    const auto other = review.answer_to(other_id);
    const bool is_refused = answer->message.kind() == wire::MessageKind::kError;
    if (is_refused && (!other || other->message.kind() == wire::MessageKind::kError) &&
        answer->message.error_code() != wire::kInvalidParams) {
      return review.unclear("elicitation.undeclared-mode-error",
                            "the client refuses elicitations in each mode", {answer->event});
    }
    review.check("elicitation.undeclared-mode-error",
                 answer->message.error_code() == wire::kInvalidParams,
                 "an elicitation in a mode that the client did not declare was not refused with "
                 "-32602",
                 {question->event, answer->event});
  }

  // Whether anybody was asked is out of sight; but who declines does not agree.
  static void review_url(Review& review) {
    const auto question = review.question(kUrl);
    const auto answer = review.answer_to(kUrl);
    if (!question || !answer) return;
    const bool has_agreed = text_member(answer->message.result(), "action") == "accept";
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("elicitation.url-not-prefetched"),
          catalogue::RequirementId("elicitation.url-opened-with-consent")}) {
      if (review.hits().empty()) {
        review.held(rule, answer->event);
      } else if (has_agreed) {
        review.unclear(rule, "the URL was fetched, and the client says that the user agreed",
                       {question->event, answer->event});
      } else {
        review.broke(rule,
                     "no user agreed to open the URL, and it was fetched: " + review.hits().front(),
                     {question->event, answer->event}, "/result");
      }
    }
  }

  bool has_asked_ = false;
};

const ClientScenarioRegistration kModes(
    {.name = "server-elicits",
     .task = "lists the tools, and is asked for a form and sent to a URL meanwhile",
     .requirements = {"jsonrpc.request-answered-once", "elicitation.capability-declared",
                      "elicitation.some-mode-supported", "elicitation.undeclared-mode-error",
                      "elicitation.url-not-prefetched", "elicitation.url-opened-with-consent"},
     .make = make_play<ModesPlay>,
     .concerns = &model::Revision::has_elicitation_requests});

}  // namespace
}  // namespace assay::scenarios
