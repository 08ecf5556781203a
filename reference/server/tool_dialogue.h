// What a running tool may say to the client, and ask of it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/logging.h"
#include "reference/server/requests_to_client.h"
#include "reference/transport/server_transport.h"

namespace assay::server {

class Context;
class DurableTask;
class Session;
struct TaskQuestion;

// Called before and after a task waits for its client.
class InputWatcher {
 public:
  virtual ~InputWatcher() = default;
  virtual void input_required() = 0;
  virtual void input_received() = 0;
};

class ToolDialogue {
 public:
  struct Setting {
    std::shared_ptr<transport::Sink> sink;
    std::stop_token stop;
    Json progress_token = nullptr;                   // null: the client asked for no progress
    std::optional<std::string> task = std::nullopt;  // the task on whose behalf it speaks
    InputWatcher* watcher = nullptr;                 // of that task
    DurableTask* durable = nullptr;  // the task of the extension on whose behalf it speaks
  };
  ToolDialogue(Context& context, Setting setting);

  Context& context() const { return context_; }
  // For tools that only revisions with a session have.
  Session& session() const;
  bool is_cancelled() const { return setting_.stop.stop_requested(); }
  // False when it was cancelled meanwhile.
  bool wait(std::chrono::milliseconds duration) const;
  // Sent if the client asked for progress.
  void progress(double progress, double total, std::string_view message);
  // Sent if the client wants that level.
  void log(LogLevel level, const Json& data);
  // Asks the client and waits. Nothing is asked that the client has not declared support for.
  ClientAnswer ask(std::string_view method, Json params);
  // It speaks for a task of the extension, which reports no progress and logs nothing.
  bool is_durable() const { return setting_.durable != nullptr; }
  // For such a task: asks all of it at once, and waits.
  std::vector<ClientAnswer> ask_together(const std::vector<TaskQuestion>& questions) const;
  // Asks for what has to be said when the call is cancelled already, and waits a moment for the
  // answer.
  ClientAnswer ask_in_parting(std::string_view method, const Json& params) const;
  void notify(std::string_view method, Json params);
  // The Authorization field of the request that is under way, where one was asked for.
  std::string credentials() const { return setting_.sink->credentials(); }
  void disconnect(std::chrono::milliseconds retry) { setting_.sink->disconnect(retry); }

 private:
  // Names the task in `_meta`, if there is one.
  void add_related_task(Json& params) const;

  Context& context_;
  const Setting setting_;
};

// The object of `_meta` that names a task, and its key.
inline constexpr std::string_view kRelatedTask = "io.modelcontextprotocol/related-task";
Json related_task(std::string_view task_id);

}  // namespace assay::server
