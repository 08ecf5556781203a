// The first request is refused for its version.
//
// Specification of 2026-07-28: basic/versioning, "Protocol Version Negotiation".
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/runner/client_scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using harness::ClientScenarioRegistration;
using harness::member;
using harness::Play;
using harness::Review;
using harness::Said;
using harness::Visit;

constexpr std::int64_t kUnsupportedVersion = -32022;

bool names_version_per_request(model::Revision revision) {
  return !revision.has_handshake();
}

// Refuses the first request in whatever version, and takes the next. What each request carries,
// monitors judge. Who asked for the version that the refusal offers may as well give up.
class RequestMetadataPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const bool is_request = visit.message().kind() == wire::MessageKind::kRequest;
    if (has_refused_ || !is_request) return;
    has_refused_ = true;
    refused_ = visit.message().id();
    const Json& meta = member(visit.message().params(), "_meta");
    visit.reject(
        kUnsupportedVersion, "Unsupported protocol version",
        {{"supported", {visit.revision().text()}},
         {"requested", harness::text_member(meta, "io.modelcontextprotocol/protocolVersion")}});
  }

  void review(Review& review) override {
    const auto& said = review.client();
    const auto first = std::find_if(said.begin(), said.end(), [&](const Said& each) {
      return refused_ && each.message.id() == refused_ &&
             each.message.kind() == wire::MessageKind::kRequest;
    });
    const auto next = std::find_if(said.begin(), said.end(), [&](const Said& each) {
      return first != said.end() && each.event->at > first->event->at &&
             each.message.kind() == wire::MessageKind::kRequest;
    });
    if (next == said.end()) {
      review.not_exercised(kRetries, "the client gave up, and whether it told its user is unseen");
      return;
    }
    if (review.transport() == harness::TransportKind::kHttp) {
      review.check(kInspected, next->message.method() != "initialize",
                   "the client was refused with an error that only servers of this era have, and "
                   "fell back to initialize",
                   {first->event, next->event}, "/method");
    }
    const std::string_view version = harness::text_member(
        member(next->message.params(), "_meta"), "io.modelcontextprotocol/protocolVersion");
    review.check(kRetries, version == review.revision().text(),
                 "the client was told which version is supported, and tried again with another",
                 {first->event, next->event}, "/params/_meta");
  }

 private:
  static constexpr catalogue::RequirementId kRetries = "versioning.client-retries-supported";
  static constexpr catalogue::RequirementId kInspected = "http.era-400-inspected";

  bool has_refused_ = false;
  std::optional<wire::Id> refused_;
};

const ClientScenarioRegistration kRequestMetadata(
    {.name = "request-metadata",
     .task = "connects, is refused for its version once, and tries again with one that is offered",
     .requirements = {"versioning.client-retries-supported", "http.era-400-inspected"},
     .make = harness::make_play<RequestMetadataPlay>,
     .concerns = names_version_per_request,
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
