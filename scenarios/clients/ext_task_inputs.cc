// Tasks of the extension `io.modelcontextprotocol/tasks` that ask their client for something: it
// answers each question once, and follows the task on.
//
// Specification: the extension's page, "Task Update Requests".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/model/validate.h"
#include "scenarios/clients/ext_task_play.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kAsksOnce = "test_task_asks";
constexpr std::string_view kAsksTwo = "test_task_asks_two_things";
constexpr std::string_view kAsksAgain = "test_task_asks_again";
constexpr std::int64_t kAskingInterval = 100;
// A task that is given nothing asks so often, and ends without it: six seconds, as a user or a model
// may have to answer.
constexpr int kLooksInWant = 60;
// A task that has what it asked for goes on showing its questions for as many looks, and then its
// work for as many.
constexpr int kLag = 2;
constexpr int kWorkAfter = 2;

// What a server can ask for, with the capability that allows it and the type of its answer.
struct InputKind {
  const char* method;
  const char* capability;
  const char* type;
};
constexpr std::array<InputKind, 3> kInputKinds = {
    {{"elicitation/create", "elicitation", "ElicitResult"},
     {"sampling/createMessage", "sampling", "CreateMessageResult"},
     {"roots/list", "roots", "ListRootsResult"}}};

// The first that the client declares; null if it declares none.
const InputKind* input_kind_for(const Json& capabilities) {
  for (const InputKind& each : kInputKinds) {
    if (!harness::declares_in(capabilities, each.capability)) continue;
    const Json& modes = member(capabilities, each.capability);
    const bool is_url_only = modes.contains("url") && !modes.contains("form");
    if (!is_url_only) return &each;
  }
  return nullptr;
}

Json input_request(const InputKind& question) {
  Json params = Json::object();
  if (question.method == std::string_view("elicitation/create")) {
    params = {{"mode", "form"},
              {"message", "Shall the task go on?"},
              {"requestedSchema",
               {{"type", "object"},
                {"properties", {{"go_on", {{"type", "boolean"}, {"default", true}}}}}}}};
  } else if (question.method == std::string_view("sampling/createMessage")) {
    const Json message = {{"role", "user"}, {"content", {{"type", "text"}, {"text", "Say yes"}}}};
    params = {{"messages", Json::array({message})}, {"maxTokens", 10}};
  }
  return {{"method", question.method}, {"params", params}};
}

class ExtTaskInputPlay : public ExtTaskPlay {
 protected:
  std::vector<std::pair<std::string, std::string>> tools() const override {
    return {{std::string(kAsksOnce), "Asks one thing"},
            {std::string(kAsksTwo), "Asks two things at once"},
            {std::string(kAsksAgain), "Asks one thing, and then another"}};
  }
  bool becomes_task(std::string_view /*tool*/, const Json& capabilities) const override {
    return input_kind_for(capabilities) != nullptr;
  }
  TaskView view(const HostedTask& task) const override {
    TaskView now;
    now.interval = kAskingInterval;
    const Json open = open_questions(task);
    const int since = task.looks - task.looks_when_given;
    if (!open.empty() && task.looks < kLooksInWant) {
      now.status = "input_required";
      now.more["inputRequests"] = open;
    } else if (open.empty() && since > kLag + kWorkAfter) {
      now.status = "completed";
      now.more = done("Done");
    } else if (!open.empty()) {
      now.status = "completed";
      now.more = done("No input came");
      now.more["result"]["isError"] = true;
    }
    return now;
  }

 public:
  void review(Review& review) override {
    for (const FollowedTask& task : followed_tasks(review)) {
      const InputKind* const question = input_kind_for(declared_by(task.call.message));
      const auto asked = first_asked(review, task);
      if (question == nullptr || !asked) continue;
      review_fulfilled(review, task, *asked);
      for (const Said& update : task.updates) review_responses(review, *question, *asked, update);
      review_observed(review, task);
    }
  }

 private:
  // Those of which the server has no answer, or has it only just.
  static Json open_questions(const HostedTask& task) {
    const InputKind* const question = input_kind_for(task.capabilities);
    Json open = Json::object();
    if (question == nullptr) return open;
    const bool lags = task.looks - task.looks_when_given <= kLag;
    const auto is_open = [&](const char* key) { return lags || !task.given.contains(key); };
    if (is_open("first")) open["first"] = input_request(*question);
    if (task.tool == kAsksTwo && is_open("second")) open["second"] = input_request(*question);
    const bool has_more = task.tool == kAsksAgain && task.given.contains("first");
    if (has_more && !lags && !task.given.contains("then")) open["then"] = input_request(*question);
    return open;
  }

  static std::optional<Said> first_asked(const Review& review, const FollowedTask& task) {
    for (const Said& look : task.looks) {
      auto reply = review.reply_to(look);
      const bool asks = reply && text_member(reply->message.result(), "status") == "input_required";
      if (asks) return reply;
    }
    return std::nullopt;
  }

  // Who cancels the task instead owes it nothing.
  static void review_fulfilled(Review& review, const FollowedTask& task, const Said& asked) {
    constexpr RequirementId kRule = "ext-tasks.input-fulfilled";
    if (!task.updates.empty()) return review.held(kRule, task.updates.front().event);
    if (!task.cancels.empty() || task.is_refused) return;
    review.missed(kRule,
                  fmt::format("the client asked about its task {} times, and gave it nothing that "
                              "it asked for",
                              task.looks.size()),
                  {asked.event, task.last()}, {"tasks/update"});
  }

  static void review_responses(Review& review, const InputKind& question, const Said& asked,
                               const Said& update) {
    constexpr RequirementId kRule = "ext-tasks.inputs-as-standalone";
    const Json& responses = member(update.message.params(), "inputResponses");
    if (!responses.is_object()) return;
    for (const auto& [key, response] : responses.items()) {
      if (key != "first" && key != "second" && key != "then") continue;
      const bool is_one = model::is_valid(review.revision(), question.type, response);
      review.check(kRule, is_one,
                   fmt::format("what the client gives a task for {} is no {}", question.method,
                               question.type),
                   {asked.event, update.event},
                   (Json::json_pointer("/params/inputResponses") / key).to_string());
    }
  }

  static void review_observed(Review& review, const FollowedTask& task) {
    constexpr RequirementId kRule = "ext-tasks.observed-after-update";
    if (task.updates.empty()) return;
    if (task.is_through()) return review.held(kRule, task.last());
    const EventPtr update = task.updates.back().event;
    if (task.is_listened_to || task.is_refused) {
      return review.unclear(kRule,
                            task.is_refused ? "the client was not shown its task"
                                            : "the client waits to be told of its task",
                            {update});
    }
    review.missed(kRule,
                  "the client answered what its task asked, and stopped asking about the task "
                  "before it ended",
                  {update, task.last()}, {"tasks/get"});
  }
};

const ClientScenarioRegistration kExtTaskInputs(
    {.name = "tasks-ask",
     .task = "calls each tool, answers what the tasks ask, and follows them to their ends",
     .requirements = {"ext-tasks.input-fulfilled", "ext-tasks.observed-after-update",
                      "ext-tasks.inputs-as-standalone", "ext-tasks.update-keys-outstanding",
                      "ext-tasks.answered-once"},
     .make = make_play<ExtTaskInputPlay>,
     .extension = "tasks",
     .deeds = {{harness::Act::kAnswersElicitation, std::string(kAsksOnce)},
               {harness::Act::kAnswersElicitation, std::string(kAsksTwo)},
               {harness::Act::kAnswersElicitation, std::string(kAsksAgain)}}});

}  // namespace
}  // namespace assay::scenarios
