// A call is refused for a header field that the list of tools did not ask for when it was read.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Client Behavior".
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kChangingTool = "test_changing_header";
constexpr std::int64_t kHeaderMismatchCode = -32020;

// A client that gives its call up at once may not read the refusal.
constexpr std::chrono::milliseconds kPause{250};

// The tool changes after the first call of it.
class HeaderMismatchPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    const Json& arguments = member(visit.message().params(), "arguments");
    const bool has_value = member(arguments, "region").is_string();
    if (has_changed_ || !has_value || called_tool(visit.message()) != kChangingTool) {
      return visit.answer(text_result(visit.message(), "Done"));
    }
    has_changed_ = true;
    visit.pause(kPause);
    visit.reject(kHeaderMismatchCode, "Header mismatch: Mcp-Param-Region is missing", nullptr);
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    Json region = {{"type", "string"}};
    if (has_changed_) region["x-mcp-header"] = "Region";
    list_only(
        {hosted_tool(
            kChangingTool, "Takes a region",
            {{"type", "object"}, {"properties", {{"region", region}}}, {"required", {"region"}}})},
        result);
    result["ttlMs"] = 0;
  }

  void review(Review& review) override {
    const catalogue::RequirementId rule = "http.header-mismatch-refreshes-tools";
    for (const Said& call : review.requests("tools/call")) {
      const auto refusal = review.reply_to(call);
      if (!refusal || refusal->message.error_code() != kHeaderMismatchCode) continue;
      const auto list = first_after(review.requests("tools/list"), *refusal);
      const auto again = list ? first_after(review.requests("tools/call"), *list) : std::nullopt;
      if (again) {
        review.held(rule, again->event);
      } else {
        review.missed(rule,
                      list ? "the client lists the tools again, and does not repeat its call"
                           : "the client does not list the tools again",
                      {call.event, refusal->event}, {list ? "the call" : "tools/list"});
      }
      return;
    }
  }

 private:
  static std::optional<Said> first_after(const std::vector<Said>& requests, const Said& what) {
    for (const Said& each : requests) {
      if (each.event->at > what.event->at) return each;
    }
    return std::nullopt;
  }

  bool has_changed_ = false;
};

const ClientScenarioRegistration kHeaderMismatch(
    {.name = "header-mismatch",
     .task = "lists the tools, calls test_changing_header with a region, is refused for a header "
             "field, and calls it again as the new list says",
     .requirements = {"http.header-mismatch-refreshes-tools"},
     .make = make_play<HeaderMismatchPlay>,
     .transports = {TransportKind::kHttp},
     .may_fail = true,
     .deeds = {{harness::Act::kCallsTool, kChangingTool, {{"region", "us-west1"}}}}});

}  // namespace
}  // namespace assay::scenarios
