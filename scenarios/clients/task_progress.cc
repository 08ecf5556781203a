// A client runs tasks for a server, and tells of their progress: under one token, while they work.
//
// Specification: basic/utilities/progress, "Behavior Requirements"; basic/utilities/tasks, "Result
// Retrieval", "Task Cancellation"; 2025-11-25. What the reports say, and when they end, is the
// progress monitor's matter.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

// Each id of a request is its progress token as well.
constexpr const char* kWatched = "assay-watched-task";
constexpr const char* kStopped = "assay-stopped-task";
constexpr const char* kStop = "assay-stop-task";
constexpr const char* kFirstLook = "assay-watched-first";
constexpr const char* kFetch = "assay-watched-result";
// Looks at both tasks behind their ends.
constexpr int kRounds = 3;
// Tasks that are watched where the report of one is behind its end: over HTTP each message goes by
// itself, and the one that was sent first may come last.
constexpr int kMostWatched = 4;

std::string numbered(const char* id, int number) {
  return number == 1 ? id : fmt::format("{}-{}", id, number);
}

Json watched_sample(const std::string& token) {
  return {{"messages",
           Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", "Hello"}}}}})},
          {"maxTokens", 100},
          {"task", {{"ttl", 60'000}}},
          {"_meta", {{"progressToken", token}}}};
}

std::string id_of_task(const wire::Message& answer) {
  return std::string(text_member(member(answer.result(), "task"), "taskId"));
}

std::string status_in(const std::optional<Said>& answer) {
  const bool is_result = answer && answer->message.kind() == wire::MessageKind::kResult;
  return is_result ? std::string(text_member(answer->message.result(), "status")) : "";
}

bool is_end_of_task(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled";
}

class TaskProgressPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    if (visit.is_request("initialize")) declared_ = member(message.params(), "capabilities");
    if (visit.answers(kStopped)) stopped_ = id_of_task(message);
    note_watched(visit);
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    if (!harness::declares_in(declared_, "tasks.requests.sampling.createMessage")) return;
    for (const char* token : {kWatched, kStopped}) {
      visit.ask(token, "sampling/createMessage", watched_sample(token));
    }
    visit.then([this](Visit& then) { follow(then); });
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    review_creation(review);
    review_stop(review);
  }

 private:
  // Whether the task that is watched tells of its progress, and in time.
  void note_watched(const Visit& visit) {
    const wire::Message& message = visit.message();
    const std::string token = numbered(kWatched, tries_);
    const auto answers = [&](const char* id) { return visit.answers(numbered(id, tries_)); };
    if (answers(kWatched)) watched_ = id_of_task(message);
    const bool shows_end =
        answers(kFirstLook) && is_end_of_task(text_member(message.result(), "status"));
    has_ended_ = has_ended_ || shows_end || answers(kFetch);
    const bool is_report = visit.is_notification("notifications/progress") &&
                           member(message.params(), "progressToken") == token;
    if (!is_report) return;
    has_reported_ = true;
    was_in_time_ = was_in_time_ || !has_ended_;
  }

  void watch_another(Visit& visit) {
    if (!has_reported_ || was_in_time_ || tries_ == kMostWatched) return;
    const std::string token = numbered(kWatched, ++tries_);
    watched_.clear();
    has_ended_ = has_reported_ = false;
    visit.ask(token, "sampling/createMessage", watched_sample(token));
    visit.then([this](Visit& then) {
      if (watched_.empty()) return;
      then.ask(numbered(kFirstLook, tries_), "tasks/get", {{"taskId", watched_}});
      then.then();
      then.ask(numbered(kFetch, tries_), "tasks/result", {{"taskId", watched_}});
      then.then([this](Visit& behind) { watch_another(behind); });
    });
  }

  void follow(Visit& visit) {
    const bool stops = !stopped_.empty() && harness::declares_in(declared_, "tasks.cancel");
    if (stops) {
      visit.ask(kStop, "tasks/cancel", {{"taskId", stopped_}});
      visit.then();
    }
    if (watched_.empty()) return;
    visit.ask(kFirstLook, "tasks/get", {{"taskId", watched_}});
    visit.then();
    visit.ask(kFetch, "tasks/result", {{"taskId", watched_}});
    for (int i = 1; i <= kRounds; ++i) {
      visit.then();
      visit.ask(fmt::format("assay-watched-again-{}", i), "tasks/get", {{"taskId", watched_}});
      if (!stops) continue;
      visit.ask(fmt::format("assay-stopped-again-{}", i), "tasks/get", {{"taskId", stopped_}});
    }
    visit.then([this](Visit& then) { watch_another(then); });
  }

  // Reports with that token, in the order in which they came.
  static std::vector<EventPtr> reports_of(const Review& review, std::string_view token) {
    std::vector<EventPtr> reports;
    for (const Said& said : review.client()) {
      const bool is_it = said.message.method() == "notifications/progress" &&
                         member(said.message.params(), "progressToken") == token;
      if (is_it) reports.push_back(said.event);
    }
    return reports;
  }
  static std::size_t later_than(const EventPtr& event, const std::vector<EventPtr>& reports) {
    return static_cast<std::size_t>(std::count_if(
        reports.begin(), reports.end(), [&](const EventPtr& each) { return each->n > event->n; }));
  }

  // A task that could still be stopped when it was told of was told of in time. One that was at its
  // end by then, and had reported twice on its way, was not.
  static void review_creation(Review& review) {
    constexpr RequirementId kSoon = "tasks.create-result-soon";
    const auto created = review.answer_to(kWatched);
    if (!created || id_of_task(created->message).empty()) return;
    const auto look = review.answer_to(kFirstLook);
    const std::vector<EventPtr> reports = reports_of(review, kWatched);
    const std::size_t before = reports.size() - later_than(created->event, reports);
    if (review.has_order() && is_end_of_task(status_in(look)) && before >= 2) {
      // Work that takes no time may overtake the telling.
      review.unclear(kSoon, "the task was announced after two reports of its progress",
                     {reports.front(), created->event, look->event});
      return;
    }
    const auto stop = review.answer_to(kStop);
    if (status_in(stop) == "cancelled") {
      review.held(kSoon, stop->event);
    } else if (look && !is_end_of_task(status_in(look)) && !status_in(look).empty()) {
      review.held(kSoon, look->event);
    } else {
      review.unclear(kSoon, "the task was at its end when it was looked at", {created->event});
    }
  }

  static void review_stop(Review& review) {
    constexpr RequirementId kStops = "tasks.cancel-stops-execution";
    const auto stop = review.answer_to(kStop);
    if (!stop) return;
    if (status_in(stop) != "cancelled") {
      return review.unclear(kStops, "the task was not cancelled", {stop->event});
    }
    const std::vector<EventPtr> reports = reports_of(review, kStopped);
    const std::size_t later = later_than(stop->event, reports);
    // One report may have been on its way.
    if (later >= 2 && review.has_order()) {
      review.crossed(kStops, "the cancelled task went on to report progress",
                     {stop->event, reports[reports.size() - 2], reports.back()});
    } else if (later >= 2) {
      review.unclear(kStops, "reports of the cancelled task came after the answer, by other ways",
                     {stop->event, reports.back()});
    } else if (later_than(stop->event, reports_of(review, kWatched)) > 0) {
      review.held(kStops, stop->event);
    } else {
      review.not_exercised(kStops,
                           "no task of the client's reported progress after the "
                           "cancellation, so its work cannot be seen");
    }
  }

  bool has_asked_ = false;
  Json declared_;
  std::string watched_;  // the ids of the two tasks; empty if there are none
  std::string stopped_;
  int tries_ = 1;  // tasks that were watched; of the latest:
  bool has_ended_ = false;
  bool has_reported_ = false;
  bool was_in_time_ = false;  // it reported before its end was told
};

const ClientScenarioRegistration kTaskProgress(
    {.name = "server-watches-tasks",
     .task = "lists the tools, and runs tasks for the server meanwhile, whose progress it tells",
     .requirements = {"tasks.create-result-soon", "tasks.cancel-stops-execution"},
     .make = make_play<TaskProgressPlay>});

}  // namespace
}  // namespace assay::scenarios
