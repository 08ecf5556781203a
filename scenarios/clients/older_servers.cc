// A server that knows nothing of server/discover: a client of both eras falls back to initialize,
// whatever the error is.
//
// Specification of 2026-07-28: basic/transports/stdio, "Backward Compatibility"; basic/versioning,
// "Backward Compatibility with Initialization-Based Versions".
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

// Play::has_succeeded() of the first says whether the client speaks both eras.
constexpr std::string_view kOlderTopic = "older-servers";
constexpr std::int64_t kNotInitialized = -32000;

// Of the era without a handshake.
bool is_modern(const wire::Message& request) {
  const Json& meta = harness::member(request.params(), "_meta");
  return request.method() == "server/discover" ||
         !harness::member(meta, "io.modelcontextprotocol/protocolVersion").is_null();
}

class OlderServerPlay : public Play {
 public:
  explicit OlderServerPlay(std::int64_t code) : code_(code) {}

  std::optional<std::string> begin(const harness::Venue& venue) override {
    fell_back_before_ = venue.has_succeeded;
    return std::nullopt;
  }
  void on_message(Visit& visit) override {
    if (visit.message().kind() != wire::MessageKind::kRequest) return;
    if (visit.is_request("initialize")) {
      has_fallen_back_ = true;
      return visit.refuse(wire::kInternalError, "This server has seen enough");
    }
    visit.refuse(code_, "Server not initialized");
  }
  bool has_succeeded() const override { return has_fallen_back_; }
  bool reviews_all() const override { return true; }

  void review(Review& review) override {
    review_probe(review);
    constexpr RequirementId kRule = "stdio.era-fallback-any-error";
    const auto probes = review.requests("server/discover");
    const auto refusal = probes.empty() ? std::nullopt : review.reply_to(probes.front());
    if (!refusal) {
      review.not_exercised(kRule, "the client did not ask for server/discover");
    } else if (has_fallen_back_) {
      review.held(kRule, refusal->event);
    } else if (fell_back_before_) {
      review.missed(kRule,
                    "the client falls back to initialize after the error -32601, but not after "
                    "another error",
                    {probes.front().event, refusal->event}, {"initialize"}, "/error/code");
    } else {
      review.not_exercised(kRule, "the client does not fall back to initialize");
    }
  }

 private:
  // Of a client that has shown both eras, whatever processes it needs for them.
  void review_probe(Review& review) const {
    constexpr RequirementId kRule = "stdio.era-probe";
    std::optional<Said> first;
    bool is_of_both = false;
    for (const Said& said : review.client()) {
      if (said.message.kind() != wire::MessageKind::kRequest) continue;
      if (!first) first = said;
      is_of_both = is_of_both || (has_fallen_back_ && is_modern(said.message));
    }
    if (!first || !is_of_both) {
      return review.not_exercised(kRule, "the client does not show that it speaks both eras");
    }
    review.check(kRule, first->message.method() == "server/discover",
                 "the client speaks both eras, and asked for something before server/discover",
                 {first->event}, "/method");
  }

  const std::int64_t code_;
  bool fell_back_before_ = false;
  bool has_fallen_back_ = false;
};

std::unique_ptr<Play> make_unknowing() {
  return std::make_unique<OlderServerPlay>(wire::kMethodNotFound);
}
std::unique_ptr<Play> make_refusing() {
  return std::make_unique<OlderServerPlay>(kNotInitialized);
}

const ClientScenarioRegistration kUnknowing(
    {.name = "older-server",
     .task = "connects to a server that knows no server/discover, and falls back to initialize",
     .requirements = {"stdio.era-fallback-any-error", "stdio.era-probe"},
     .make = make_unknowing,
     .transports = {harness::TransportKind::kStdio},
     .may_fail = true,
     .topic = kOlderTopic});

