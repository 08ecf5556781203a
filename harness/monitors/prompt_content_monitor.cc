// Judges the media and resources in the messages of prompts.
//
// Specification: server/prompts, "Data Types". That `data` and `blob` are base64 is judged with the
// rest of the form, by the schema monitor.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/model/formats.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Format;

// One of the two names of a media type (RFC 6838, 4.2): it begins with a letter or digit.
bool is_type_name(std::string_view name) {
  constexpr std::size_t kLongest = 127;
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= kLongest && is_alphanumeric(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_alphanumeric(c) || std::string_view("!#$&-^_.+").find(c) != std::string::npos;
         });
}

// Type and subtype; parameters may follow, and blanks ahead of their semicolon.
struct MediaType {
  std::string type;
  std::string subtype;
};
std::optional<MediaType> parse_mime_type(std::string_view text) {
  const std::size_t semicolon = text.find(';');
  std::string_view essence = text.substr(0, semicolon);
  if (semicolon != std::string_view::npos) {
    essence = essence.substr(0, essence.find_last_not_of(" \t") + 1);
  }
  const std::size_t slash = essence.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  MediaType parsed{std::string(essence.substr(0, slash)), std::string(essence.substr(slash + 1))};
  if (!is_type_name(parsed.type) || !is_type_name(parsed.subtype)) return std::nullopt;
  for (std::string* part : {&parsed.type, &parsed.subtype}) {
    std::transform(part->begin(), part->end(), part->begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  return parsed;
}

bool is_any_of(std::string_view type, std::initializer_list<std::string_view> others) {
  return std::find(others.begin(), others.end(), type) != others.end();
}

// Whether data of this type can be an image, or a sound. An application or a video may well hold
// one; only what is certainly another thing is none.
bool can_be_image(const MediaType& mime) {
  return !is_any_of(mime.type, {"audio", "font", "message", "multipart"}) &&
         !(mime.type == "text" && mime.subtype == "plain");
}
bool can_be_audio(const MediaType& mime) {
  return !is_any_of(mime.type, {"text", "image", "font", "message", "multipart", "model"});
}
// Whether what is given as a text can be of this type.
bool can_be_text(const MediaType& mime) {
  return !is_any_of(mime.type, {"audio", "video", "font"});
}

class PromptContentMonitor : public Monitor {
 public:
  std::string_view name() const override { return "prompt_content_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"prompts.image-encoded", "prompts.audio-encoded", "prompts.embedded-uri-valid",
            "prompts.embedded-mime-type", "prompts.embedded-contents"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& /*session*/, Judge& judge) override {
    if (!sighting.is_from_judged || !sighting.is_result_of("prompts/get")) return;
    const Json& messages = array_member(sighting.message.result(), "messages");
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Json& content = member(messages[i], "content");
      const std::string pointer = fmt::format("/result/messages/{}/content", i);
      const std::string_view type = text_member(content, "type");
      if (type == "image") {
        judge_media("prompts.image-encoded", can_be_image, content, sighting, pointer, judge);
      } else if (type == "audio") {
        judge_media("prompts.audio-encoded", can_be_audio, content, sighting, pointer, judge);
      }
      if (type == "resource") {
        judge_resource(member(content, "resource"), sighting, pointer + "/resource", judge);
      }
    }
  }

 private:
  static void judge_media(RequirementId requirement, bool (*fits)(const MediaType&),
                          const Json& content, const Sighting& sighting, const std::string& pointer,
                          Judge& judge) {
    const Json& data = member(content, "data");
    const bool is_encoded =
        data.is_string() && model::has_format(Format::kBase64, text_member(content, "data"));
    if (!is_encoded) {
      judge.broke(requirement, "the data are not base64-encoded", {sighting.event},
                  pointer + "/data");
      return;
    }
    const auto mime = parse_mime_type(text_member(content, "mimeType"));
    judge.check(requirement, mime && fits(*mime),
                mime ? "the MIME type is that of other media" : "the media have no valid MIME type",
                sighting.event, pointer + "/mimeType");
  }

  static void judge_resource(const Json& resource, const Sighting& sighting,
                             const std::string& pointer, Judge& judge) {
    const std::string_view uri = text_member(resource, "uri");
    judge.check("prompts.embedded-uri-valid", model::has_format(Format::kUri, uri),
                "the embedded resource has no valid URI", sighting.event, pointer + "/uri");
    const auto mime = parse_mime_type(text_member(resource, "mimeType"));
    const bool is_unfit = mime && member(resource, "text").is_string() && !can_be_text(*mime);
    judge.check("prompts.embedded-mime-type", mime && !is_unfit,
                is_unfit
                    ? "the embedded resource is a text, but its MIME type is not that of a text"
                    : "the embedded resource has no valid MIME type",
                sighting.event, pointer + "/mimeType");
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
