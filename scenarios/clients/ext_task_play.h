// A hosted server whose tools become tasks of the extension `io.modelcontextprotocol/tasks`, for
// the plays about them; and what a client made of each task.
//
// Specification: the page of the extension.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {

// A task that the server has made.
struct HostedTask {
  std::string id;
  std::string tool;
  Json capabilities;                  // that the call declared
  std::string created_at;             // now, as clients compare it with their clocks
  int looks = 0;                      // how many times it was asked about, the one at hand included
  std::map<std::string, Json> given;  // by key: what tasks/update gave first
  int looks_when_given = 0;           // at the first of them
  bool is_cancelled = false;
};

// What a look at a task brings, besides what every task has: its status, and what comes with it.
struct TaskView {
  std::string status = "working";
  std::int64_t interval = 60;
  Json more = Json::object();
};

class ExtTaskPlay : public Play {
 public:
  void on_message(Visit& visit) override;
  void on_result(const wire::Message& request, Json& result) override;

 protected:
  // The tools, with what they say of themselves.
  virtual std::vector<std::pair<std::string, std::string>> tools() const = 0;
  // A call of it is a task. The others answer with a text at once.
  virtual bool becomes_task(std::string_view tool, const Json& capabilities) const = 0;
  virtual TaskView view(const HostedTask& task) const = 0;
  // In milliseconds; null: the task is kept.
  virtual Json ttl(std::string_view /*tool*/) const { return 600'000; }
  // It is shown no more: as after its ttl.
  virtual bool is_gone(const HostedTask& /*task*/) const { return false; }

  Json shown(const HostedTask& task) const;
  // A task of that tool, which the call at hand creates.
  HostedTask& add_task(const std::string& tool, const wire::Message& call);
  // The result that ends a task well.
  static Json done(const std::string& text);

 private:
  void answer_about_task(Visit& visit);

  std::map<std::string, HostedTask> tasks_;  // by id
};

// What the client did with one task.
struct FollowedTask {
  FollowedTask(Said its_call, EventPtr its_creation)
      : call(std::move(its_call)), created(std::move(its_creation)) {}

  Said call;
  EventPtr created;  // the answer to the call
  std::string id;
  std::vector<Said> looks;      // tasks/get
  std::vector<Said> updates;    // tasks/update
  std::vector<Said> cancels;    // tasks/cancel
  std::string last_status;      // that it was shown; "" before the first
  bool is_listened_to = false;  // a subscription names it

  // Its last look was not answered with the task: after that it may give up.
  bool is_refused = false;

  bool has_ended() const;
  // It was told of the end, or cancelled the task.
  bool is_through() const { return has_ended() || !cancels.empty(); }
  EventPtr last() const { return looks.empty() ? created : looks.back().event; }
};

// All tasks of that tool; of every tool if it is empty.
std::vector<FollowedTask> followed_tasks(const Review& review, std::string_view tool = "");
// What its call, or another request, says of the client.
Json declared_by(const wire::Message& request);

}  // namespace assay::scenarios
