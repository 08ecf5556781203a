// A conformant server's side of one session, in the revisions that begin with a handshake.
//
// Specification: basic/lifecycle and the pages of each feature, 2024-11-05 to 2025-11-25. A session
// reads messages and finds the handler for each (handlers.h); what the handlers share of a
// session's state stands here.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "reference/server/call_registry.h"
#include "reference/server/context.h"
#include "reference/server/handlers.h"
#include "reference/server/logging.h"
#include "reference/server/options.h"
#include "reference/server/rate_limit.h"
#include "reference/server/requests_to_client.h"
#include "reference/server/tasks.h"
#include "reference/transport/server_transport.h"
#include "reference/transport/workers.h"

namespace assay::server {

class Call;
class Round;

class Session final : public transport::ServerSession,
                      public Context,
                      public std::enable_shared_from_this<Session> {
 public:
  // `options`, `workers` and `tasks` outlive the session.
  Session(const Options& options, transport::Workers& workers, TaskDirectory& tasks,
          transport::WireKind wire, std::shared_ptr<transport::Sink> unrelated,
          std::shared_ptr<RequestsToClient> requests = std::make_shared<RequestsToClient>());
  ~Session() override;

  // Takes one message, or a batch, as it arrived: any bytes.
  void receive(std::string_view bytes, const std::shared_ptr<transport::Sink>& answers);
  void receive(const wire::Decoded& arrived,
               const std::shared_ptr<transport::Sink>& answers) override;
  std::optional<model::Revision> revision() const override;
  void close() override;

  // --- For the handlers ---

  transport::WireKind wire() const { return wire_; }
  CallRegistry& calls() override { return calls_; }
  std::shared_ptr<Context> share() override { return shared_from_this(); }
  Session* session() override { return this; }
  RequestsToClient& requests_to_client() { return *requests_to_client_; }
  Tasks& tasks() { return tasks_; }
  const std::shared_ptr<transport::Sink>& unrelated() const { return unrelated_; }

  // The revision in use; before `initialize` the newest one.
  model::Revision speaks() const override;
  // False if `initialize` has been answered before.
  bool begin(model::Revision revision, Json client_capabilities);
  bool has_begun() const { return has_begun_; }
  void become_ready() { is_ready_ = true; }
  bool is_ready() const { return is_ready_; }
  // Not before the client is initialized.
  bool can_ask(std::string_view method, const Json& params) const override;
  bool declares_apps() const override;
  // True if the client can be asked for sampling as a task of its own.
  bool can_sample_as_task() const;
  // The client has told of the status of a task of its own; and whether it ever has.
  void note_client_task() { was_told_of_client_task_ = true; }
  bool was_told_of_client_task() const { return was_told_of_client_task_; }
  // Nothing before the client is initialized.
  void announce(std::string_view method, Json params = nullptr) override;

  void set_log_level(LogLevel level) { log_level_ = level; }
  bool wants_log(LogLevel level) const override;

  // False when the client holds too many.
  bool subscribe(const std::string& uri);
  void unsubscribe(const std::string& uri);
  bool is_subscribed(const std::string& uri) const;

  bool has_extra(Extra extra) const override { return extras_[static_cast<std::size_t>(extra)]; }
  // Returns whether it is there now.
  bool toggle_extra(Extra extra);

 private:
  void take(const wire::Message& message, const std::shared_ptr<Round>& round, bool is_in_batch);
  void take_request(const wire::Message& request, const std::shared_ptr<Round>& round,
                    bool is_in_batch);
  void take_batch(const wire::Message& batch, const std::shared_ptr<transport::Sink>& answers);
  bool can_ask_about_tasks(std::string_view method) const;  // with mutex_ held
  Answer dispatch(const std::shared_ptr<Call>& call, bool is_in_batch);

  const transport::WireKind wire_;
  const std::shared_ptr<transport::Sink> unrelated_;

  CallRegistry calls_;
  RateLimit rate_limit_;
  const std::shared_ptr<RequestsToClient> requests_to_client_;
  Tasks tasks_;

  // Guards the members up to the atomic ones; revision_ is read without it once has_begun_ is true.
  mutable std::mutex mutex_;
  std::optional<model::Revision> revision_;
  Json client_capabilities_ = Json::object();
  std::set<std::string> subscriptions_;

  std::atomic<bool> has_begun_ = false;  // `initialize` has been answered
  std::atomic<bool> is_ready_ = false;   // the client has sent `notifications/initialized`
  std::atomic<bool> was_told_of_client_task_ = false;
  std::atomic<LogLevel> log_level_ = LogLevel::kDebug;
  std::atomic<bool> extras_[static_cast<std::size_t>(Extra::kCount)] = {};
};

}  // namespace assay::server
