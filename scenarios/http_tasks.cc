// Scenarios about tasks over Streamable HTTP: how they are polled, and who can see them.
//
// Specification: basic/utilities/tasks, "Input Required Status", "Task Isolation and Access
// Control".
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;

// A poll is answered with JSON: who polls does not want to wait on a stream. A stream that carries
// more than the answer may have been needed for that.
SCENARIO(http_tasks_are_polled_without_streams, own_session(), over_http(),
         in_revisions(&Revision::has_core_tasks), judges({"tasks.get-answered-without-stream"})) {
  constexpr RequirementId kRule = "tasks.get-answered-without-stream";
  const auto tool = any_task_tool(script, {kRule});
  if (!tool) return;
  Connection& session = script.session();
  const TaskCall call = create_task(session, *tool);
  if (!call.is_created()) {
    no_task(script, call, {kRule});
    return;
  }
  const HttpAnswer reply =
      post(session, wire::make_request(session.next_id(), "tasks/get", {{"taskId", call.id}}));
  const auto messages =
      std::count_if(reply.streamed.begin(), reply.streamed.end(),
                    [](const EventPtr& event) { return event->message() != nullptr; });
  if (!reply.is_served() || (reply.is_stream() && messages != 1)) {
    script.unclear(kRule, fmt::format("tasks/get was answered with {}", reply.describe()),
                   reply.events);
  } else {
    script.check(kRule, !reply.is_stream(), reply.events,
                 "tasks/get was answered with an event stream that carried nothing but the answer");
  }
  drop_task(session, call.id);
}

// Who cannot be told from others is not shown a list of what belongs to them.
SCENARIO(http_tasks_are_not_listed_to_others, own_session(), over_http(),
         in_revisions(&Revision::has_core_tasks),
         judges({"tasks.unidentified-no-list", "tasks.id-unique"})) {
  constexpr RequirementId kRule = "tasks.unidentified-no-list";
  const auto tool = any_task_tool(script, {kRule});
  if (!tool || !script.session().has_capability("tasks.list")) return;
  Connection& session = script.session();
  if (has_credentials(session)) {
    script.not_exercised(kRule, "the requests of the suite name a user (a token or a cookie)");
    return;
  }
  Connection& other = script.open_session();
  const TaskCall call = create_task(session, *tool);
  const TaskCall others = create_task(other, *tool);
  if (!call.is_created() || !others.is_created()) {
    no_task(script, call.is_created() ? others : call, {kRule});
    return;
  }
  script.check("tasks.id-unique", call.id != others.id,
               {call.reply.events().back(), others.reply.events().back()},
               "tasks of two sessions have the same id");
  if (!lists_task(session, call.id) || !lists_task(other, others.id)) {
    script.unclear(kRule, "a session does not list its own task");
  } else {
    script.check(kRule, !lists_task(other, call.id), other.transcript().events(),
                 "tasks/list shows a task of another session, without any credentials");
  }
  drop_task(session, call.id);
  drop_task(other, others.id);
}

}  // namespace
}  // namespace assay::scenarios
