// One conversation with the target: a wire, its transcript, and what a client must do to stay
// polite.
//
// Requests that the target sends are answered while the script waits for something, on the script's
// own thread, so that a conversation is deterministic. A Connection is used by one thread at a
// time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/script/link.h"
#include "harness/script/reply.h"
#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"
#include "reference/wire/message.h"

namespace assay::harness {

// How long the harness is willing to wait. They protect the harness; no rule is made of them.
struct Patience {
  std::chrono::milliseconds start{30'000};   // for the answer to `initialize`
  std::chrono::milliseconds request{5'000};  // for any other answer
  std::chrono::milliseconds close{2'000};    // for an orderly end
  // For an answer that may come behind the answer to a later ping, or not at all.
  std::chrono::milliseconds grace{250};
};

// That `initialize` was not answered in time, and what the person can do who started the run.
std::string late_start(const Patience& patience);

// The answer to a request of the target's: a result, or an error as {code, message}, or none for
// now (Connection::respond may give it later).
struct RefusedRequest {
  std::int64_t code = 0;
  std::string message;
};
struct WithheldAnswer {};
using Answer = std::variant<Json, RefusedRequest, WithheldAnswer>;
using RequestHandler = std::function<Answer(const Json& params)>;

// A request that has been sent and may be answered by now.
struct Pending {
  wire::Id id;
  transport::Lane lane;
  EventPtr sent;         // the request in the transcript
  std::size_t from = 0;  // index from which its answer may be
};

class Connection {
 public:
  // `stop` ends every wait early: whatever waits, or would have to, throws Abandoned.
  Connection(const TargetAccess& access, model::Revision revision, Patience patience,
             std::stop_token stop = {});
  // Closes the wire.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::optional<transport::Failure> open();

  // The handshake: `initialize` for the revision with these capabilities (default: everything that
  // a client of the revision can offer), then `notifications/initialized` if it was answered with a
  // result. Returns the answer to `initialize`.
  Reply initialize(std::optional<Json> capabilities = std::nullopt);
  // The params that initialize() sends.
  Json initialize_params(std::optional<Json> capabilities = std::nullopt) const;
  bool is_initialized() const { return is_initialized_; }
  // The result of `initialize`; null before.
  const Json& server() const { return server_; }
  // True if the target declared this capability, written as a path: "resources.subscribe".
  bool has_capability(std::string_view path) const;

  // What our side sends has the form that the revision gives it. A message that has not is a
  // mistake of the harness, or repeats a malformed value of the target's (the URI of a listed
  // resource): it is not sent, the scenario is abandoned, and standard error says so.
  Reply request(std::string_view method, Json params = nullptr);
  Reply request_with_id(const wire::Id& id, std::string_view method, Json params = nullptr);
  // Over HTTP each message travels by itself, and may overtake another. A request does not overtake
  // what was sent before it and is no request: notifications, answers and raw bytes.
  Pending start(std::string_view method, Json params = nullptr);
  Pending start_with_id(const wire::Id& id, std::string_view method, Json params = nullptr);
  Reply await(const Pending& pending);
  Reply await(const Pending& pending, std::chrono::milliseconds patience);
  // The answer to what may well be ignored. On one line of traffic a ping is sent behind it: once
  // that is answered, what does not follow within patience().grace is silence. Over Streamable
  // HTTP, where each message has an answer of its own, as await().
  Reply await_before_ping(const Pending& pending);
  // The answer, if it is there already.
  std::optional<Reply> poll(const Pending& pending);
  void notify(std::string_view method, Json params = nullptr);
  // While the returned object lives, what is sent may break the schema: it is malformed on purpose.
  class [[nodiscard]] OnPurpose {
   public:
    explicit OnPurpose(Connection& connection) : connection_(connection) {
      ++connection_.malformed_on_purpose_;
    }
    ~OnPurpose() { --connection_.malformed_on_purpose_; }
    OnPurpose(const OnPurpose&) = delete;
    OnPurpose& operator=(const OnPurpose&) = delete;

   private:
    Connection& connection_;
  };
  OnPurpose malformed_on_purpose() { return OnPurpose(*this); }
  // Sends bytes as they are; `expected_id` is the id that an answer would carry if the target can
  // read it (an answer with a null id counts too). await() takes what it returns.
  Pending send_raw(std::string_view bytes, std::optional<wire::Id> expected_id = std::nullopt);
  // The same for one line: over stdio its newline is added.
  Pending send_line(std::string_view bytes, std::optional<wire::Id> expected_id = std::nullopt);
  // Opens the stream for what the target says by itself (Streamable HTTP: GET), and waits until it
  // has begun; over other transports all is heard anyway. False if the target offers none.
  bool listen();
  // Asks for `ping` and reads the answer: all that was sent before has reached the target by then.
  // False if no answer came.
  bool barrier();

  using Predicate = std::function<bool(const Event&)>;
  // Waits for the first event from `from` on that fits, and is polite meanwhile. It ends in time
  // whatever the target sends: what came after the deadline is not looked at, and a stop ends it
  // at once.
  EventPtr wait_for(std::size_t from, const Predicate& fits, std::chrono::milliseconds patience);
  // The first notification of this method from `from` on.
  EventPtr wait_for_notification(std::size_t from, std::string_view method,
                                 std::chrono::milliseconds patience);
  // Index of the next event: what is asked for from here on is new.
  std::size_t mark() const { return transcript_->size(); }

  // Replaces what is answered to requests of this method; null goes back to the default.
  void on_request(std::string method, RequestHandler handler);
  // The first request of this method that the target has sent from `from` on.
  EventPtr wait_for_request(std::size_t from, std::string_view method,
                            std::chrono::milliseconds patience);
  // Answers a request of the target's whose handler withheld the answer. What it says is not
  // checked: scenarios answer late, and malformed, on purpose.
  void respond(const wire::Id& id, Json result);
  // A fresh id, never used on this connection before.
  wire::Id next_id();

  // Ends the session in an orderly way; nothing arrives after it. Idempotent.
  void close();

  // Why we read no more of this target; nothing while we do. What did not come after it proves
  // nothing.
  std::optional<std::string> cut_off() const;

  // What the target may make us hold; null: no bound over all connections.
  const wire::BudgetPtr& budget() const { return budget_; }
  Transcript& transcript() { return *transcript_; }
  const std::shared_ptr<Transcript>& shared_transcript() const { return transcript_; }
  transport::HttpClient* http() { return link_.http; }
  transport::HttpSseClient* http_sse() { return link_.http_sse; }
  transport::StdioChild* child() { return link_.child; }
  transport::ClientTransport& wire_end() { return *link_.transport; }
  const Patience& patience() const { return patience_; }
  model::Revision revision() const { return revision_; }

 private:
  void check_own(const Json& message) const;
  // Remembers what is under way by an exchange of its own.
  void note_sent(const transport::Lane& lane, std::size_t from, bool may_be_answered = false);
  // Waits until what is under way has arrived: its exchange has been answered whole, or broke.
  void await_arrivals();
  // Those that came by now; returns early at the deadline, and at a stop.
  void answer_requests(Clock::time_point deadline);
  // The event at `index`, as wait_for() waits for it.
  EventPtr next_event(std::size_t index, Clock::time_point deadline);
  void answer_request(const wire::Message& request);
  Reply reply_from(const Pending& pending, const EventPtr& event) const;
  bool settles(const Pending& pending, const Event& event) const;
  EventPtr find_sent(std::size_t from) const;

  TransportKind kind_;
  model::Revision revision_;
  Patience patience_;
  std::stop_token stop_;
  wire::BudgetPtr budget_;
  std::shared_ptr<Transcript> transcript_;
  Link link_;
  std::map<std::string, RequestHandler, std::less<>> handlers_;
  struct UnderWay {
    transport::Lane lane;
    std::size_t from = 0;
    bool may_be_answered = false;  // bytes that the target may take for a request
  };
  std::vector<UnderWay> under_way_;
  std::size_t answered_up_to_ = 0;  // index of the first event not yet looked at for requests
  std::int64_t last_id_ = 0;
  int malformed_on_purpose_ = 0;
  bool is_initialized_ = false;
  bool is_closed_ = false;
  Json server_;
};

}  // namespace assay::harness
