// A conformant server's side of a connection in the stateless era (since 2026-07-28).
//
// Specification: basic, "Statelessness": "all the information needed to process a request is
// contained in the request itself". So this is no session, but what the transports need one for: it
// knows which requests are under way, so that they can be cancelled, and nothing else.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reference/server/call.h"
#include "reference/server/call_registry.h"
#include "reference/server/context.h"
#include "reference/server/durable_task.h"
#include "reference/server/era.h"
#include "reference/server/inputs.h"
#include "reference/server/rate_limit.h"
#include "reference/server/request_state.h"
#include "reference/server/subscriptions.h"
#include "reference/transport/server_transport.h"
#include "reference/wire/message.h"

namespace assay::server {

// What all connections of a server share. Outlives them.
struct StatelessServices {
  const Options& options;
  transport::Workers& workers;
  Subscriptions subscriptions{options.bounds.listens};
  DurableTasks durable_tasks{options, subscriptions};
  StateSeal seal{options.switches};
  RateLimit rate_limit{options.bounds.per_second};
};

class StatelessSession final : public transport::ServerSession,
                               public std::enable_shared_from_this<StatelessSession> {
 public:
  // `user`: whose requests arrive, as far as the transport knows.
  StatelessSession(StatelessServices& services, transport::WireKind wire, std::string user = "")
      : services_(services),
        wire_(wire),
        user_(std::move(user)),
        calls_(services.options.bounds.calls) {}

  void receive(const wire::Decoded& arrived,
               const std::shared_ptr<transport::Sink>& answers) override;
  std::optional<model::Revision> revision() const override { return std::nullopt; }
  // Ends the subscriptions, and cancels everything else.
  void close() override;

  // --- For the handlers ---

  StatelessServices& services() { return services_; }
  CallRegistry& calls() { return calls_; }
  const std::string& user() const { return user_; }
  // Stops the request that the notification names.
  void cancel(const wire::Message& notification);

 private:
  void take(const wire::Message& message, const std::shared_ptr<Round>& round);
  void take_request(const wire::Message& request, const std::shared_ptr<Round>& round);

  StatelessServices& services_;
  const transport::WireKind wire_;
  const std::string user_;
  CallRegistry calls_;
};

// How long a result stays fresh, and for whom: server/utilities/caching.
struct CachingHints {
  std::chrono::milliseconds ttl;
  bool is_public;
};

// A request of the stateless era: its result says how it went, and who answered.
class StatelessCall final : public Call {
 public:
  using Call::Call;
  void set_hints(const std::optional<CachingHints>& hints) { hints_ = hints; }

 protected:
  std::string compose(const Answer& answer) const override;

 private:
  std::optional<CachingHints> hints_;
};

// What the handlers of one request share.
class StatelessContext final : public Context,
                               public std::enable_shared_from_this<StatelessContext> {
 public:
  StatelessContext(std::shared_ptr<StatelessSession> session, wire::Message request,
                   RequestMeta meta, std::optional<Inputs> inputs);

  StatelessSession& connection() { return *session_; }

  model::Revision speaks() const override { return meta_.revision; }
  CallRegistry& calls() override { return session_->calls(); }
  std::shared_ptr<Context> share() override { return shared_from_this(); }
  bool can_ask(std::string_view method, const Json& params) const override;
  bool wants_log(LogLevel level) const override;
  // No request changes what another one sees.
  bool has_extra(Extra) const override { return false; }
  void announce(std::string_view method, Json params) override;
  void end_subscriptions(const Json& id) override { session_->services().subscriptions.end_of(id); }
  bool declares_tasks() const override;
  bool declares_apps() const override;
  std::shared_ptr<DurableTask> create_task() override;
  const Inputs* inputs() const override { return inputs_ ? &*inputs_ : nullptr; }

 private:
  const Json& client_capabilities() const;

  const std::shared_ptr<StatelessSession> session_;
  const wire::Message request_;
  const RequestMeta meta_;
  const std::optional<Inputs> inputs_;
};

}  // namespace assay::server
