// One way in which the reference client can be wrong on purpose.
//
// For every rule that clients are judged by there is a fault that breaks just that rule. To add
// one, write an entry of a few lines into the table of its topic (messages.cc, lifecycle.cc, ...).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/client/login_conduct.h"
#include "reference/client/worker.h"
#include "reference/model/revision.h"
#include "reference/transport/client_transport.h"
#include "reference/wire/json.h"

namespace assay::transport {
class HttpClient;
class StdioChild;
}  // namespace assay::transport

namespace assay::client {

struct SessionOptions;

// What a client with faults remembers of its session.
struct FaultMemory {
  std::map<std::string, std::string> asked;  // by the server: the method, by the id's JSON text
  std::string version;                       // that the client asked for
  std::string previous;   // the method of the client's latest request but the one that leaves
  bool is_event = false;  // what arrives does so as an event of a stream
  std::string type_field = "Content-Type";  // as the latest response writes that name
  std::string session_id;                   // the last that it was given, over HTTP
  std::string token;                        // that it has to show
  std::string event_id;                     // the last that came on any stream
  Json cursor;                              // the last that it was given; null if none
  Json state;                               // the last requestState that it was given
  Json first_state;                         // the first of them
  std::string durable_task;                 // the last task of the extension that it was given
  Json durable_call;                        // the id of the call that came to it
  int handshakes = 0;                       // that it began
  Json list;                                // its latest request for tools; null before
  int echoes = 0;                           // what it said by Fault::echo
  std::set<std::string> requests;           // the ids of the client's own, as JSON texts
  std::shared_ptr<std::vector<std::string>> hoard = nullptr;  // what it never lets go of
  std::map<std::string, int> answered;  // how many questions of the server's, by method
};

// Takes the numbers, or the lists of several values, out of what a form came back with.
void leave_numbers_out(Json& content);
void leave_lists_out(Json& content);

// What a client says a while later.
struct Echo {
  Json message;  // null: nothing
  std::chrono::milliseconds after{0};
};

// A message of the client's on its way out.
class Departure {
 public:
  Departure(Json message, const FaultMemory& memory) : json_(std::move(message)), memory_(memory) {}

  bool is_request(std::string_view method) const;
  bool is_notification(std::string_view method) const;
  // It answers a request of that method.
  bool answers(std::string_view method) const;
  // The client's latest request before this message was of that method.
  bool follows(std::string_view method) const { return memory_.previous == method; }
  const FaultMemory& memory() const { return memory_; }
  // It is an error.
  bool is_error() const { return json_.is_object() && json_.contains("error"); }

  // A parameter of the message; null where there is none.
  Json part(const char* name) const;

  // The message. What is changed in it is sent.
  Json& json() { return json_; }
  Json& params() { return json_["params"]; }
  // Sends these bytes in place of it.
  void set_bytes(std::string bytes) { bytes_ = std::move(bytes); }
  void drop() { is_dropped_ = true; }
  // Sends more, ahead of the message or behind it.
  void before(std::string bytes) { before_.push_back(std::move(bytes)); }
  void after(std::string bytes) { after_.push_back(std::move(bytes)); }

  const std::vector<std::string>& ahead() const { return before_; }
  const std::vector<std::string>& behind() const { return after_; }
  // Sends the request once more, ahead of it, under the id before its own. No answer is awaited.
  void repeat_under_id_before();
  // Nothing if it is dropped.
  std::optional<std::string> text() const;

 private:
  Json json_;
  const FaultMemory& memory_;
  std::string bytes_;
  bool is_dropped_ = false;
  std::vector<std::string> before_;
  std::vector<std::string> after_;
};

enum class SeenOver { kAnyWire, kStdioOnly, kHttpOnly };

struct Fault {
  // Stable, in words joined by hyphens.
  std::string_view id = {};
  // What the client does, in one line: "Answers no ping".
  std::string_view description = {};
  // Ids of the requirements that it breaks, each in the revisions that have it.
  std::vector<std::string_view> breaks = {};
  // Ids of those that it breaks too when things happen to meet.
  std::vector<std::string_view> may_break = {};
  SeenOver seen_over = SeenOver::kAnyWire;
  // In which of the revisions that have one of `breaks` it breaks it. Null: in all.
  model::Revision::Question concerns = nullptr;
  // Scenarios that bring it out, beside those that judge what it breaks: a rule that monitors judge
  // everywhere may be broken there alone.
  std::vector<std::string_view> shown_in = {};

