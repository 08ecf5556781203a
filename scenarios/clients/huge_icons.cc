// A tool whose icon is a few kilobytes that say they are an image of four gigapixels.
//
// Specification: basic, "Icons"; 2025-11-25 and later.
#include <memory>
#include <string>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

// The signature of a PNG, a header of 65,535 by 65,535 pixels, and an endless row of nothing.
std::string huge_icon() {
  constexpr std::size_t kBytes = 8192;
  return "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA//8AAP//CAYAAAA" + std::string(kBytes, 'A');
}

class HugeIconPlay : public Play {
 public:
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    Json tool = hosted_tool("test_simple_text", "Answers with a text");
    tool["icons"] = Json::array(
        {{{"src", huge_icon()}, {"mimeType", "image/png"}, {"sizes", {"65535x65535"}}}});
    list_only({tool}, result);
  }

  void review(Review& review) override {
    constexpr catalogue::RequirementId kRule = "content.icon-exhaustion-resisted";
    for (const Said& list : review.requests("tools/list")) {
      const auto reply = review.reply_to(list);
      if (!reply) continue;
      if (!review.crash().empty()) {
        review.crashed(kRule, "the client crashed over the icon of a tool: " + review.crash(),
                       {reply->event});
      } else if (review.went_on_after(*reply)) {
        review.held(kRule, reply->event);
      } else {
        review.unclear(kRule, "the client asked for nothing after the list", {reply->event});
      }
      return;
    }
    review.not_exercised(kRule, "the client did not list the tools");
  }
};

const ClientScenarioRegistration kHugeIcon(
    {.name = "huge-icon",
     .task = "lists a tool whose icon says that it is huge, and calls the tool",
     .requirements = {"content.icon-exhaustion-resisted"},
     .make = make_play<HugeIconPlay>});

}  // namespace
}  // namespace assay::scenarios
