// What a handler may know of the server, and of who asks.
//
// In the handshake era a session is one, for as long as it lasts. In the stateless era each request
// has its own: there "no state should be inferred from previous requests".
#pragma once

#include <memory>
#include <string_view>

#include "reference/model/revision.h"
#include "reference/server/answer.h"
#include "reference/server/logging.h"
#include "reference/server/options.h"
#include "reference/transport/workers.h"

namespace assay::server {

class CallRegistry;
class DurableTask;
class Inputs;
class Session;

class Context {
 public:
  // Both outlive it.
  Context(const Options& options, transport::Workers& workers)
      : options_(options), workers_(workers) {}
  virtual ~Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Options& options() const { return options_; }
  transport::Workers& workers() { return workers_; }

  // The revision in use.
  virtual model::Revision speaks() const = 0;
  virtual CallRegistry& calls() = 0;
  // Keeps the context for work that goes on when its request has been read.
  virtual std::shared_ptr<Context> share() = 0;
  // True if the client declared what a request of that method needs.
  virtual bool can_ask(std::string_view method, const Json& params) const = 0;
  virtual bool wants_log(LogLevel level) const = 0;

  // What a client can make appear in a list, and vanish again, to see the list change.
  enum class Extra { kTool, kPrompt, kResource, kCount };
  virtual bool has_extra(Extra extra) const = 0;
  // Tells whoever wants to know that something has changed: a notification that relates to no
  // request.
  virtual void announce(std::string_view method, Json params = nullptr) = 0;

  // Ends the subscriptions of that id from the server's side, in the revisions that have some.
  virtual void end_subscriptions(const Json& /*id*/) {}

  // The request declares the extension of tasks, and the server has it.
  virtual bool declares_tasks() const { return false; }
  // The client declares that it renders apps of the extension, and the server has some.
  virtual bool declares_apps() const { return false; }
  // A task of the extension for the request; nothing where its user has too many.
  virtual std::shared_ptr<DurableTask> create_task() { return nullptr; }

  // The session, in the revisions that have one.
  virtual Session* session() { return nullptr; }
  // What the client has given in answer to an InputRequiredResult; null in the revisions that have
  // none.
  virtual const Inputs* inputs() const { return nullptr; }

 private:
  const Options& options_;
  transport::Workers& workers_;
};

}  // namespace assay::server