  // How it is done: at least one of these.
  void (*departure)(Departure&) = nullptr;                      // spoils what leaves
  void (*intake)(Json& message, const FaultMemory&) = nullptr;  // what the client takes it for
  // Spoils the header fields of an HTTP request. `body` is its message; null where it has none.
  void (*fields)(std::string_view method, const Json& body, transport::Headers& fields) = nullptr;
  // Spoils where it POSTs a message over the older HTTP+SSE.
  void (*target)(std::string& target) = nullptr;
  // What it does otherwise when it logs in.
  void (*login)(LoginConduct& conduct) = nullptr;
  // Fetches the URL under this key of what servers list or ask for, where it leads to them.
  std::string_view fetches = "";
  // The same for a client that remembers.
  void (*later_fields)(const FaultMemory& memory, const Json& body,
                       transport::Headers& fields) = nullptr;
  // What the client says to what it hears, besides what it ought to; empty if nothing. The message
  // is discarded JSON where the text is none.
  std::string (*reaction)(const Json& message, std::string_view text) = nullptr;
  // The same, but a while later; over stdio.
  Echo (*echo)(const Json& message, const FaultMemory& memory) = nullptr;
  // It hears nothing any more once it has heard this.
  bool (*chokes)(const transport::Observation& heard, std::string_view text) = nullptr;
  // What hearing this does to it, beyond the session: bugs (bugs/) crash, hang and grow here.
  void (*heard)(const transport::Observation& heard, std::string_view text,
                FaultMemory& memory) = nullptr;
  // What it takes an event of a stream for.
  void (*event)(wire::SseEvent& event) = nullptr;
  void (*options)(SessionOptions& options) = nullptr;  // how its session is set up
  // What it does over HTTP once the handshake is over.
  void (*aside)(transport::HttpClient& http) = nullptr;
  // What it does over stdio before it closes the server's input.
  void (*farewell)(transport::StdioChild& server) = nullptr;
  bool keeps_session = false;  // it leaves without ending its session, over HTTP
  // Over stdio the server does not end with it.
  bool leaves_server = false;
};

// All of them, in the order of their topics.
const std::vector<Fault>& all_faults();
// Nothing if there is none of that id.
const Fault* find_fault(std::string_view id);

// The tables of the topics.
std::vector<Fault> message_faults();
std::vector<Fault> json_rpc_faults();
std::vector<Fault> followed_task_faults();
std::vector<Fault> task_again_faults();
std::vector<Fault> line_faults();
std::vector<Fault> form_faults();
std::vector<Fault> round_faults();
std::vector<Fault> request_field_faults();
std::vector<Fault> session_again_faults();
std::vector<Fault> lifecycle_faults();
std::vector<Fault> answer_faults();
std::vector<Fault> list_faults();
std::vector<Fault> wire_faults();
std::vector<Fault> authorization_faults();
std::vector<Fault> stateless_header_faults();
std::vector<Fault> stateless_input_faults();
std::vector<Fault> stateless_result_faults();
std::vector<Fault> survival_faults();
std::vector<Fault> session_faults();
std::vector<Fault> feature_faults();
std::vector<Fault> shutdown_faults();
std::vector<Fault> cancellation_faults();
std::vector<Fault> task_faults();
std::vector<Fault> durable_task_faults();
std::vector<Fault> task_progress_faults();
std::vector<Fault> timeout_faults();
std::vector<Fault> skill_faults();
std::vector<Fault> seldom_faults();
std::vector<Fault> second_task_way_faults();
std::vector<Fault> second_way_faults();
std::vector<Fault> app_faults();

// The wire of a client with faults: between its session, which it reports to, and a good wire.
class FaultyWire : public transport::ClientTransport, public transport::Observer {
 public:
  FaultyWire(std::vector<const Fault*> faults, transport::Observer& session)
      : faults_(std::move(faults)), session_(session) {}
  ~FaultyWire() override {
    worker_.stop();
    inner_.reset();  // it reports to this object to the last
  }
  // The token that the client has to show. Before open().
  void use_token(std::string token) { memory_.token = std::move(token); }
  // The wire, which reports to this object. Before open().
  void use(std::unique_ptr<transport::ClientTransport> inner) { inner_ = std::move(inner); }

  std::optional<transport::Failure> open() override { return inner_->open(); }
  transport::Lane send(std::string_view message) override;
  transport::Lane send_alone(std::string_view message, const transport::Headers& headers) override;
  bool leave(transport::Lane lane) override { return inner_->leave(lane); }
  transport::Lane send_raw(std::string_view bytes) override { return inner_->send_raw(bytes); }
  void set_protocol_version(std::string_view version) override {
    inner_->set_protocol_version(version);
  }
  bool is_resumable() const override { return inner_->is_resumable(); }
  transport::Lane resume(const std::optional<std::string>& last_event_id) override {
    return inner_->resume(last_event_id);
  }
  // What it has to say against a message is said and heard behind this, or it is late: to be called
  // before the session ends. It says nothing of its own any more.
  void settle(transport::Deadline deadline);
  void close(transport::Deadline deadline) override {
    settle(deadline);
    inner_->close(deadline);
  }

  void observe(const transport::Observation& observation) override;
  bool is_full() const override { return session_.is_full(); }
  // It hears nothing any more.
  bool has_choked() const { return has_choked_; }
  // Spoils the header fields of a request.
  void spoil(std::string_view method, std::string_view body, transport::Headers& fields);

 private:
  // `headers`: for a message that belongs to no session.
  transport::Lane send_spoilt(std::string_view message, const transport::Headers* headers);
  void note_head(const transport::HttpHead& head);
  void note_end(const transport::Observation& observation);
  transport::Lane pass(const std::string& bytes, const transport::Headers* headers);
  void take_note(const transport::Observation& observation, const Json& message);
  bool chokes_on(const transport::Observation& observation, std::string_view text);
  void say_later(const Echo& echo);  // while mutex_ is held
  void react(const std::string& said);

  const std::vector<const Fault*> faults_;
  transport::Observer& session_;
  std::unique_ptr<transport::ClientTransport> inner_;
  std::mutex mutex_;  // guards what follows up to has_ended_
  FaultMemory memory_;
  std::set<transport::Lane> reactions_;  // exchanges under way
  bool is_reacting_ = false;             // one is begun, and its lane not known yet
  std::set<transport::Lane> ended_;      // meanwhile
  bool is_cut_ = false;                  // no end is told any more
  std::condition_variable has_ended_;
  std::atomic<bool> has_choked_ = false;
  Worker worker_;  // says what must not be said while the wire reports
};

}  // namespace assay::client
