// A session that the server ends: the client begins another one, and takes nothing over.
//
// Specification: basic/transports, "Session Management" (2025-03-26 to 2025-11-25);
// server/utilities/pagination.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "reference/transport/http_guard.h"
#include "reference/wire/peer_json.h"
#include "scenarios/clients/passages.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr int kGone = 404;
constexpr std::string_view kSessionField = "Mcp-Session-Id";
constexpr std::string_view kFirstCursor = "assay-page-2";

// From some request on, its session is gone.
class GonePlay : public Play {
 public:
  void on_reply(const transport::HttpHead& request, std::string_view body,
                transport::HttpReply& reply) override {
    const auto id = transport::find_header(request.headers, kSessionField);
    if (!id) return;
    if (gone_.empty() && request.method == "POST" && ends_with(wire::parse_of_peer(body))) {
      gone_ = *id;
    }
    if (*id == gone_) reply = transport::error_reply(kGone, "Not found: the session has ended");
  }

 private:
  // It is the request with which the session is gone.
  virtual bool ends_with(const Json& message) const = 0;

  std::string gone_;
};

// One request at a time: what comes behind an answer was sent behind it.
bool asks_in_turn(const std::vector<Passage>& all) {
  const Passage* last = nullptr;
  for (const Passage& passage : all) {
    const bool is_request =
        passage.message() != nullptr && passage.message()->kind() == wire::MessageKind::kRequest;
    if (!is_request) continue;
    const bool overlaps =
        last != nullptr && (last->response == nullptr || last->response->at > passage.request->at);
    if (overlaps) return false;
    last = &passage;
  }
  return true;
}

class SessionExpiredPlay : public GonePlay {
 public:
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }
  void review(Review& review) override {
    const catalogue::RequirementId rule("http.session-404-new-session");
    const std::vector<Passage> all = passages(review);
    const auto gone = std::find_if(all.begin(), all.end(), [](const Passage& passage) {
      return passage.status() == kGone && passage.posts("tools/list");
    });
    if (gone == all.end()) return;
    const Passage* goes_on = nullptr;  // in the session that is gone
    for (const Passage& passage : all) {
      if (passage.request->at <= gone->response->at) continue;
      if (passage.posts("initialize")) {
        review.check(rule, !passage.session_id(),
                     "the new initialize carries the id of the session that is gone",
                     {gone->response, passage.request});
        return;
      }
      const bool is_request =
          passage.message() != nullptr && passage.message()->kind() == wire::MessageKind::kRequest;
      if (is_request && passage.session_id() == gone->session_id()) goes_on = &passage;
    }
    if (goes_on != nullptr && asks_in_turn(all)) {
      review.broke(rule, "the client goes on in a session that was answered with 404",
                   {gone->response, goes_on->request});
    } else {
      review.unclear(rule, "the client was told that its session is gone, and gave up",
                     {gone->response});
    }
  }

 private:
  bool ends_with(const Json& message) const override {
    return harness::text_member(message, "method") == "tools/list";
  }
};

const ClientScenarioRegistration kSessionExpired(
    {.name = "session-expired",
     .task = "lists the tools, finds its session gone, and begins another one",
     .requirements = {"http.session-404-new-session"},
     .make = make_play<SessionExpiredPlay>,
     .transports = {harness::TransportKind::kHttp},
     .may_fail = true});

// The session is gone when the client asks for the second page.
class CursorPlay : public GonePlay {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list")) return;
    if (!member(visit.message().params(), "cursor").is_null()) {
      visit.refuse(wire::kInvalidParams, "no such cursor");
    }
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    list_only({hosted_tool("tool_of_page_1", "One of many")}, result);
    if (!was_listed_) result["nextCursor"] = kFirstCursor;
    was_listed_ = true;
  }

  void review(Review& review) override {
    const catalogue::RequirementId rule("pagination.cursor-not-kept-across-sessions");
    const std::vector<Passage> all = passages(review);
    const auto gone = std::find_if(all.begin(), all.end(), [](const Passage& passage) {
      return passage.status() == kGone && passage.posts("tools/list");
    });
    if (gone == all.end()) {
      review.not_exercised(rule, "the client read the first page only");
      return;
    }
    for (const Passage& passage : all) {
      const bool is_listing = passage.posts("tools/list") && passage.session_id() &&
                              passage.session_id() != gone->session_id();
      if (!is_listing || passage.request->at <= gone->response->at) continue;
      const Json& cursor = member(passage.message()->params(), "cursor");
      review.check(rule, cursor != kFirstCursor,
                   "the client asks a new session for a page by a cursor of the old one",
                   {gone->request, gone->response, passage.request}, "/params/cursor");
    }
  }

 private:
  bool ends_with(const Json& message) const override {
    return harness::text_member(message, "method") == "tools/list" &&
           !member(member(message, "params"), "cursor").is_null();
  }

  bool was_listed_ = false;
};

const ClientScenarioRegistration kCursor(
    {.name = "session-expired-in-list",
     .task = "lists the tools, finds its session gone at the second page, and lists them anew",
     .requirements = {"pagination.cursor-not-kept-across-sessions"},
     .make = make_play<CursorPlay>,
     .transports = {harness::TransportKind::kHttp},
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
