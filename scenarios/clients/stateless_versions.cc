// The first request is refused for its version.
//
// Specification of 2026-07-28: basic/versioning, "Protocol Version Negotiation".
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::int64_t kUnsupportedVersion = -32022;

// Refuses the first request in whatever version, and takes the next. What each request carries,
// monitors judge. Who asked for the version that the refusal offers may as well give up.
class RequestMetadataPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const bool is_request = visit.message().kind() == wire::MessageKind::kRequest;
    if (has_refused_ || !is_request) return;
    has_refused_ = true;
    const Json& meta = member(visit.message().params(), "_meta");
    visit.reject(
        kUnsupportedVersion, "Unsupported protocol version",
        {{"supported", {visit.revision().text()}},
         {"requested", harness::text_member(meta, "io.modelcontextprotocol/protocolVersion")}});
  }

  void review(Review& review) override {
    const auto& said = review.client();
    std::optional<Said> refusal;
    const auto first = std::find_if(said.begin(), said.end(), [&](const Said& each) {
      const bool is_request = each.message.kind() == wire::MessageKind::kRequest;
      refusal = is_request ? review.reply_to(each) : std::nullopt;
      return refusal && refusal->message.error_code() == kUnsupportedVersion;
    });
    const auto next = std::find_if(said.begin(), said.end(), [&](const Said& each) {
      return first != said.end() && each.event->at > refusal->event->at &&
             each.message.kind() == wire::MessageKind::kRequest;
    });
    if (next == said.end()) {
      review.not_exercised(kRetries, "the client gave up, and whether it told its user is unseen");
      return;
    }
    if (review.transport().is_streamable_http()) {
      check(review, kInspected, next->message.method() != "initialize",
            "the client was refused with an error that only servers of this era have, and fell "
            "back to initialize",
            *first, *next);
    }
    const std::string_view version = harness::text_member(
        member(next->message.params(), "_meta"), "io.modelcontextprotocol/protocolVersion");
    check(review, kRetries, version == review.revision().text(),
          "the client was told which version is supported, and tried again with another", *first,
          *next);
  }

 private:
  // What it sent beside the first request may be read behind the refusal.
  static void check(Review& review, catalogue::RequirementId rule, bool did_hold,
                    const char* detail, const Said& first, const Said& next) {
    if (did_hold) {
      review.held(rule, next.event);
    } else {
      review.crossed(rule, detail, {first.event, next.event});
    }
  }
  static constexpr catalogue::RequirementId kRetries = "versioning.client-retries-supported";
  static constexpr catalogue::RequirementId kInspected = "http.era-400-inspected";

  bool has_refused_ = false;
};

const ClientScenarioRegistration kRequestMetadata(
    {.name = "request-metadata",
     .task = "connects, is refused for its version once, and tries again with one that is offered",
     .requirements = {"versioning.client-retries-supported", "http.era-400-inspected"},
     .make = make_play<RequestMetadataPlay>,
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
