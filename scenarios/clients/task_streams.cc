// A client takes messages about its task on any stream, also on that of HTTP GET.
//
// Specification: basic/utilities/tasks, "Input Required Status", 2025-11-25. The same is asked on
// the stream of tasks/result and on that of a GET: who answers there, and a ping here, answers this
// too.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kTaskId = "assay-task-of-many-streams";
constexpr const char* kTaskToolOfStreams = "test_task_wants_input";
constexpr const char* kPingThere = "assay-ping-on-result-stream";
constexpr const char* kAskedThere = "assay-asked-on-result-stream";
constexpr const char* kPingHere = "assay-ping-on-get-stream";
constexpr const char* kAskedHere = "assay-asked-on-get-stream";

Json wanting_task(const char* status) {
  return {{"taskId", kTaskId},
          {"status", status},
          {"createdAt", "2025-11-25T10:30:00.000Z"},
          {"lastUpdatedAt", "2025-11-25T10:30:00.000Z"},
          {"ttl", 600'000},
          {"pollInterval", 50}};
}

// What the task wants to know, by what the client declares; its method is empty if nothing can be
// asked.
std::pair<std::string_view, Json> wanted_of(const Json& declared) {
  const Json meta = {{"io.modelcontextprotocol/related-task", {{"taskId", kTaskId}}}};
  const Json& forms = member(declared, "elicitation");
  if (forms.is_object() && (forms.empty() || forms.contains("form"))) {
    const Json schema = {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}};
    return {"elicitation/create",
            {{"message", "Who are you?"}, {"requestedSchema", schema}, {"_meta", meta}}};
  }
  if (!harness::declares_in(declared, "sampling")) return {"", nullptr};
  const Json message = {{"role", "user"}, {"content", {{"type", "text"}, {"text", "Hello"}}}};
  return {"sampling/createMessage",
          {{"messages", Json::array({message})}, {"maxTokens", 100}, {"_meta", meta}}};
}

class TaskStreamPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    if (visit.is_request("initialize")) declared_ = member(message.params(), "capabilities");
    if (visit.is_request("tools/call") && member(message.params(), "task").is_object()) {
      return visit.answer({{"task", wanting_task("input_required")}});
    }
    if (visit.answers(kPingThere)) return ask_here(visit);
    if (text_member(message.params(), "taskId") != kTaskId) return;
    if (visit.is_request("tasks/get")) {
      return visit.answer(wanting_task(was_fetched_ ? "completed" : "input_required"));
    }
    if (visit.is_request("tasks/result")) give_result(visit);
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "initialize") {
      result["capabilities"]["tasks"] = {{"list", Json::object()},
                                         {"cancel", Json::object()},
                                         {"requests", {{"tools", {{"call", Json::object()}}}}}};
    }
    if (request.method() != "tools/list") return;
    Json tool = hosted_tool(kTaskToolOfStreams, "Takes its time, and wants to know something");
    tool["execution"] = {{"taskSupport", "required"}};
    list_only({std::move(tool)}, result);
  }

  void review(Review& review) override {
    constexpr catalogue::RequirementId kRule = "tasks.any-stream-expected";
    const auto there = review.answer_to(kAskedThere);
    const auto asked = review.question(kAskedHere);
    if (!there || there->message.kind() != wire::MessageKind::kResult) {
      return review.not_exercised(kRule, "the client answered no question about a task");
    }
    if (!asked || !is_on_get(review, *asked)) {
      return review.not_exercised(kRule, "the client had no stream of HTTP GET");
    }
    const auto answer = review.answer_to(kAskedHere);
    if (answer) return review.held(kRule, answer->event);
    const auto alive = review.answer_to(kPingHere);
    if (!alive) return review.unclear(kRule, "a ping on that stream was not answered either");
    review.missed(kRule,
                  "the client answers about its task on the stream of tasks/result, but not on the "
                  "stream of HTTP GET",
                  {there->event, asked->event, alive->event}, {"the answer on the other stream"});
  }

 private:
  // All of it is waited for before the result comes.
  void give_result(Visit& visit) {
    Json result = text_result(visit.message(), "Done");
    result["_meta"]["io.modelcontextprotocol/related-task"] = {{"taskId", kTaskId}};
    visit.answer(std::move(result));
    const auto [method, params] = wanted_of(declared_);
    if (was_fetched_ || method.empty()) return;
    was_fetched_ = true;
    visit.ask(kPingThere, "ping");
    visit.ask(kAskedThere, method, params);
    visit.await(kAskedHere);
    visit.await(kPingHere);
  }
  // What is said to an answer belongs to no request, and goes where a GET listens.
  void ask_here(Visit& visit) const {
    const auto [method, params] = wanted_of(declared_);
    visit.say(wire::make_request(wire::Id::of_string(kAskedHere), method, Json(params)));
    visit.say(wire::make_request(wire::Id::of_string(kPingHere), "ping"));
  }

  static bool is_on_get(const Review& review, const Said& said) {
    const auto& events = review.sessions()[said.session].events;
    return std::any_of(events.begin(), events.end(), [&](const EventPtr& event) {
      const bool is_request =
          event->observation.kind == transport::Observation::Kind::kHttpRequest &&
          event->observation.lane == said.event->observation.lane;
      return is_request && event->observation.http()->method == "GET";
    });
  }

  Json declared_;
  bool was_fetched_ = false;
};

const ClientScenarioRegistration kTaskStreams(
    {.name = "task-asks-anywhere",
     .task = "calls test_task_wants_input as a task, fetches its result, and is asked meanwhile",
     .requirements = {"tasks.any-stream-expected"},
     .make = make_play<TaskStreamPlay>,
     .transports = {harness::TransportKind::kHttp}});

}  // namespace
}  // namespace assay::scenarios
