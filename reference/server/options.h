// What a reference server is told when it starts.
#pragma once

#include <bitset>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "reference/model/revision.h"

namespace assay::server {

// Places inside the server that a fault can turn to the bad. Everything that can be spoiled at the
// boundary, where a message leaves, is spoiled there (faults/); a switch is for what cannot.
enum class Switch {
  kCursorNeverEnds,         // pagination.cc: the last page names a next one
  kAcceptsAnyCursor,        // pagination.cc: an unknown cursor is the first page
  kAnswersCancelled,        // cancellation.cc: the work stops, and is answered with an error
  kIgnoresLogLevel,         // logging.cc: every level is sent
  kIgnoresUnsubscribe,      // resources.cc: updates go on
  kIgnoresStdinClose,       // the program stays when its input has ended
  kRefusesBatches,          // session.cc: where the revision has them
  kAcceptsBatches,          // session.cc: where the revision has none
  kCancelsTerminalTasks,    // tasks.cc: tasks/cancel of a finished task succeeds
  kAnswersTaskResultEarly,  // tasks.cc: tasks/result does not wait for the end
  kGivesResultForInput,     // task.cc: nor does it while the task waits for its client
  kEndsResultForInput,      // task.cc: who waits for the result has it when input is needed
  kCancelsTaskOfMetadata,   // tasks.cc: tasks/cancel is about the task that _meta names
  kGivesResultOfMetadata,   // tasks.cc: and so is tasks/result
  kRefusesTaskMetadata,     // tasks.cc: both refuse a request whose _meta names a task
  kForgetsTasksEarly,       // task.cc: tasks that have ended are gone long before their ttl
  kIgnoresTaskSupport,      // tools.cc: execution.taskSupport is not enforced
  kCreatesTasksLate,        // tools.cc: a task is told of when its work is done
  kReportsAfterTaskEnd,     // tools.cc: a task reports progress after it has ended
  kCancelledTaskCompletes,  // task.cc: a cancelled task is completed by its work
  kCancelledTaskWorksOn,    // task.cc: the work of a cancelled task is not stopped
  kCancelledHasNoResult,    // task.cc: nobody who waits for a cancelled task's result has it
  kStaysWorkingForInput,    // task.cc: a task that waits for its client is working
  kStaysInInputRequired,    // task.cc: a task that has its input waits on, for ever
  kOddStatusAfterInput,     // task.cc: a task that has its input takes a status there is not
  kListsTasksOfAll,         // tasks.cc: a client is shown the tasks of every session
  kFindsTasksOfAll,         // tasks.cc, durable_task.cc: and can ask for them, and cancel them
  kUpdatesTasksOfAll,       // durable_methods.cc: a client can answer what tasks of others ask
  kCancelsTasksOfAll,       // durable_methods.cc: and can cancel them
  kListensToTasksOfAll,     // stateless_methods.cc: and is told of them where it listens
  kListensToAnyTask,        // stateless_methods.cc: the acknowledgement lists whatever it asks for
  kRepeatsInputKeys,        // durable_task.cc: each question of a task has the same key
  kCountsTaskIds,           // durable_task.cc: task ids are numbered
  kPollsClientAtOnce,       // tools_client_task.cc: the pollInterval of a client's task is ignored
  kStopsPollingClient,      // tools_client_task.cc: a client's task is looked at once
  kPollsClientUntilTold,    // tools_client_task.cc: after a notification the looking ends
  kWaitsForClientsWord,     // tools_client_task.cc: nothing is looked at before a notification
  kIgnoresClientsNeed,      // tools_client_task.cc: a task that is input_required is looked at on
  kProgressUnasked,         // conversation.cc: progress without a token from the client
  kAsksUndeclared,          // conversation.cc: requests that the client declared no capability for
  kSlowBlocksAll,           // tools.cc: a slow tool runs on the thread that reads
  kIgnoresReferences,       // arguments.cc: what a schema says with $defs is not enforced
  kIgnoresNewerKeywords,    // arguments.cc: nor what it says with prefixItems, dependentRequired
  kChecksTextsOnly,         // arguments.cc: only arguments that are to be texts have a type
  kIgnoresChoices,          // arguments.cc: an enum is not enforced
  kRefusesEarlyPings,       // lifecycle.cc: before notifications/initialized a ping is an error
  kRefusesPingsAtWork,      // lifecycle.cc: while a slow tool runs a ping is an error
  kTrustsAnswers,           // tools_client.cc: what the client answers is not validated
  kWorksOnWhenCancelled,    // cancellation.cc: the answer is withheld, and the work goes on
  kRefusesLateAnswers,      // session.cc: an answer that nobody waits for is an error
  kTakesAnswersFromAnyone,  // server.cc: what one session asks, another may answer
  kIgnoresSigterm,          // the program stays, whatever it is told
  kCrashesAtEnd,            // the program ends by a signal when its input has ended
  kTakesReadsForLines,      // these four: transport::StdioLapses
  kLosesLinesBehindFirst,
  kLosesLongLines,
  kChokesOnWhiteSpace,
  kRefusesMixedBatches,     // session.cc: one bad member, and the whole batch is refused
  kCancelsEverything,       // cancellation.cc: every request that is under way
  kCancelsByTextOfId,       // cancellation.cc: "7" is taken for 7
  kTakesStateOfOthers,      // request_state.cc: a requestState of another request is taken
  kTakesStateForEver,       // request_state.cc: and one that has expired
  kTakesStateOfOtherUsers,  // request_state.cc: and one of another user
  kBelievesNameInState,     // request_state.cc: whoever it names, unsealed
  kNamesUserBehindState,    // request_state.cc: the name is not sealed with the rest
  kSealsStateBySum,         // request_state.cc: the seal needs no key
  kTrustsForms,             // inputs.cc: what a user filled in is not held against the form
  kIgnoresFilters,          // stateless_methods.cc: everybody who listens hears everything
  kPassesTokenOn,           // tools_upstream.cc: the API is shown the client's token
  kPassesTokenInUrl,        // tools_upstream.cc: and so it is, in the URL
  kPassesTokenAsPassword,   // tools_upstream.cc: or as a password
  kCount
};
using Switches = std::bitset<static_cast<std::size_t>(Switch::kCount)>;

// What one client may make the server hold. Beyond a limit a request is refused with an error.
struct Bounds {
  std::size_t workers = 32;          // threads that run slow tools, over all sessions
  std::size_t queued_work = 256;     // calls waiting for one of them
  std::size_t calls = 256;           // requests under way, per session
  std::size_t batch = 1000;          // members of one batch
  std::size_t tasks = 128;           // per session, finished ones included
  std::size_t durable_tasks = 1024;  // of the extension, per user, finished ones included
  std::size_t subscriptions = 1024;  // per session
  std::size_t uri_bytes = 8192;      // of a URI to subscribe to
  std::size_t listens = 1000;        // streams of subscriptions/listen, over all connections
  std::size_t listened_uris = 64;    // of one of them
  // Calls of tools and completions in one second, per session, or of all requests without one; 0:
  // any number, as there is no stranger to be kept from overdoing it.
  std::size_t per_second = 0;
};

struct Options {
  // The revisions it speaks that begin with a handshake, and those that have none; each oldest
  // first, and never both empty.
  std::vector<model::Revision> revisions = {model::Revision::handshake().begin(),
                                            model::Revision::handshake().end()};
  std::vector<model::Revision> stateless_revisions = {model::Revision::stateless().begin(),
                                                      model::Revision::stateless().end()};
  std::size_t page_size = 100;                      // of every list; at least 1
  std::chrono::milliseconds client_timeout{60000};  // how long a request to the client may take
  // The same where the client has no stream open on which it could be asked.
  std::chrono::milliseconds stream_timeout{2000};
  std::chrono::milliseconds poll_interval{100};  // told to clients that poll a task
  // What a tool takes its time for, it takes no longer for than this: whoever wants to see many
  // calls end need not wait for them.
  std::chrono::milliseconds longest_wait{std::chrono::milliseconds::max()};
  std::chrono::milliseconds default_ttl{60000};  // of a task whose request names none
  std::chrono::milliseconds longest_ttl{3600000};
  std::chrono::milliseconds state_ttl{600000};  // of a requestState
  // Offers the extension io.modelcontextprotocol/tasks, in the revisions that it extends.
  bool has_tasks_extension = true;
  // The same of io.modelcontextprotocol/skills.
  bool has_skills_extension = true;
  // And of io.modelcontextprotocol/ui.
  bool has_apps_extension = true;
  // The API that test_upstream asks: a URL without a path. Empty: there is neither.
  std::string upstream = {};
  Bounds bounds = {};
  Switches switches = {};

  std::vector<model::Revision> all_revisions() const {
    std::vector<model::Revision> all = revisions;
    all.insert(all.end(), stateless_revisions.begin(), stateless_revisions.end());
    return all;
  }
  bool has(Switch which) const { return switches.test(static_cast<std::size_t>(which)); }
};

}  // namespace assay::server
