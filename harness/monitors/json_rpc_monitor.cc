// Judges every message of the target by the rules of JSON-RPC 2.0 as MCP states them.
//
// Specification: basic/messages (2024-11-05), basic/index (later).
#include <fmt/format.h>

#include "harness/monitors/monitor.h"

namespace assay::harness {
namespace {

using wire::DecodeError;
using wire::Id;
using wire::MessageKind;

bool has(const Json& message, const char* member) {
  return message.is_object() && message.contains(member);
}

class JsonRpcMonitor : public Monitor {
 public:
  std::string_view name() const override { return "json_rpc_monitor"; }
  std::vector<catalogue::RequirementId> requirements() const override {
    return {"jsonrpc.version-2-messages",       "jsonrpc.utf8",
            "jsonrpc.request-id-type",          "jsonrpc.request-id-not-null",
            "jsonrpc.request-id-unique",        "jsonrpc.response-id",
            "jsonrpc.result-response-id",       "jsonrpc.error-response-id",
            "jsonrpc.response-result-or-error", "jsonrpc.result-response-result",
            "jsonrpc.response-not-both",        "jsonrpc.error-code-and-message",
            "jsonrpc.error-code-integer",       "jsonrpc.notification-no-response",
            "jsonrpc.notification-no-id",       "jsonrpc.request-answered-once",
            "jsonrpc.error-message-concise"};
  }

  void on_event(const EventPtr& event, const SessionView& /*session*/, Judge& judge) override {
    if (event->is_sent() || !event->carries_message()) return;
    const auto* error = event->decode_error();
    const bool is_utf8 = error == nullptr || error->kind != DecodeError::Kind::kInvalidUtf8;
    judge.check("jsonrpc.utf8", is_utf8, "the message is not UTF-8", event);
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    const wire::Message& message = sighting.message;
    if (!sighting.is_from_target || message.kind() == MessageKind::kBatch) return;
    const Json& json = message.json();
    if (!json.is_object()) {
      judge.broke("jsonrpc.version-2-messages", "the message is neither an object nor an array",
                  {sighting.event});
      return;
    }
    judge.check("jsonrpc.version-2-messages", json.value("jsonrpc", Json()) == "2.0",
                "the message lacks \"jsonrpc\": \"2.0\"", sighting.event, "/jsonrpc");
    if (has(json, "method")) {
      judge_request(sighting, session, judge);
    } else if (has(json, "id") || has(json, "result") || has(json, "error")) {
      judge_answer(sighting, json, judge);
    } else {
      // Nothing in it says that it is a response, so no rule about responses is broken.
      judge.broke("jsonrpc.version-2-messages",
                  "the message is neither a request, nor a notification, nor a response",
                  {sighting.event});
    }
  }

 private:
  static void judge_request(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const auto& id = sighting.message.id();
    // Every notification that MCP names begins so, and no request does.
    if (sighting.message.method().starts_with("notifications/")) {
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
    const Exchange* earlier = session.exchange(*id, true);
    if (earlier == nullptr) {
      judge.held("jsonrpc.request-id-unique", sighting.event);
    } else {
      judge.broke("jsonrpc.request-id-unique",
                  fmt::format("the id {} was used before in this session", id->json_text()),
                  {earlier->request_event, sighting.event}, "/id");
    }
  }

  static void judge_answer(const Sighting& sighting, const Json& json, Judge& judge) {
    const bool has_result = has(json, "result");
    const bool has_error = has(json, "error");
    if (has_result && has_error) {
      judge.broke("jsonrpc.response-not-both", "the answer has both a result and an error",
                  {sighting.event});
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
    if (has_error) judge_error(sighting, json["error"], judge);
    judge_id(sighting, has_error, judge);
  }

  static void judge_error(const Sighting& sighting, const Json& error, Judge& judge) {
    const bool is_complete = has(error, "code") && has(error, "message");
    judge.check("jsonrpc.error-code-and-message", is_complete,
                "the error lacks a code or a message", sighting.event, "/error");
    if (!has(error, "code")) return;
    judge.check("jsonrpc.error-code-integer", error["code"].is_number_integer(),
                "the code of the error is no integer", sighting.event, "/error/code");
    if (has(error, "message") && error["message"].is_string()) judge_words(sighting, error, judge);
  }

  // What runs over several lines is no single sentence. How long one may be, the text does not say.
  static void judge_words(const Sighting& sighting, const Json& error, Judge& judge) {
    const auto& words = error["message"].get_ref<const std::string&>();
    const std::size_t last = words.find_last_not_of(" \t\r\n");
    const std::string_view text = std::string_view(words).substr(0, last + 1);
    judge.check("jsonrpc.error-message-concise", text.find('\n') == std::string_view::npos,
                "the message of the error runs over several lines", sighting.event,
                "/error/message");
  }

  // An answer belongs to a request of ours, and carries just its id. An error may carry null where
  // the target could not read the id, which nobody can tell from here: the scenarios judge that.
  static void judge_id(const Sighting& sighting, bool is_error, Judge& judge) {
    const auto& id = sighting.message.id();
    if (is_error && (!id || id->kind() == Id::Kind::kNull)) return;
    const bool is_known = sighting.exchange != nullptr;
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
};

const MonitorRegistration<JsonRpcMonitor> kJsonRpcMonitorRegistration;

}  // namespace
}  // namespace assay::harness
