// Judges every message of the target by the rules of JSON-RPC 2.0 as MCP states them.
//
// Specification: basic/messages (2024-11-05), basic/index (later).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/nameless_errors.h"
#include "harness/monitors/other_json.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::DecodeError;
using wire::Id;
using wire::MessageKind;

bool has(const Json& message, const char* member) {
  return message.is_object() && message.contains(member);
}

constexpr catalogue::RequirementId kJsonRpc("jsonrpc.version-2-messages");

// The page's own sentence where the revision has one; elsewhere that every message follows JSON-RPC
// 2.0, which says the same.
catalogue::RequirementId sentence_or_json_rpc(catalogue::RequirementId sentence,
                                              model::Revision revision) {
  return catalogue::find(sentence.text())->holds_in(revision) ? sentence : kJsonRpc;
}

class JsonRpcMonitor : public Monitor {
 public:
  std::string_view name() const override { return "json_rpc_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"jsonrpc.version-2-messages",       "jsonrpc.utf8",
            "jsonrpc.request-id-type",          "jsonrpc.request-id-not-null",
            "jsonrpc.request-id-unique",        "jsonrpc.response-id",
            "jsonrpc.result-response-id",       "jsonrpc.error-response-id",
            "jsonrpc.response-result-or-error", "jsonrpc.result-response-result",
            "jsonrpc.response-not-both",        "jsonrpc.error-code-and-message",
            "jsonrpc.error-code-integer",       "jsonrpc.notification-no-response",
            "jsonrpc.notification-no-id",       "jsonrpc.request-answered-once",
            "jsonrpc.error-message-concise",    "schema.no-batches"};
  }
  // The same of clients; and their ids may come again where there are no sessions.
  std::vector<catalogue::RequirementId> client_requirements() const override {
    return {"jsonrpc.version-2-messages",
            "jsonrpc.utf8",
            "jsonrpc.request-id-type",
            "jsonrpc.request-id-not-null",
            "jsonrpc.request-id-unique",
            "jsonrpc.request-id-not-in-use",
            "jsonrpc.notification-no-id",
            "jsonrpc.request-answered-once",
            "jsonrpc.response-id",
            "jsonrpc.response-result-or-error",
            "jsonrpc.response-not-both",
            "jsonrpc.result-response-id",
            "jsonrpc.result-response-result",
            "jsonrpc.error-response-id",
            "jsonrpc.error-code-and-message",
            "jsonrpc.error-code-integer",
            "jsonrpc.error-message-concise",
            "schema.no-batches"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  // What was asked before nobody has seen.
  bool rests_on_history(catalogue::RequirementId id) const override {
    return id.text() == "jsonrpc.response-id" || id.text() == "jsonrpc.result-response-id" ||
           id.text() == "jsonrpc.error-response-id";
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    lanes_.note(event);
    if (!event->is_from(judge.judged()) && event->decode_error() != nullptr) {
      nameless_.note_unreadable();
    }
    if (!event->is_from(judge.judged()) || !event->carries_message()) return;
    const auto* error = event->decode_error();
    const bool is_utf8 = error == nullptr || error->kind != DecodeError::Kind::kInvalidUtf8;
    judge.check("jsonrpc.utf8", is_utf8, "the message is not UTF-8", event);
    const bool is_streamable = session.transport().is_streamable_http();
    if (is_streamable && error != nullptr && error->kind == DecodeError::Kind::kInvalidJson) {
      judge_text(event, judge);
    }
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    const wire::Message& message = sighting.message;
    if (!sighting.is_from_judged) {
      note_unasked(sighting);
      nameless_.note_sent(sighting);
      return;
    }
    if (message.kind() == MessageKind::kBatch) {
      // What came in the array is judged by itself.
      if (session.revision().has_no_batches() && !answers_batch(message)) {
        judge.broke(
            "schema.no-batches",
            fmt::format("the {} sent an array of messages", transport::name(sighting.speaker())),
            {sighting.event});
      }
      if (judge.judged() == Party::kServer) {
        const auto pair = nameless_.note_batch(
            sighting.event, lanes_.find(sighting.event->observation.lane), session.revision());
        if (pair) blame(*pair, judge);
      }
      return;
    }
    // On a line of standard output that is another rule's matter.
    if (session.transport().has_lines() && is_other_json(message)) return;
    const Json& json = message.json();
    if (!json.is_object()) {
      // Where nothing may come, whatever comes is another rule's matter.
      const HttpLane* lane = lanes_.find(sighting.event->observation.lane);
      if (lane != nullptr && lane->has_no_request) return;
      judge.broke(kJsonRpc, "the message is neither an object nor an array", {sighting.event});
      return;
    }
    judge.check(kJsonRpc, json.value("jsonrpc", Json()) == "2.0",
                "the message has no \"jsonrpc\": \"2.0\"", sighting.event, "/jsonrpc");
    const bool is_client = judge.judged() == Party::kClient;
    if (is_client && session.revision().has_no_batches() && !sighting.is_batch_member) {
      judge.held("schema.no-batches", sighting.event);
    }
    if (has(json, "method")) {
      // With it a client's session begins.
      if (is_client && sighting.is_request() && message.method() == "initialize")
        begun_ = sighting.event;
      judge_request(sighting, session, judge);
    } else if (has(json, "id") || has(json, "result") || has(json, "error")) {
      judge_answer(sighting, json, session.revision(), judge);
    } else {
      // Nothing in it says that it is a response, so no rule about responses is broken.
      judge.broke(kJsonRpc, "the message is neither a request, nor a notification, nor a response",
                  {sighting.event});
    }
  }

  void on_end(const SessionView& /*session*/, Judge& judge) override {
    for (const NamelessErrors::Pair& pair : nameless_.unanswered()) blame(pair, judge);
  }

 private:
  // A response to what was not asked. Who refuses it may name its id.
  void note_unasked(const Sighting& sighting) {
    const bool is_response = sighting.is_result() || sighting.is_error();
    if (is_response && sighting.exchange == nullptr && sighting.message.id()) {
      unasked_.insert(*sighting.message.id());
    }
    if (sighting.is_batch_member && sighting.is_request()) batched_.insert(*sighting.message.id());
  }

  // An array of answers to an array of the other party's.
  bool answers_batch(const wire::Message& batch) const {
    const auto& members = batch.members();
    return std::any_of(members.begin(), members.end(), [this](const wire::Message& member) {
      return member.id() && member.method().empty() && batched_.contains(*member.id());
    });
  }

  // Text that is no JSON, in an event that carries messages. Of other texts the rules of their
  // transport speak.
  static void judge_text(const EventPtr& event, Judge& judge) {
    const wire::SseEvent* sse = event->observation.event();
    const bool is_of_messages =
        sse != nullptr && !sse->data.empty() && (sse->event.empty() || sse->event == "message");
    if (is_of_messages) judge.broke(kJsonRpc, "the data of an event are not a message", {event});
  }

  void judge_request(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const auto& id = sighting.message.id();
    // Every notification that MCP names begins so, and no request does. With a null id a message is
    // malformed, and has a method in its text alone.
    if (text_member(sighting.message.json(), "method").starts_with("notifications/")) {
      judge.check("jsonrpc.notification-no-id", !id, "a notification carries an id", sighting.event,
                  "/id");
      return;
    }
    if (!id) return;
    const bool is_null = id->kind() == Id::Kind::kNull;
    judge.check("jsonrpc.request-id-not-null", !is_null, "the request has the id null",
                sighting.event, "/id");
    if (is_null) return;
    judge.check("jsonrpc.request-id-type", id->is_valid(),
                "the id is neither a string nor an integer", sighting.event, "/id");
    if (!id->is_valid()) return;
    if (judge.judged() == Party::kClient && !is_of_one_client(*sighting.event)) return;
    const Exchange* earlier = session.exchange(*id, sighting.speaker());
    if (session.revision().is_stateless()) {
      judge_use(sighting, earlier, judge);
      return;
    }
    // What a client asks before it initializes, to find out whom it meets, is in no session.
    if (judge.judged() == Party::kClient && begun_ == nullptr) return;
    const bool is_of_session =
        earlier != nullptr && (begun_ == nullptr || earlier->request_event->n >= begun_->n);
    if (!is_of_session) {
      judge.held("jsonrpc.request-id-unique", sighting.event);
    } else if (!is_said_again(*earlier, sighting)) {
      judge.broke("jsonrpc.request-id-unique",
                  fmt::format("the id {} was used before in this session", id->json_text()),
                  {earlier->request_event, sighting.event}, "/id");
    }
  }

  // The same message once more, because nothing came of it the first time: its HTTP exchange broke
  // off, or was refused.
  bool is_said_again(const Exchange& earlier, const Sighting& sighting) {
    const HttpLane* lane = lanes_.find(earlier.request_event->observation.lane);
    if (lane == nullptr || earlier.request.bytes() != sighting.message.bytes()) return false;
    return lane->status() >= 400 || (lane->end != nullptr && earlier.answers == 0);
  }

  // Without sessions an id is free again once its request was answered, or given up.
  static void judge_use(const Sighting& sighting, const Exchange* earlier, Judge& judge) {
    const bool is_in_use =
        earlier != nullptr && earlier->answers == 0 && earlier->cancelled == nullptr;
    if (!is_in_use) {
      judge.held("jsonrpc.request-id-not-in-use", sighting.event);
      return;
    }
    judge.broke("jsonrpc.request-id-not-in-use",
                fmt::format("the id {} is that of a request which was not answered yet",
                            sighting.message.id()->json_text()),
                {earlier->request_event, sighting.event}, "/id");
  }

  void judge_answer(const Sighting& sighting, const Json& json, model::Revision revision,
                    Judge& judge) {
    const bool has_result = has(json, "result");
    const bool has_error = has(json, "error");
    if (has_result && has_error) {
      // Also a null result is a member, and must not be there.
      judge.broke(sentence_or_json_rpc("jsonrpc.response-not-both", revision),
                  "the answer has both a result and an error", {sighting.event});
      return;
    }
    judge.held("jsonrpc.response-not-both", sighting.event);
    if (!has_result && !has_error) {
      judge.broke("jsonrpc.response-result-or-error", "the answer has neither result nor error",
                  {sighting.event});
      judge.broke("jsonrpc.result-response-result", "the answer has neither result nor error",
                  {sighting.event});
      return;
    }
    judge.held("jsonrpc.response-result-or-error", sighting.event);
    if (has_result) judge.held("jsonrpc.result-response-result", sighting.event);
    if (has_error) judge_error(sighting, json["error"], revision, judge);
    judge_id(sighting, has_error, revision, judge);
  }

  static void judge_error(const Sighting& sighting, const Json& error, model::Revision revision,
                          Judge& judge) {
    const bool is_complete = has(error, "code") && has(error, "message");
    const bool has_words = is_complete && error["message"].is_string();
    judge.check(sentence_or_json_rpc("jsonrpc.error-code-and-message", revision), has_words,
                is_complete ? "the message of the error is not a string"
                            : "the error has no code or no message",
                sighting.event, "/error");
    if (!has(error, "code")) return;
    judge.check("jsonrpc.error-code-integer", error["code"].is_number_integer(),
                "the code of the error is not an integer", sighting.event, "/error/code");
    if (has_words) judge_words(sighting, error, judge);
  }

  // What runs over several lines is no single sentence. How long one may be, the text does not say.
  static void judge_words(const Sighting& sighting, const Json& error, Judge& judge) {
    const auto& words = error["message"].get_ref<const std::string&>();
    const std::size_t last = words.find_last_not_of(" \t\r\n");
    const std::string_view text = std::string_view(words).substr(0, last + 1);
    judge.check("jsonrpc.error-message-concise", text.find('\n') == std::string_view::npos,
                "the message of the error has several lines", sighting.event, "/error/message");
  }

  // The error has no id, although the request that it answers has one, and is sound.
  static void blame(const NamelessErrors::Pair& pair, Judge& judge) {
    constexpr std::string_view kDetail =
        "a sound request was answered with an error without its id";
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("jsonrpc.response-id"),
          catalogue::RequirementId("jsonrpc.error-response-id")}) {
      judge.broke(rule, std::string(kDetail), {pair.request, pair.error}, "/id");
    }
  }

  // An answer belongs to a request of ours, and carries just its id. An error may carry null where
  // the target could not read the id.
  void judge_id(const Sighting& sighting, bool is_error, model::Revision revision, Judge& judge) {
    const auto& id = sighting.message.id();
    if (is_error && (!id || id->kind() == Id::Kind::kNull)) {
      if (sighting.is_batch_member) return;
      if (judge.judged() == Party::kClient) return nameless_.note_client_error(sighting.event);
      const auto pair = nameless_.note_error(
          sighting.event, lanes_.find(sighting.event->observation.lane), revision);
      if (pair) blame(*pair, judge);
      return;
    }
    if (id) nameless_.note_answer(*id);
    const bool is_known = sighting.exchange != nullptr;
    if (is_error && !is_known && unasked_.contains(*id)) return;
    const std::string detail =
        id ? fmt::format("the answer carries the id {}, which no request had", id->json_text())
           : std::string("the answer carries no id");
    if (is_known && sighting.exchange->answers > 1) {
      judge.broke("jsonrpc.request-answered-once",
                  fmt::format("the request with the id {} was answered twice", id->json_text()),
                  {sighting.exchange->request_event, sighting.event}, "/id");
      return;
    }
    if (is_known) judge.held("jsonrpc.request-answered-once", sighting.event);
    judge.check("jsonrpc.response-id", is_known, detail, sighting.event, "/id");
    if (is_error) {
      judge.check("jsonrpc.error-response-id", is_known, detail, sighting.event, "/id");
    } else {
      judge.check("jsonrpc.result-response-id", is_known, detail, sighting.event, "/id");
    }
  }

  HttpLanes lanes_;
  EventPtr begun_;  // the latest `initialize` of a client
  NamelessErrors nameless_;
  std::set<Id> batched_;  // the ids of requests in arrays of the other party
  std::set<Id>
      unasked_;  // the ids of responses that answer no request of the party under judgement
};

const MonitorRegistration<JsonRpcMonitor> kJsonRpcMonitorRegistration;

}  // namespace
}  // namespace assay::harness
