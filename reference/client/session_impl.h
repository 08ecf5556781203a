// The inside of a ClientSession. Nobody but session*.cc includes this.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/client/session.h"
#include "reference/client/streams.h"
#include "reference/client/worker.h"
#include "reference/wire/id.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::client {

// A request on its way. Guarded by the session's mutex_, but for what never changes.
struct Pending {
  const wire::Id id;
  const std::string method;
  const std::function<void(const ServerAnswer&)> on_reply;  // empty for one that somebody waits for
  const std::function<void(const Json&)> on_progress;
  std::optional<ServerAnswer> reply;
  bool is_session_gone = false;  // answered with 404 though it named a session
  transport::Lane lane = {};     // that it was sent on
};
using PendingPtr = std::shared_ptr<Pending>;

class ClientSession::Impl {
 public:
  explicit Impl(SessionOptions options) : options_(std::move(options)) {}

  std::optional<transport::Failure> open(transport::ClientTransport& transport);
  void close(Deadline deadline);
  void close_all(std::string_view why);
  ServerAnswer initialize(Deadline deadline);
  std::optional<model::Revision> revision();
  Json server();
  ServerAnswer request(std::string_view method, const Json& params, Deadline deadline,
                       const RequestOptions& options);
  PendingPtr begin(std::string_view method, Json params,
                   std::function<void(const ServerAnswer&)> on_reply,
                   const RequestOptions& options);
  void expire_at(const PendingPtr& pending, Deadline deadline);
  void cancel(const wire::Id& id, std::string_view reason);
  transport::Lane notify(std::string_view method, Json params);
  void wait_until_over(transport::Lane lane, Deadline deadline);
  std::optional<std::string> closed();
  std::size_t stray_messages() const { return strays_; }
  void observe(const transport::Observation& observation);

 private:
  using Lane = transport::Lane;
  using Observation = transport::Observation;

  // session.cc: asking. Where a name ends in _locked, the caller holds mutex_.
  ServerAnswer wait_for(const PendingPtr& pending, Deadline deadline);
  void expire(const PendingPtr& pending);
  void finish_locked(PendingPtr pending, ServerAnswer reply);
  ServerAnswer settle(ServerAnswer reply, Deadline deadline);
  bool restart(std::uint64_t generation, Deadline deadline);

  // For handlers: they are gone before this is.
  Notify telling();

  // session_stateless.cc: where there is no session.
  ServerAnswer handshake(Deadline deadline);
  ServerAnswer discover(Deadline deadline);
  bool settle_discovery(const Json& result);
  Json prepared(Json params) const;
  ServerAnswer completed(std::string_view method, const Json& params, ServerAnswer reply,
                         Deadline deadline, const RequestOptions& options);
  std::optional<Json> responses_to(const Json& requests);
  bool follows(std::string_view method, const ServerAnswer& reply) const;

  // session_tasks.cc: calls that go on as tasks.
  ServerAnswer followed(const Json& created, Deadline deadline);
  ServerAnswer look_at(const std::string& task, Deadline deadline);
  std::optional<ServerAnswer> give(const std::string& task, const Json& requests,
                                   std::set<std::string>& answered, Deadline deadline);
  bool pause_until(Deadline deadline);
  void drop_task(const std::string& task);

  // session_receive.cc: what the server sends, and how its exchanges end.
  void take_message(std::string_view bytes, Lane lane);
  void take_one(const wire::Message& message, Lane lane);
  void take_answer(const wire::Message& message, Lane lane);
  void take_notification(const wire::Message& message);
  PendingPtr asker_locked(const wire::Message& message, Lane lane);
  void take_question(const wire::Message& message);
  bool settle_question(const wire::Id& id);
  void answer_batch(const std::vector<wire::Message>& requests);
  std::string answer_one(const wire::Message& request);
  void begin_exchange(const Observation& observation);
  void end_exchange(const Observation& observation);
  void end_stream_of_request_locked(Stream stream, std::string_view how);
  void resume_later_locked(Stream stream);

  const SessionOptions options_;
  transport::ClientTransport* transport_ = nullptr;  // set once, by open()

  std::mutex restart_mutex_;  // one restart at a time; guards no data. Taken before mutex_.

  std::mutex mutex_;  // guards what follows, down to the blank line
  std::condition_variable changed_;
  std::int64_t last_id_ = 0;
  std::map<wire::Id, PendingPtr> pending_;
  std::multiset<wire::Id> questions_;  // the server's, that are to be answered
  Streams streams_;
  std::optional<std::string> closed_;
  std::optional<model::Revision> revision_;
  std::uint64_t generation_ = 0;  // counts the handshakes
  Json server_;
  std::map<std::string, Handler, std::less<>> handlers_;

  std::atomic<bool> is_stateless_{false};  // requests stand alone
  std::atomic<std::size_t> strays_{0};
  Worker worker_;  // last, so that its thread ends before anything it uses
};

}  // namespace assay::client
