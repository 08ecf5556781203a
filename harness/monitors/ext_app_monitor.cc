// Judges what a server says of the user interfaces of its tools, and what a client declares of
// them.
//
// Specification: the page of the extension `io.modelcontextprotocol/ui`, "UI Resource Format",
// "Resource Discovery", "Client<>Server Capability Negotiation".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/app_resource.h"
#include "harness/script/json_member.h"
#include "reference/model/validate.h"
#include "reference/wire/base64.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Deviation;

// Of a server with more tools, these are watched.
constexpr std::size_t kMostAppTools = 1'000;

constexpr RequirementId kSchemaOfApps("ext-apps.schema");
constexpr RequirementId kUiScheme("ext-apps.ui-scheme");

// The first thing that is wrong with the form of the value; nothing if nothing is.
std::optional<Deviation> defect_of(model::Revision revision, std::string_view type,
                                   const Json& value) {
  const auto all = model::validate({revision, model::set_of(apps_extension())}, type, value);
  const auto found = std::find_if(all.begin(), all.end(), [](const Deviation& each) {
    return each.strength == model::Strength::kMust;
  });
  if (found == all.end()) return std::nullopt;
  return *found;
}

bool is_whole_result(const Json& result) {
  const Json& type = member(result, "resultType");
  return result.is_object() && (type.is_null() || type == "complete");
}

