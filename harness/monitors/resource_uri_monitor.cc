// Judges the URIs under which resources are offered, and the resources that tools embed.
//
// Specification: server/resources, "Custom URI Schemes"; server/tools, "Embedded Resources".
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/task_sightings.h"
#include "harness/script/json_member.h"
#include "reference/model/formats.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Format;

// A scheme that the specification does not define itself.
bool is_custom(std::string_view uri) {
  for (const std::string_view known : {"https://", "http://", "file://", "git://"}) {
    if (uri.starts_with(known)) return false;
  }
  return true;
}

class ResourceUriMonitor : public Monitor {
 public:
  std::string_view name() const override { return "resource_uri_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"resources.custom-scheme-rfc3986", "tools.embedding-declares-resources"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) return;
    if (sighting.is_result_of("resources/list")) {
      judge_uris(sighting, "resources", judge);
    } else if (sighting.is_result_of("resources/read")) {
      judge_uris(sighting, "contents", judge);
    }
    origins_.note(sighting);
    const wire::Message* origin = origins_.find(sighting);
    const bool is_of_tool = sighting.is_result_of("tools/call") ||
                            (origin != nullptr && origin->method() == "tools/call");
    if (is_of_tool && !session.server().is_null()) {
      for (const Json& block : array_member(sighting.message.result(), "content")) {
        if (member(block, "type") != "resource") continue;
        judge.check("tools.embedding-declares-resources", session.server_declares("resources"),
                    "a tool embeds a resource, but the server does not declare resources",
                    sighting.event, "/result/content");
      }
    }
  }

 private:
  static void judge_uris(const Sighting& sighting, std::string_view key, Judge& judge) {
    const Json& items = array_member(sighting.message.result(), key);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Json& uri = member(items[i], "uri");
      if (!uri.is_string() || !is_custom(text_member(items[i], "uri"))) continue;
      const std::string defect = model::format_defect(Format::kUri, text_member(items[i], "uri"));
      judge.check("resources.custom-scheme-rfc3986", defect.empty(),
                  "the URI does not follow RFC 3986: " + defect, sighting.event,
                  fmt::format("/result/{}/{}/uri", key, i));
    }
  }

  TaskOrigins origins_;
};

const MonitorRegistration<ResourceUriMonitor> kResourceUriMonitorRegistration;

}  // namespace
}  // namespace assay::harness