const ClientScenarioRegistration kRefusing(
    {.name = "older-server-refuses",
     .task = "connects to a server that answers server/discover with another error, and falls back "
             "to initialize",
     .requirements = {"stdio.era-fallback-any-error", "stdio.era-probe"},
     .make = make_refusing,
     .transports = {harness::TransportKind::kStdio},
     .may_fail = true,
     .topic = kOlderTopic});

// An older server that serves whoever initializes: it needs no second look.
class RememberedEraPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    if (message.kind() != wire::MessageKind::kRequest) return;
    if (visit.is_request("initialize")) return visit.answer(introduction(message));
    if (is_modern(message)) return visit.refuse(wire::kMethodNotFound, "Method not found");
    if (visit.is_request("ping")) return visit.answer(Json::object());
    if (visit.is_request("tools/call")) return visit.answer(text_result(message, "As ever"));
    if (!visit.is_request("tools/list")) {
      return visit.refuse(wire::kMethodNotFound, "Method not found");
    }
    Json result = Json::object();
    list_little(message, result);
    visit.answer(std::move(result));
  }
  bool reviews_all() const override { return true; }

  void review(Review& review) override {
    constexpr RequirementId kRule = "versioning.client-caches-era";
    bool has_probed = false;
    std::optional<Said> settled;  // the answer to initialize, of the process at hand
    std::optional<Said> used;     // what it asked last of that process
    int uses = 0;
    for (const Said& said : review.client()) {
      if (said.message.kind() != wire::MessageKind::kRequest) continue;
      if (settled && said.session != settled->session) settled.reset();
      if (said.message.method() == "initialize") {
        if (has_probed) settled = review.reply_to(said);
      } else if (!is_modern(said.message)) {
        if (settled) used = said;
        uses += settled ? 1 : 0;
      } else if (settled && said.event->n > settled->event->n) {
        // It may have been sent before that answer was read.
        return review.crossed(kRule,
                              "the server answered initialize, and the client asks it once more in "
                              "the way of the other era",
                              {settled->event, said.event});
      } else {
        has_probed = true;
      }
    }
    if (used && uses > 1) {
      review.held(kRule, used->event);
    } else {
      review.not_exercised(kRule, "the client did not ask an older server for several things");
    }
  }

 private:
  static Json introduction(const wire::Message& request) {
    const auto asked =
        model::Revision::parse(harness::text_member(request.params(), "protocolVersion"));
    const bool is_older = asked && asked->has_handshake();
    const model::Revision newest = model::Revision::newest_handshake();
    return {{"protocolVersion", (is_older ? *asked : newest).text()},
            {"capabilities", {{"tools", Json::object()}}},
            {"serverInfo", {{"name", "assay-older"}, {"version", "1.0.0"}}}};
  }
};

const ClientScenarioRegistration kRememberedEra(
    {.name = "older-server-remembered",
     .task = "connects to a server that knows no server/discover, falls back to initialize, lists "
             "the tools, and calls test_simple_text",
     .requirements = {"versioning.client-caches-era"},
     .make = make_play<RememberedEraPlay>,
     .transports = {harness::TransportKind::kStdio},
     .may_fail = true});

// The first thing that a client asks shows whether it probes.
class ProbePlay : public Play {
 public:
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }
  void review(Review& review) override {
    constexpr RequirementId kRule = "stdio.modern-client-probes";
    for (const Said& said : review.client()) {
      if (said.message.kind() != wire::MessageKind::kRequest) continue;
      // Who begins with initialize speaks both eras, and is not meant.
      if (said.message.method() == "initialize") break;
      review.check(kRule, said.message.method() == "server/discover",
                   "the client asked for something before server/discover", {said.event},
                   "/method");
      return;
    }
    review.not_exercised(kRule, "the client asked for nothing");
  }
};

const ClientScenarioRegistration kProbe({.name = "server-probed",
                                         .task = "asks for server/discover, and lists the tools",
                                         .requirements = {"stdio.modern-client-probes"},
                                         .make = make_play<ProbePlay>,
                                         .transports = {harness::TransportKind::kStdio}});

}  // namespace
}  // namespace assay::scenarios
