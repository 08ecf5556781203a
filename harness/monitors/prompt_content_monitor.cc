// Judges the media and resources in the messages of prompts.
//
// Specification: server/prompts, "Data Types". That `data` and `blob` are base64 is judged with the
// rest of the form, by the schema monitor.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/script/json_member.h"
#include "reference/model/formats.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Format;

// RFC 6838: restricted names around one slash; parameters may follow.
bool is_mime_type(std::string_view text) {
  const std::string_view essence = text.substr(0, text.find(';'));
  const std::size_t slash = essence.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 >= essence.size()) return false;
  return std::all_of(essence.begin(), essence.end(), [&](const char& c) {
    const bool is_alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool is_slash = &c == essence.data() + slash;
    return is_alphanumeric || is_slash ||
           std::string_view("!#$&-^_.+ ").find(c) != std::string_view::npos;
  });
}

class PromptContentMonitor : public Monitor {
 public:
  std::string_view name() const override { return "prompt_content_monitor"; }
  std::vector<RequirementId> requirements() const override {
    return {"prompts.image-encoded", "prompts.audio-encoded", "prompts.embedded-uri-valid",
            "prompts.embedded-mime-type", "prompts.embedded-contents"};
  }

  void on_message(const Sighting& sighting, const SessionView& /*session*/, Judge& judge) override {
    if (!sighting.is_from_target || !sighting.is_result_of("prompts/get")) return;
    const Json& messages = array_member(sighting.message.result(), "messages");
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Json& content = member(messages[i], "content");
      const std::string pointer = fmt::format("/result/messages/{}/content", i);
      const std::string_view type = text_member(content, "type");
      if (type == "image") judge_media("prompts.image-encoded", content, sighting, pointer, judge);
      if (type == "audio") judge_media("prompts.audio-encoded", content, sighting, pointer, judge);
      if (type == "resource") {
        judge_resource(member(content, "resource"), sighting, pointer + "/resource", judge);
      }
    }
  }

 private:
  static void judge_media(RequirementId requirement, const Json& content, const Sighting& sighting,
                          const std::string& pointer, Judge& judge) {
    const Json& data = member(content, "data");
    const bool is_encoded =
        data.is_string() && model::has_format(Format::kBase64, text_member(content, "data"));
    if (!is_encoded) {
      judge.broke(requirement, "the data are not base64-encoded", {sighting.event},
                  pointer + "/data");
      return;
    }
    judge.check(requirement, is_mime_type(text_member(content, "mimeType")),
                "the media have no valid MIME type", sighting.event, pointer + "/mimeType");
  }

  static void judge_resource(const Json& resource, const Sighting& sighting,
                             const std::string& pointer, Judge& judge) {
    const std::string_view uri = text_member(resource, "uri");
    judge.check("prompts.embedded-uri-valid", model::has_format(Format::kUri, uri),
                "the embedded resource has no valid URI", sighting.event, pointer + "/uri");
    judge.check("prompts.embedded-mime-type", is_mime_type(text_member(resource, "mimeType")),
                "the embedded resource has no MIME type", sighting.event, pointer + "/mimeType");
    const Json& blob = member(resource, "blob");
    const bool has_blob =
        blob.is_string() && model::has_format(Format::kBase64, text_member(resource, "blob"));
    judge.check("prompts.embedded-contents", has_blob || member(resource, "text").is_string(),
                "the embedded resource holds neither text nor a base64-encoded blob",
                sighting.event, pointer);
  }
};

const MonitorRegistration<PromptContentMonitor> kPromptContentMonitorRegistration;

}  // namespace
}  // namespace assay::harness
