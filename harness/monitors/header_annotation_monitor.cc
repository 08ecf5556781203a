// Judges the x-mcp-header annotations in the schemas that tools/list shows.
//
// Specification of 2026-07-28: server/tools, "x-mcp-header"; basic/transports/streamable-http,
// "Schema Extension".
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/secret_names.h"
#include "harness/monitors/session_view.h"
#include "harness/script/header_annotations.h"
#include "harness/script/json_member.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

constexpr double kLargestSafe = 9007199254740991.0;  // 2^53 - 1

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

class HeaderAnnotationMonitor : public Monitor {
 public:
  std::string_view name() const override { return "header_annotation_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"tools.header-annotation",   "tools.header-name-not-empty",
            "tools.header-name-token",   "tools.header-name-no-control-characters",
            "tools.header-name-unique",  "tools.header-on-primitives",
            "tools.header-integer-safe", "tools.header-statically-reachable",
            "tools.header-chain-plain",  "tools.header-not-sensitive"};
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& /*session*/, Judge& judge) override {
    if (!sighting.is_from_judged || !sighting.is_result_of("tools/list")) return;
    // Cheap first: most lists have none.
    if (sighting.message.bytes().find(kHeaderAnnotation) == std::string_view::npos) return;
    const Json& tools = array_member(sighting.message.result(), "tools");
    for (std::size_t i = 0; i < tools.size(); ++i) {
      const std::string root = fmt::format("/result/tools/{}/inputSchema", i);
      std::set<std::string> names;
      for (const HeaderAnnotation& each : header_annotations(member(tools[i], "inputSchema"))) {
        judge_annotation(each, root + each.pointer, names, sighting, judge);
      }
    }
  }

 private:
  static void judge_annotation(const HeaderAnnotation& annotation, const std::string& pointer,
                               std::set<std::string>& names, const Sighting& sighting,
                               Judge& judge) {
    const EventPtr& event = sighting.event;
    const Json& value = annotation.value();
    const std::string at = pointer + "/" + kHeaderAnnotation;
    judge.held("tools.header-annotation", event);
    judge_name(value, at, names, event, judge);
    judge.check("tools.header-statically-reachable",
                annotation.is_reachable && !annotation.pointer.empty(),
                "x-mcp-header stands where no chain of properties leads", event, at);
    judge.check("tools.header-chain-plain", !annotation.is_barred,
                "x-mcp-header stands within an array, composition or conditional keyword", event,
                at);
    judge_type(*annotation.schema, pointer, event, judge);
    judge_range(*annotation.schema, pointer, event, judge);
    const bool is_secret = names_a_secret(annotation.property) ||
                           names_a_secret(text_member(*annotation.schema, "title"));
    judge.check("tools.header-not-sensitive", !is_secret,
                "a parameter that holds a secret is marked with x-mcp-header", event, at);
  }

  static void judge_name(const Json& value, const std::string& at, std::set<std::string>& names,
                         const EventPtr& event, Judge& judge) {
    if (!value.is_string()) {
      judge.broke("tools.header-name-token", "the value of x-mcp-header is no string", {event}, at);
      return;
    }
    const auto& text = value.get_ref<const std::string&>();
    judge.check("tools.header-name-not-empty", !text.empty(), "the value of x-mcp-header is empty",
                event, at);
    if (text.empty()) return;
    const bool has_control = std::any_of(text.begin(), text.end(), is_control);
    judge.check("tools.header-name-no-control-characters", !has_control,
                "the value of x-mcp-header holds a control character", event, at);
    judge.check("tools.header-name-token", wire::is_token(text),
                "the value of x-mcp-header is no token as names of HTTP header fields are", event,
                at);
    judge.check("tools.header-name-unique", names.insert(lower_case(text)).second,
                "another x-mcp-header of the schema has the same value, but for case", event, at);
  }

  // A parameter without a type may still be held to one by other means.
  static void judge_type(const Json& schema, const std::string& pointer, const EventPtr& event,
                         Judge& judge) {
    if (member(schema, "type").is_null()) return;
    judge.check("tools.header-on-primitives", has_header_type(schema),
                "x-mcp-header is on a parameter that is not an integer, string or boolean", event,
                pointer + "/type");
  }

  // Values that the schema itself names.
  static void judge_range(const Json& schema, const std::string& pointer, const EventPtr& event,
                          Judge& judge) {
    if (member(schema, "type") != "integer") return;
    const auto judge_value = [&](const Json& value, const std::string& at) {
      if (!value.is_number()) return;
      judge.check("tools.header-integer-safe", std::abs(value.get<double>()) <= kLargestSafe,
                  "a value of a parameter with x-mcp-header lies outside of -2^53+1 to 2^53-1",
                  event, at);
    };
    for (const char* key : {"const", "default"}) {
      judge_value(member(schema, key), pointer + "/" + key);
    }
    const Json& choices = array_member(schema, "enum");
    for (std::size_t i = 0; i < choices.size(); ++i) {
      judge_value(choices[i], fmt::format("{}/enum/{}", pointer, i));
    }
  }
};

const MonitorRegistration<HeaderAnnotationMonitor> kHeaderAnnotationMonitorRegistration;

}  // namespace
}  // namespace assay::harness
