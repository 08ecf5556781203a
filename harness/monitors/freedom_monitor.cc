// Notes what a target makes use of where it may but need not: nothing here can be broken.
//
// Specification: the MAYs of basic, basic/utilities/progress, server/tools, server/resources,
// server/utilities/logging and client/elicitation that traffic shows.
#include <algorithm>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

class FreedomMonitor : public Monitor {
 public:
  std::string_view name() const override { return "freedom_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"elicitation.mode-omitted-for-form",
            "elicitation.completion-notified",
            "elicitation.required-error-allowed",
            "json-schema.dialect-declared",
            "jsonrpc.batch-send",
            "jsonrpc.result-any-object",
            "logging.default-level-free",
            "progress.server-may-report",
            "prompts.list-may-be-empty",
            "prompts.resource-links-included",
            "resources.list-may-be-empty",
            "resources.several-contents",
            "tools.list-may-be-empty",
            "meta.name-characters",
            "progress.message-optional",
            "progress.notification-content",
            "progress.total-omitted",
            "progress.total-optional",
            "resources.irregular-file-mime-type",
            "tools.resource-links-returned",
            "tools.resources-embedded"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) {
      if (sighting.message.method() == "logging/setLevel") is_level_set_ = true;
      return;
    }
    if (sighting.message.kind() == wire::MessageKind::kBatch) {
      judge.held("jsonrpc.batch-send", sighting.event);
    } else if (sighting.is_notification()) {
      note_notification(sighting, judge);
    } else if (sighting.is_request()) {
      note_request(sighting, session, judge);
    } else if (sighting.is_result()) {
      note_result(sighting, judge);
    } else if (sighting.is_error() &&
               sighting.message.error_code() == wire::kUrlElicitationRequired) {
      judge.held("elicitation.required-error-allowed", sighting.event);
    }
  }

  void on_input(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (sighting.is_from_judged && sighting.is_request()) note_request(sighting, session, judge);
  }

 private:
  void note_notification(const Sighting& sighting, Judge& judge) const {
    const std::string_view method = sighting.message.method();
    const Json& params = sighting.message.params();
    if (method == "notifications/progress") {
      const bool has_total = !member(params, "total").is_null();
      judge.held("progress.notification-content", sighting.event);
      judge.held("progress.server-may-report", sighting.event);
      judge.held(has_total ? RequirementId("progress.total-optional")
                           : RequirementId("progress.total-omitted"),
                 sighting.event);
      if (member(params, "message").is_string()) {
        judge.held("progress.message-optional", sighting.event);
      }
    } else if (method == "notifications/message" && !is_level_set_) {
      judge.held("logging.default-level-free", sighting.event);
    } else if (method == "notifications/elicitation/complete") {
      judge.held("elicitation.completion-notified", sighting.event);
    }
  }

  static void note_request(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const bool is_form_without_mode = sighting.message.method() == "elicitation/create" &&
                                      session.revision().has_url_elicitation() &&
                                      member(sighting.message.params(), "mode").is_null();
    if (is_form_without_mode) judge.held("elicitation.mode-omitted-for-form", sighting.event);
  }

  static void note_result(const Sighting& sighting, Judge& judge) {
    const Json& result = sighting.message.result();
    if (result.is_object()) judge.held("jsonrpc.result-any-object", sighting.event);
    const Json& meta = member(result, "_meta");
    if (meta.is_object()) {
      for (const auto& [key, value] : meta.items()) {
        if (key.find_first_of("-_.") != std::string::npos) {
          judge.held("meta.name-characters", sighting.event);
        }
      }
    }
    note_lists(sighting, result, judge);
    for (const Json& tool : array_member(result, "tools")) {
      if (member(member(tool, "inputSchema"), "$schema").is_string()) {
        judge.held("json-schema.dialect-declared", sighting.event);
      }
    }
    for (const char* key : {"resources", "contents"}) {
      for (const Json& resource : array_member(result, key)) {
        if (text_member(resource, "mimeType").starts_with("inode/")) {
          judge.held("resources.irregular-file-mime-type", sighting.event);
        }
      }
    }
    if (sighting.is_result_of("tools/call")) note_content(sighting, result, judge);
  }

  static void note_lists(const Sighting& sighting, const Json& result, Judge& judge) {
    const auto is_empty = [&](std::string_view method, const char* key) {
      return sighting.is_result_of(method) && member(result, key) == Json::array();
    };
    if (is_empty("tools/list", "tools")) judge.held("tools.list-may-be-empty", sighting.event);
    if (is_empty("prompts/list", "prompts")) {
      judge.held("prompts.list-may-be-empty", sighting.event);
    }
    if (is_empty("resources/list", "resources")) {
      judge.held("resources.list-may-be-empty", sighting.event);
    }
    if (sighting.is_result_of("resources/read") && array_member(result, "contents").size() > 1) {
      judge.held("resources.several-contents", sighting.event);
    }
    if (!sighting.is_result_of("prompts/get")) return;
    for (const Json& message : array_member(result, "messages")) {
      if (text_member(member(message, "content"), "type") == "resource_link") {
        judge.held("prompts.resource-links-included", sighting.event);
      }
    }
  }

  static void note_content(const Sighting& sighting, const Json& result, Judge& judge) {
    for (const Json& block : array_member(result, "content")) {
      const std::string_view type = text_member(block, "type");
      if (type == "resource_link") judge.held("tools.resource-links-returned", sighting.event);
      if (type == "resource") judge.held("tools.resources-embedded", sighting.event);
    }
  }

  bool is_level_set_ = false;
};

const MonitorRegistration<FreedomMonitor> kFreedomMonitorRegistration;

}  // namespace
}  // namespace assay::harness
