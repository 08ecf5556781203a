// Judges what both sides say in `_meta`, and the identifiers of the extensions that they advertise.
//
// Specification of 2026-07-28: basic/index, "_meta"; basic/versioning, "Extension Negotiation". The
// formats of traces: https://www.w3.org/TR/trace-context/, https://www.w3.org/TR/baggage/.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/meta_key_form.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

// As a key of `_meta`, and always with a prefix.
bool is_extension_identifier(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos || slash == 0) return false;
  const auto labels = labels_of(key.substr(0, slash));
  return std::all_of(labels.begin(), labels.end(), is_label) && is_name(key.substr(slash + 1));
}

bool is_lower_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}
bool is_all_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

// version-traceid-parentid-flags; a later version may go on behind another dash.
bool is_traceparent(std::string_view text) {
  if (text.size() < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  if (!is_lower_hex(version) || !is_lower_hex(trace) || !is_lower_hex(parent)) return false;
  if (!is_lower_hex(text.substr(53, 2)) || version == "ff") return false;
  if (is_all_zero(trace) || is_all_zero(parent)) return false;
  return text.size() == 55 || (version != "00" && text[55] == '-');
}

// Members between commas, each a key and a value; an empty one is let pass.
bool is_list_of_pairs(std::string_view text) {
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view one = text.substr(0, comma);
    one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
    if (!one.empty() && (one.front() == '=' || one.find('=') == std::string_view::npos)) {
      return false;
    }
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

struct TraceField {
  const char* key;
  bool (*fits)(std::string_view);
};
constexpr TraceField kTraceFields[] = {{"traceparent", is_traceparent},
                                       {"tracestate", is_list_of_pairs},
                                       {"baggage", is_list_of_pairs}};

class MetaValueMonitor : public Monitor {
 public:
  std::string_view name() const override { return "meta_value_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"meta.server-info", "meta.trace-context-format", "versioning.extension-identifier"};
  }
  std::vector<RequirementId> client_requirements() const override {
    return {"meta.trace-context-format", "versioning.extension-identifier"};
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || session.revision().has_sessions()) return;
    for (const char* side : {"params", "result"}) {
      judge_trace(member(member(sighting.message.json(), side), "_meta"),
                  fmt::format("/{}/_meta", side), sighting, judge);
    }
    if (sighting.is_request()) {
      const Json::json_pointer place =
          Json::json_pointer("/params/_meta") / "io.modelcontextprotocol/clientCapabilities";
      judge_extensions(member(session.client_capabilities(), "extensions"), place, sighting, judge);
    }
    if (!sighting.is_result()) return;
    note_info(sighting);
    if (!sighting.is_result_of("server/discover")) return;
    const Json& capabilities = member(sighting.message.result(), "capabilities");
    judge_extensions(member(capabilities, "extensions"), Json::json_pointer("/result/capabilities"),
                     sighting, judge);
  }

  // A server may be told not to say who it is. One that says so now and then was not.
  void on_end(const SessionView& /*session*/, Judge& judge) override {
    if (judge.judged() != Party::kServer) return;
    const RequirementId rule("meta.server-info");
    if (told_ && !untold_) {
      judge.held(rule, told_);
    } else if (told_) {
      judge.broke(rule, "this result does not say which server sends it, although another one does",
                  {told_, untold_}, "/result");
    } else if (untold_) {
      judge.unclear(rule,
                    "no result says which server sends it, which the server may be configured for",
                    {untold_});
    }
  }

 private:
  void note_info(const Sighting& sighting) {
    const Json& meta = member(sighting.message.result(), "_meta");
    EventPtr& first =
        member(meta, "io.modelcontextprotocol/serverInfo").is_null() ? untold_ : told_;
    if (!first) first = sighting.event;
  }

  static void judge_trace(const Json& meta, const std::string& pointer, const Sighting& sighting,
                          Judge& judge) {
    if (!meta.is_object()) return;
    for (const TraceField& field : kTraceFields) {
      if (!meta.contains(field.key)) continue;
      const Json& value = member(meta, field.key);
      judge.check("meta.trace-context-format",
                  value.is_string() && field.fits(value.get_ref<const std::string&>()),
                  fmt::format("{} has not the format that W3C gives it", field.key), sighting.event,
                  pointer + "/" + field.key);
    }
  }

  static void judge_extensions(const Json& extensions, const Json::json_pointer& capabilities,
                               const Sighting& sighting, Judge& judge) {
    if (!extensions.is_object()) return;
    for (const auto& [key, settings] : extensions.items()) {
      judge.check("versioning.extension-identifier", is_extension_identifier(key),
                  "the identifier of an extension is no key of _meta with a prefix", sighting.event,
                  (capabilities / "extensions" / key).to_string());
    }
  }

  EventPtr told_;    // the first result that names the server
  EventPtr untold_;  // the first that does not
};

const MonitorRegistration<MetaValueMonitor> kMetaValueMonitorRegistration;

}  // namespace
}  // namespace assay::harness
