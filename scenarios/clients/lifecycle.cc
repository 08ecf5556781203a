// How a client begins and ends a session.
//
// Specification: basic/lifecycle; basic/transports, "Session Management".
#include <algorithm>
#include <memory>

#include "harness/monitors/trace.h"
#include "reference/transport/observer.h"
#include "scenarios/clients/passages.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

using harness::ClientScenario;

constexpr std::string_view kSessionId = "Mcp-Session-Id";

// A probe for another era, or a sign of life.
bool may_precede_initialize(const wire::Message& message) {
  return message.method() == "ping" || message.method() == "server/discover" ||
         harness::revision_of(message).has_value();
}

// The session id that a response gives.
bool gives_session_id(const harness::Event& event) {
  const transport::HttpHead* head = event.observation.http();
  return event.observation.kind == transport::Observation::Kind::kHttpResponse && head != nullptr &&
         transport::find_header(head->headers, kSessionId).has_value();
}

// What the client says in that session of its own, and means it: neither the end of the session nor
// an answer that comes late is going on. Nor is a ping, which may be sent before the answer, and
// over HTTP be read after it.
EventPtr next_of(const Review& review, const Said& reply) {
  for (const Said& said : review.client()) {
    const bool is_later = said.session == reply.session && said.event->n > reply.event->n;
    const std::string_view method = said.message.method();
    if (is_later && !method.empty() && method != "initialize" && method != "ping" &&
        method != "notifications/cancelled") {
      return said.event;
    }
  }
  return nullptr;
}

// Where a machine is busy the answer comes later than a client waits, though we gave it at once.
constexpr const char* kLeft =
    "the client left without a word after the answer to initialize: it may have given it up";

// The client begins with initialize, says that it is ready, and ends its session.
class InitializePlay : public Play {
 public:
  void review(Review& review) override {
    const std::vector<Said> asked = review.requests("initialize");
    if (asked.empty()) return;
    review_first(review, asked);
    for (const Said& each : asked) review_ready(review, each);
    if (asked.size() == 1) review_end(review);
  }

 private:
  static void review_first(Review& review, const std::vector<Said>& asked) {
    const auto first =
        std::min_element(asked.begin(), asked.end(),
                         [](const Said& a, const Said& b) { return a.event->at < b.event->at; });
    for (const Said& said : review.client()) {
      const bool is_before = said.event->at < first->event->at;
      const bool is_request = said.message.kind() == wire::MessageKind::kRequest;
      if (!is_before || !is_request || may_precede_initialize(said.message)) continue;
      review.broke("lifecycle.initialize-first", "the client asked for something before initialize",
                   {said.event, first->event}, "/method");
      return;
    }
    review.held("lifecycle.initialize-first", first->event);
  }

  // Over HTTP, where the server gave an id, and once the client is gone.
  static void review_end(Review& review) {
    EventPtr given;
    for (const harness::RecordedSession& session : review.sessions()) {
      for (const EventPtr& event : session.events) {
        if (given == nullptr && gives_session_id(*event)) given = event;
      }
    }
    if (given == nullptr) return;
    bool is_used = false;
    for (const Passage& passage : passages(review)) {
      is_used = is_used || passage.session_id();
      if (passage.head().method != "DELETE" || !passage.session_id()) continue;
      review.held("http.session-deleted", passage.request);
      return;
    }
    if (!is_used) return review.unclear("http.session-deleted", kLeft, {given});
    review.missed("http.session-deleted", "the client left without ending its session with DELETE",
                  {given}, {"DELETE with the session's id"});
  }

