#include "reference/server/content.h"

namespace assay::server {

Json text_content(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

Json image_content() {
  return {{"type", "image"}, {"data", kPngBase64}, {"mimeType", "image/png"}};
}

Json audio_content() {
  return {{"type", "audio"}, {"data", kWavBase64}, {"mimeType", "audio/wav"}};
}

Json embedded_text(std::string_view uri, std::string_view mime_type, std::string_view text) {
  return {{"type", "resource"},
          {"resource", {{"uri", uri}, {"mimeType", mime_type}, {"text", text}}}};
}

Json tool_result(Json content) {
  return {{"content", std::move(content)}};
}

Json tool_text(std::string_view text) {
  return tool_result(Json::array({text_content(text)}));
}

Json tool_error(std::string_view text) {
  Json result = tool_text(text);
  result["isError"] = true;
  return result;
}

Json sample_icons() {
  return Json::array({{{"src", "data:image/png;base64," + std::string(kPngBase64)},
                       {"mimeType", "image/png"},
                       {"sizes", Json::array({"1x1"})}}});
}

}  // namespace assay::server