class ExtAppMonitor : public Monitor {
 public:
  std::string_view name() const override { return "ext_app_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"ext-apps.ui-scheme",        "ext-apps.declared-media-type",
            "ext-apps.content-given",    "ext-apps.resource-media-type",
            "ext-apps.valid-html",       "ext-apps.read-same-uri",
            "ext-apps.schema",           "ext-apps.content-array",
            "ext-apps.flat-resource-uri"};
  }
  std::vector<RequirementId> client_requirements() const override {
    return {"ext-apps.mime-types-declared"};
  }
  bool holds_in(model::Revision revision) const override { return has_apps(revision); }
  bool rests_on_history(RequirementId id) const override {
    return id.text() != kSchemaOfApps.text() && id.text() != kUiScheme.text() &&
           id.text() != "ext-apps.flat-resource-uri" && id.text() != "ext-apps.mime-types-declared";
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) return;
    if (sighting.is_request()) return judge_settings(sighting, session.revision(), judge);
    if (!sighting.is_result() || sighting.exchange == nullptr) return;
    const Json& result = sighting.message.result();
    if (!is_whole_result(result)) return;
    if (sighting.is_result_of("tools/list")) {
      judge_tools(sighting, session.revision(), judge);
    } else if (sighting.is_result_of("resources/list")) {
      judge_resources(sighting, session.revision(), judge);
    } else if (sighting.is_result_of("resources/read")) {
      judge_read(sighting, session.revision(), judge);
    } else if (sighting.is_result_of("tools/call")) {
      judge_call(sighting, judge);
    }
  }

 private:
  static void judge_settings(const Sighting& sighting, model::Revision revision, Judge& judge) {
    if (judge.judged() != Party::kClient) return;
    const Json& params = sighting.message.params();
    const bool is_handshake = revision.has_handshake();
    if (is_handshake && sighting.message.method() != "initialize") return;
    const Json& declared = is_handshake ? member(params, "capabilities")
                                        : member(member(params, "_meta"),
                                                 "io.modelcontextprotocol/clientCapabilities");
    const auto declares = model::declared_extensions(revision, declared);
    if (!declares.contains(model::index_of(apps_extension()))) return;
    const Json& settings = member(member(declared, "extensions"), apps_extension().identifier);
    const auto defect = defect_of(revision, "McpUiClientCapabilities", settings);
    judge.check("ext-apps.mime-types-declared", !defect,
                defect ? "the settings of the extension: " + model::to_text(*defect) : "",
                sighting.event, is_handshake ? "/params/capabilities/extensions" : "/params/_meta");
  }

  static void judge_form(std::string_view type, const Json& value, const std::string& at,
                         model::Revision revision, const EventPtr& event, Judge& judge) {
    const auto defect = defect_of(revision, type, value);
    judge.check(kSchemaOfApps, !defect, defect ? "_meta.ui: " + model::to_text(*defect) : "", event,
                at + "/_meta/ui" + (defect ? defect->pointer : ""));
  }

  void judge_tools(const Sighting& sighting, model::Revision revision, Judge& judge) {
    // What is listed anew replaces what was listed before.
    if (member(sighting.exchange->request.params(), "cursor").is_null()) {
      uris_.clear();
      tools_.clear();
    }
    const Json& tools = array_member(sighting.message.result(), "tools");
    for (std::size_t i = 0; i < tools.size(); ++i) {
      const std::string at = fmt::format("/result/tools/{}", i);
      judge_tool(tools[i], at, revision, sighting.event, judge);
      const std::string_view uri = app_uri(tools[i]);
      if (uri.empty() || tools_.size() == kMostAppTools) continue;
      uris_.emplace(uri);
      tools_[std::string(text_member(tools[i], "name"))] = is_for_model(tools[i]);
    }
  }

  static void judge_tool(const Json& tool, const std::string& at, model::Revision revision,
                         const EventPtr& event, Judge& judge) {
    const Json& meta = member(tool, "_meta");
    const bool is_nested = meta.is_object() && meta.contains("ui");
    const bool is_flat = meta.is_object() && meta.contains(kFlatAppUri);
    if (is_nested) judge_form("McpUiToolMeta", meta["ui"], at, revision, event, judge);
    if (is_flat) {
      judge.check(kSchemaOfApps, member(meta, kFlatAppUri).is_string(),
                  "_meta: ui/resourceUri is not a string", event, at + "/_meta");
    }
    const bool has_nested_uri = member(member(meta, "ui"), "resourceUri").is_string();
    if (has_nested_uri || is_flat) {
      judge.check("ext-apps.flat-resource-uri", has_nested_uri,
                  "the tool names its user interface in the deprecated key ui/resourceUri alone",
                  event, at + "/_meta");
    }
    const bool has_uri = has_nested_uri || member(meta, kFlatAppUri).is_string();
    if (!has_uri) return;
    judge.check(kUiScheme, has_ui_scheme(app_uri(tool)),
                "the URI of the user interface of a tool does not begin with ui://", event,
                at + "/_meta");
  }

  void judge_resources(const Sighting& sighting, model::Revision revision, Judge& judge) const {
    const Json& resources = array_member(sighting.message.result(), "resources");
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const std::string at = fmt::format("/result/resources/{}", i);
      const std::string_view uri = text_member(resources[i], "uri");
      const std::string_view media_type = text_member(resources[i], "mimeType");
      const bool is_named = uris_.contains(uri);
      const bool is_app = is_app_media_type(media_type);
      if (is_app && !uri.empty()) {
        judge.check(kUiScheme, has_ui_scheme(uri),
                    "a user interface is listed under a URI that does not begin with ui://",
                    sighting.event, at + "/uri");
      }
      // Other types are reserved for other user interfaces than those in HTML.
      if (is_named && (media_type.empty() || is_html(media_type))) {
        judge.check("ext-apps.declared-media-type", is_app,
                    "a user interface is listed with another mimeType than "
                    "text/html;profile=mcp-app, or without one",
                    sighting.event, at + "/mimeType");
      }
      const Json& meta = member(resources[i], "_meta");
      const bool has_ui = meta.is_object() && meta.contains("ui");
      if (has_ui && (is_named || is_app)) {
        judge_form("McpUiResourceMeta", meta["ui"], at, revision, sighting.event, judge);
      }
    }
  }

  void judge_read(const Sighting& sighting, model::Revision revision, Judge& judge) const {
    const std::string_view uri = text_member(sighting.exchange->request.params(), "uri");
    if (!uris_.contains(uri)) return;
    const Json& contents = array_member(sighting.message.result(), "contents");
    if (contents.empty()) {
      return judge.broke("ext-apps.content-given", "the user interface has no contents",
                         {sighting.event}, "/result/contents");
    }
    const auto found = std::find_if(contents.begin(), contents.end(), [&](const Json& each) {
      return is_same_app_uri(text_member(each, "uri"), uri);
    });
    judge.check("ext-apps.read-same-uri", found != contents.end(),
                "no contents have the URI of the user interface that was asked for", sighting.event,
                "/result/contents");
    if (found == contents.end()) return;
    const std::string at = fmt::format("/result/contents/{}", found - contents.begin());
    judge.check("ext-apps.resource-media-type", is_app_media_type(text_member(*found, "mimeType")),
                "the mimeType of the user interface is not text/html;profile=mcp-app",
                sighting.event, at + "/mimeType");
    const Json& meta = member(*found, "_meta");
    if (meta.is_object() && meta.contains("ui")) {
      judge_form("McpUiResourceMeta", meta["ui"], at, revision, sighting.event, judge);
    }
    judge_document(*found, at, sighting.event, judge);
  }

  static void judge_document(const Json& contents, const std::string& at, const EventPtr& event,
                             Judge& judge) {
    constexpr RequirementId kGiven("ext-apps.content-given");
    const Json& text = member(contents, "text");
    const Json& blob = member(contents, "blob");
    std::optional<std::string> document;
    if (text.is_string()) {
      document = text.get<std::string>();
    } else if (blob.is_string()) {
      document = wire::decode_base64(blob.get_ref<const std::string&>());
    }
    judge.check(kGiven, document.has_value(),
                blob.is_string() ? "the blob of the user interface is not base64"
                                 : "the user interface has neither a text nor a blob",
                event, at);
    if (!document) return;
    judge.check("ext-apps.valid-html", has_html_doctype(*document),
                "the user interface does not begin with <!DOCTYPE html>, so it is no document of "
                "HTML5",
                event, at + (text.is_string() ? "/text" : "/blob"));
  }

  void judge_call(const Sighting& sighting, Judge& judge) const {
    const Json& result = sighting.message.result();
    const auto tool = tools_.find(text_member(sighting.exchange->request.params(), "name"));
    // A task answers later, and what failed has nothing to show.
    const bool is_told = member(result, "isError") != true && member(result, "task").is_null();
    if (tool == tools_.end() || !tool->second || !is_told) return;
    judge.check("ext-apps.content-array", !array_member(result, "content").empty(),
                "a tool with a user interface returned no content beside it", sighting.event,
                "/result/content");
  }

  std::set<std::string, std::less<>> uris_;         // of user interfaces that tools name
  std::map<std::string, bool, std::less<>> tools_;  // which of them a model may call
};

const MonitorRegistration<ExtAppMonitor> kExtAppMonitorRegistration;

}  // namespace
}  // namespace assay::harness