  static void review_ready(Review& review, const Said& asked) {
    const auto reply = review.reply_to(asked);
    if (!reply || reply->message.kind() != wire::MessageKind::kResult) return;
    // Where it is offered another version, a client may as well leave.
    if (text_member(asked.message.params(), "protocolVersion") !=
        text_member(reply->message.result(), "protocolVersion")) {
      return;
    }
    const auto& said = review.client();
    const auto ready = std::find_if(said.begin(), said.end(), [&](const Said& each) {
      return each.session == asked.session && each.message.method() == "notifications/initialized";
    });
    if (ready != said.end()) {
      review.held("lifecycle.initialized-notification", ready->event);
      return;
    }
    if (next_of(review, *reply) == nullptr) {
      return review.unclear("lifecycle.initialized-notification", kLeft, {reply->event});
    }
    review.missed("lifecycle.initialized-notification",
                  "initialize succeeded, and no notifications/initialized came", {reply->event},
                  {"notifications/initialized"});
  }
};

const ClientScenarioRegistration kInitialize({.name = "initialize",
                                              .task = "connects, lists the tools and leaves",
                                              .requirements = {"lifecycle.initialize-first",
                                                               "lifecycle.initialized-notification",
                                                               "http.session-deleted"},
                                              .make = make_play<InitializePlay>});

// A version that no client supports is answered; then the client has to go. Over stdio it is pinged
// first: what it sends without waiting for the answer is here by then, and is not taken for going
// on.
class UnknownVersionPlay : public Play {
 public:
  static constexpr const char* kVersion = "1999-12-31";
  static constexpr const char* kBefore = "assay-before-the-answer";

  std::optional<std::string> begin(const harness::Venue& venue) override {
    is_stdio_ = venue.endpoint.empty();
    return std::nullopt;
  }
  void on_message(Visit& visit) override {
    if (is_stdio_ && visit.is_request("initialize")) visit.ask(kBefore, "ping");
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "initialize") result["protocolVersion"] = kVersion;
  }
  void review(Review& review) override {
    for (const Said& asked : review.requests("initialize")) {
      const auto reply = review.reply_to(asked);
      if (!reply || reply->message.kind() != wire::MessageKind::kResult) continue;
      const EventPtr went_on = next_of(review, *reply);
      review_handling(review, asked, *reply, went_on);
      for (const catalogue::RequirementId rule :
           {catalogue::RequirementId("lifecycle.version-unsupported-disconnect"),
            catalogue::RequirementId("lifecycle.unsupported-answer-disconnects")}) {
        if (went_on != nullptr && !has_waited(review, asked, *reply)) {
          review.unclear(rule, kDidNotWait, {reply->event, went_on});
        } else if (went_on == nullptr) {
          review.held(rule, reply->event);
        } else {
          review.broke(rule,
                       "initialize was answered with a version that does not exist, and the client "
                       "went on",
                       {reply->event, went_on});
        }
      }
    }
  }

 private:
  // It leaves, and in one piece.
  static void review_handling(Review& review, const Said& asked, const Said& reply,
                              const EventPtr& went_on) {
    constexpr catalogue::RequirementId kRule = "lifecycle.handles-version-mismatch";
    if (!review.crash().empty() && !survived_ping(review)) {
      review.unclear(kRule, "the client crashed, and had not answered a ping before",
                     {reply.event});
    } else if (!review.crash().empty()) {
      review.crashed(kRule,
                     "the client crashed over a version that does not exist: " + review.crash(),
                     {reply.event});
    } else if (went_on != nullptr && !has_waited(review, asked, reply)) {
      review.unclear(kRule, kDidNotWait, {reply.event, went_on});
    } else if (went_on != nullptr) {
      review.broke(kRule, "the client went on as if the version were its own",
                   {reply.event, went_on});
    } else {
      review.held(kRule, reply.event);
    }
  }

  static constexpr const char* kDidNotWait =
      "the client did not wait for the answer to initialize, so what came after it may not have "
      "known it";

  // The ping ahead of the version was not what it crashed over. Over HTTP there is none.
  static bool survived_ping(const Review& review) {
    return review.transport().has_url() || review.answer_to(kBefore);
  }

  // Between initialize and its answer it said nothing of its own.
  static bool has_waited(const Review& review, const Said& asked, const Said& reply) {
    const auto& said = review.client();
    return std::none_of(said.begin(), said.end(), [&](const Said& each) {
      return each.session == asked.session && each.event->n > asked.event->n &&
             each.event->n < reply.event->n && !each.message.method().empty();
    });
  }

  bool is_stdio_ = false;
};

