// A server with a tool of the extension `io.modelcontextprotocol/ui`, whose user interface has a
// URI that looks as if it led to a web server.
//
// Specification: the extension's page, "Resource Discovery", "Behavior".
#include <algorithm>
#include <string>
#include <string_view>

#include "harness/script/app_resource.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kAppPath = "/assay-dashboard";
constexpr std::string_view kAppMediaType = "text/html;profile=mcp-app";
constexpr std::string_view kAppPage =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Dashboard</title></head>"
    "<body><p>21.5</p></body></html>\n";

class AppsPlay : public Play {
 public:
  bool sets_trap() const override { return true; }
  void on_message(Visit& visit) override {
    const std::string& trap = visit.trap();
    uri_ = "ui" + trap.substr(trap.find(':')) + std::string(kAppPath);
    const bool is_about_it = text_member(visit.message().params(), "uri") == uri_;
    if (!visit.is_request("resources/read") || !is_about_it) return;
    Json result = {
        {"contents",
         Json::array({{{"uri", uri_}, {"mimeType", kAppMediaType}, {"text", kAppPage}}})}};
    if (visit.revision().has_result_types()) {
      result.update({{"resultType", "complete"}, {"ttlMs", 0}, {"cacheScope", "private"}});
    }
    visit.answer(std::move(result));
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    Json tool = hosted_tool("test_app_dashboard", "Shows the weather on a dashboard");
    tool["_meta"] = {{"ui", {{"resourceUri", uri_}}}};
    list_only({tool}, result);
  }

  void review(Review& review) override {
    constexpr RequirementId kRule = "ext-apps.read-by-resources-read";
    const auto& hits = review.hits();
    const auto hit = std::find_if(hits.begin(), hits.end(), [](const std::string& each) {
      return each.find(kAppPath) != std::string::npos;
    });
    const auto lists = review.requests("tools/list");
    const auto listed = lists.empty() ? std::nullopt : review.reply_to(lists.front());
    if (!listed) return review.not_exercised(kRule, "the client did not list the tools");
    if (hit != hits.end()) {
      return review.broke(kRule, "the client fetched the user interface over HTTP: " + *hit,
                          {listed->event}, "/result/tools/0/_meta/ui/resourceUri");
    }
    const Json& tools = harness::array_member(listed->message.result(), "tools");
    const std::string_view uri = tools.empty() ? "" : harness::app_uri(tools.front());
    for (const Said& read : review.requests("resources/read")) {
      if (text_member(read.message.params(), "uri") == uri) return review.held(kRule, read.event);
    }
    review.not_exercised(kRule, "the client did not fetch the user interface of the tool");
  }

 private:
  std::string uri_;
};

const ClientScenarioRegistration kApps(
    {.name = "apps",
     .task = "lists a tool with a user interface, fetches that, and calls the tool",
     .requirements = {"ext-apps.read-by-resources-read"},
     .make = make_play<AppsPlay>,
     .extension = "apps"});

}  // namespace
}  // namespace assay::scenarios
