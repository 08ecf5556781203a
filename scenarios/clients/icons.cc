// Tools with icons that no client is to fetch.
//
// Specification: basic, "Icons"; 2025-11-25 and later.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kHttpIcon = "/icon-over-http.png";
constexpr std::string_view kSocketIcon = "/icon-over-web-socket.png";

class IconsPlay : public Play {
 public:
  bool sets_trap() const override { return true; }
  void on_message(Visit& visit) override { trap_ = visit.trap(); }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    Json tool = hosted_tool("test_simple_text", "Answers with a text");
    const std::string host = trap_.substr(trap_.find(':'));
    tool["icons"] =
        Json::array({{{"src", trap_ + std::string(kHttpIcon)}, {"mimeType", "image/png"}},
                     {{"src", "ws" + host + std::string(kSocketIcon)}}});
    list_only({tool}, result);
  }

  void review(Review& review) override {
    for (const Said& list : review.requests("tools/list")) {
      const auto reply = review.reply_to(list);
      if (!reply) continue;
      judge(review, "content.icon-https-or-data", *reply, kHttpIcon,
            "an icon was fetched over plain HTTP");
      judge(review, "content.icon-same-origin", *reply, kHttpIcon,
            "an icon was fetched from another origin than the server's");
      judge(review, "content.icon-unsafe-scheme-rejected", *reply, kSocketIcon,
            "an icon was fetched whose URI has the scheme ws");
      judge(review, "content.icon-trusted-domain", *reply, kHttpIcon,
            "an icon was fetched from a server that was not named as trusted");
      return;
    }
  }

 private:
  static void judge(Review& review, RequirementId rule, const Said& reply, std::string_view icon,
                    const char* detail) {
    const auto& hits = review.hits();
    const bool was_fetched = std::any_of(hits.begin(), hits.end(), [&](const std::string& hit) {
      return hit.find(icon) != std::string::npos;
    });
    review.check(rule, !was_fetched, detail, {reply.event}, "/result/tools/0/icons");
  }

  std::string trap_;
};

const ClientScenarioRegistration kIcons(
    {.name = "unsafe-icons",
     .task = "lists a tool with icons that are not to be fetched",
     .requirements = {"content.icon-https-or-data", "content.icon-same-origin",
                      "content.icon-unsafe-scheme-rejected", "content.icon-trusted-domain"},
     .make = make_play<IconsPlay>});

}  // namespace
}  // namespace assay::scenarios