const ClientScenarioRegistration kUnknownVersion(
    {.name = "unknown-version",
     .task = "connects, is offered a version that does not exist, and leaves",
     .requirements = {"lifecycle.version-unsupported-disconnect",
                      "lifecycle.unsupported-answer-disconnects",
                      "lifecycle.handles-version-mismatch"},
     .make = make_play<UnknownVersionPlay>,
     .may_fail = true});

// Whatever version the client asks for is agreed to; so it has to speak it.
class EchoedVersionPlay : public Play {
 public:
  // Then it may name that version, whatever the reference server takes.
  std::optional<transport::HttpHead> on_head(const transport::HttpHead& request) override {
    transport::HttpHead head = request;
    std::erase_if(head.headers, [&](const transport::Header& header) {
      return transport::lower_case(header.first) == "mcp-protocol-version" &&
             header.second == agreed_;
    });
    return head;
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "initialize") {
      agreed_ = text_member(request.params(), "protocolVersion");
      result["protocolVersion"] = harness::member(request.params(), "protocolVersion");
    }
    list_little(request, result);
  }
  void review(Review& review) override {
    const catalogue::RequirementId rule("lifecycle.client-requests-supported-version");
    for (const Said& asked : review.requests("initialize")) {
      const auto reply = review.reply_to(asked);
      const bool is_agreed = reply && reply->message.kind() == wire::MessageKind::kResult;
      if (!is_agreed || text_member(asked.message.params(), "protocolVersion").empty()) continue;
      const auto& said = review.client();
      const auto next = std::find_if(said.begin(), said.end(), [&](const Said& each) {
        return each.session == reply->session && each.event->n > reply->event->n;
      });
      if (next != said.end()) {
        review.held(rule, next->event);
      } else {
        review.fell_silent(
            rule, "the server agreed to the version that the client asked for, and the client left",
            {asked.event, reply->event});
      }
    }
  }

 private:
  std::string agreed_;
};

const ClientScenarioRegistration kEchoedVersion(
    {.name = "version-agreed",
     .task = "connects, is given the version that it asks for, and lists the tools",
     .requirements = {"lifecycle.client-requests-supported-version"},
     .make = make_play<EchoedVersionPlay>});

// The server has tools, and nothing else: capability_monitor sees what is asked for besides.
class FewCapabilitiesPlay : public Play {
 public:
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "initialize") result["capabilities"] = {{"tools", Json::object()}};
    if (request.method() == "tools/list") {
      list_only({hosted_tool("test_simple_text", "Answers with a text"),
                 hosted_tool("test_image_content", "Answers with an image")},
                result);
    }
  }
};

const ClientScenarioRegistration kFewCapabilities({.name = "few-capabilities",
                                                   .task = "lists what the server has: tools",
                                                   .requirements = {},
                                                   .make = make_play<FewCapabilitiesPlay>,
                                                   .concerns = &model::Revision::has_handshake});

// The server has nothing at all. A client may leave, or go on without.
class NoCapabilitiesPlay : public Play {
 public:
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "initialize") result["capabilities"] = Json::object();
  }
  void review(Review& review) override {
    constexpr catalogue::RequirementId kRule = "lifecycle.handles-missing-capabilities";
    for (const Said& asked : review.requests("initialize")) {
      const auto reply = review.reply_to(asked);
      if (!reply || reply->message.kind() != wire::MessageKind::kResult) continue;
      if (review.crash().empty()) return review.held(kRule, reply->event);
      return review.crashed(
          kRule, "the client crashed over a server without capabilities: " + review.crash(),
          {reply->event});
    }
    review.not_exercised(kRule, "the client did not initialize");
  }
};

const ClientScenarioRegistration kNoCapabilities(
    {.name = "no-capabilities",
     .task = "connects to a server without capabilities, and leaves",
     .requirements = {"lifecycle.handles-missing-capabilities"},
     .make = make_play<NoCapabilitiesPlay>,
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
