// Judges how a client asks for tasks of the extension, answers what they ask, and cancels them.
//
// Specification: the extension's page, "Task Update Requests", "Task Cancellation", "Streamable
// HTTP: Routing Headers".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "harness/monitors/durable_tasks.h"
#include "harness/monitors/http_lanes.h"
#include "harness/monitors/mirrored_field.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using wire::Id;

constexpr std::size_t kMostFollowed = 1024;

// The latest tasks/update that answered a key.
struct KeyAnswer {
  EventPtr event;
  Id update;
  bool is_taken = false;  // a result came for it
};

struct FollowedTask {
  bool was_asked_for = false;  // by tasks/get, so that the client knows of it
  bool was_shown = false;      // an answer to tasks/get has passed
  std::map<std::string, EventPtr, std::less<>> asked;      // by key: where it was seen first
  std::map<std::string, KeyAnswer, std::less<>> answered;  // by key
};

class ClientExtTaskMonitor : public Monitor {
 public:
  std::string_view name() const override { return "client_ext_task_monitor"; }
  std::vector<RequirementId> client_requirements() const override {
    return {"ext-tasks.routing-header", "ext-tasks.schema", "ext-tasks.update-keys-outstanding",
            "ext-tasks.answered-once", "ext-tasks.no-cancelled-notification"};
  }
  bool holds_in(model::Revision revision) const override { return has_durable_tasks(revision); }
  bool rests_on_history(RequirementId id) const override {
    return id.text() != "ext-tasks.routing-header" && id.text() != "ext-tasks.schema";
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& /*judge*/) override {
    if (session.transport().is_streamable_http()) lanes_.note(event);
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) {
      note_server(sighting);
      return;
    }
    const std::string_view method = sighting.message.method();
    if (sighting.is_request() && is_about_durable_task(method)) {
      judge_form(sighting, session, judge);
      judge_header(sighting, session, judge);
      take_request(sighting, session, judge);
    } else if (sighting.is_notification() && method == "notifications/cancelled") {
      judge_cancellation(sighting, judge);
    }
  }

 private:
  FollowedTask* task_of(const Json& params_or_result) {
    const std::string id(text_member(params_or_result, "taskId"));
    if (id.empty() || (tasks_.size() >= kMostFollowed && !tasks_.contains(id))) return nullptr;
    return &tasks_[id];
  }

  void note_server(const Sighting& sighting) {
    if (sighting.is_result_of("tools/call") && is_flat_task(sighting.message.result())) {
      const std::string id(text_member(sighting.message.result(), "taskId"));
      if (creators_.size() < kMostFollowed) creators_[*sighting.exchange->request.id()] = id;
      return;
    }
    if (sighting.exchange != nullptr && sighting.exchange->request.method() == "tasks/update") {
      return note_update(sighting);
    }
    const bool is_notified =
        sighting.is_notification() && sighting.message.method() == "notifications/tasks";
    if (!is_notified && !sighting.is_result_of("tasks/get")) return;
    const Json& shown = is_notified ? sighting.message.params() : sighting.message.result();
    FollowedTask* const task = task_of(shown);
    if (task == nullptr) return;
    task->was_shown = true;
    const Json& requests = member(shown, "inputRequests");
    if (!requests.is_object()) return;
    for (const auto& [key, request] : requests.items()) {
      if (task->asked.size() < kMostFollowed) task->asked.try_emplace(key, sighting.event);
    }
  }

  // What was refused is not answered yet.
  void note_update(const Sighting& sighting) {
    FollowedTask* const task = task_of(sighting.exchange->request.params());
    if (task == nullptr) return;
    const Id& update = *sighting.exchange->request.id();
    if (sighting.is_error()) {
      std::erase_if(task->answered, [&](const auto& each) { return each.second.update == update; });
    }
    for (auto& [key, answer] : task->answered) {
      answer.is_taken = answer.is_taken || answer.update == update;
    }
  }

  static void judge_form(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const RequirementId rule("ext-tasks.schema");
    const auto all =
        model::validate_message(with_durable_tasks(session.revision()),
                                model::Direction::kClientToServer, sighting.message.json());
    // What `_meta` lacks, and what is no answer of the core protocol, has rules of its own.
    const auto found = std::find_if(all.begin(), all.end(), [](const model::Deviation& each) {
      return each.strength == model::Strength::kMust &&
             !each.pointer.starts_with("/params/_meta") &&
             !each.pointer.starts_with("/params/inputResponses/");
    });
    if (found == all.end()) return judge.held(rule, sighting.event);
    judge.broke(rule, model::to_text(*found), {sighting.event}, found->pointer);
  }

  void judge_header(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const Json& id = member(sighting.message.params(), "taskId");
    if (!session.transport().is_streamable_http() || !id.is_string()) return;
    const HttpLane* const lane = lanes_.find(sighting.event->observation.lane);
    if (lane == nullptr || sighting.is_batch_member) return;
    const RequirementId rule("ext-tasks.routing-header");
    const auto name = lane->sent_header("Mcp-Name");
    if (!name) {
      judge.broke(rule, fmt::format("{} was sent without Mcp-Name", sighting.message.method()),
                  {lane->request, sighting.event});
      return;
    }
    const auto field = read_mirrored_field(*name, id.get_ref<const std::string&>());
    if (field.is_right) return judge.held(rule, sighting.event);
    judge.broke(rule, "Mcp-Name says something else than the taskId",
                {lane->request, sighting.event}, "/params/taskId");
  }

  void take_request(const Sighting& sighting, const SessionView& session, Judge& judge) {
    FollowedTask* const task = task_of(sighting.message.params());
    if (task == nullptr) return;
    task->was_asked_for = true;
    if (sighting.message.method() != "tasks/update") return;
    const Json& responses = member(sighting.message.params(), "inputResponses");
    if (!responses.is_object()) return;
    for (const auto& [key, response] : responses.items()) {
      const std::string place = (Json::json_pointer("/params/inputResponses") / key).to_string();
      if (task->was_shown) {
        judge.check("ext-tasks.update-keys-outstanding", task->asked.contains(key),
                    "tasks/update answers a key that the task has not asked about", sighting.event,
                    place);
      }
      judge_once(*task, key, sighting, session, judge);
      if (task->answered.size() >= kMostFollowed) return;
    }
  }

  // Over HTTP a request may be lost with its connection, and be sent again.
  static void judge_once(FollowedTask& task, const std::string& key, const Sighting& sighting,
                         const SessionView& session, Judge& judge) {
    const RequirementId rule("ext-tasks.answered-once");
    const KeyAnswer answer{sighting.event, *sighting.message.id()};
    const auto [before, is_first] = task.answered.try_emplace(key, answer);
    if (is_first) return judge.held(rule, sighting.event);
    const std::vector<EventPtr> events = {before->second.event, sighting.event};
    if (session.transport().is_streamable_http() && !before->second.is_taken) {
      judge.unclear(
          rule, "the client answered a key again, and its first answer may have been lost", events);
    } else {
      const Json::json_pointer place = Json::json_pointer("/params/inputResponses") / key;
      judge.broke(rule, "the client answered the same key twice", events, place.to_string());
    }
    before->second = answer;
  }

  // Whoever has asked about the task knows that its request was answered long ago.
  void judge_cancellation(const Sighting& sighting, Judge& judge) {
    const Json& named = member(sighting.message.params(), "requestId");
    if (named.is_null()) return;
    std::string id;
    if (named.is_string() && tasks_.contains(named.get<std::string>())) {
      id = named.get<std::string>();
    }
    const auto created = creators_.find(Id::from_json_text(named.dump()));
    if (id.empty() && created != creators_.end()) id = created->second;
    const auto task = tasks_.find(id);
    if (task == tasks_.end() || !task->second.was_asked_for) return;
    judge.broke("ext-tasks.no-cancelled-notification",
                "notifications/cancelled was sent for a task, or for the call that it came of",
                {sighting.event}, "/params/requestId");
  }

  HttpLanes lanes_;
  std::map<std::string, FollowedTask> tasks_;
  std::map<Id, std::string> creators_;  // by the id of the call: the task that it came to
};

const MonitorRegistration<ClientExtTaskMonitor> kClientExtTaskMonitorRegistration;

}  // namespace
}  // namespace assay::harness
