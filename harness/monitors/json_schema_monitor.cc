// Judges the schemas that tools/list shows: valid by their dialect, and of the recommended one.
//
// Specification: basic, "JSON Schema Usage" (from 2025-11-25).
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/model/schema_check.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

bool is_2020_12(const Json& schema) {
  const Json& dialect = member(schema, "$schema");
  if (dialect.is_null()) return true;
  std::string_view text = text_member(schema, "$schema");
  if (text.ends_with('#')) text.remove_suffix(1);
  return text == "https://json-schema.org/draft/2020-12/schema" ||
         text == "http://json-schema.org/draft/2020-12/schema";
}

class JsonSchemaMonitor : public Monitor {
 public:
  std::string_view name() const override { return "json_schema_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"json-schema.valid", "json-schema.2020-12-used"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || !session.revision().has_json_schema_2020_12()) return;
    if (!sighting.is_result_of("tools/list")) return;
    const Json& tools = array_member(sighting.message.result(), "tools");
    for (std::size_t i = 0; i < tools.size(); ++i) {
      for (const char* key : {"inputSchema", "outputSchema"}) {
        const Json& schema = member(tools[i], key);
        if (schema.is_object()) {
          judge_schema(schema, fmt::format("/result/tools/{}/{}", i, key), sighting, judge);
        }
      }
    }
  }

 private:
  static void judge_schema(const Json& schema, const std::string& pointer, const Sighting& sighting,
                           Judge& judge) {
    judge.check("json-schema.2020-12-used", is_2020_12(schema),
                "the schema names a dialect other than JSON Schema 2020-12", sighting.event,
                pointer + "/$schema");
    const model::SchemaVerdict verdict = model::check_schema(schema);
    switch (verdict.outcome) {
      case model::SchemaOutcome::kValid:
        judge.held("json-schema.valid", sighting.event);
        return;
      case model::SchemaOutcome::kInconclusive:
        judge.unclear("json-schema.valid", verdict.reason, {sighting.event});
        return;
      case model::SchemaOutcome::kInvalid:
        judge.broke("json-schema.valid", model::to_text(verdict.deviations.front()),
                    {sighting.event}, pointer + verdict.deviations.front().pointer);
        return;
    }
  }
};

const MonitorRegistration<JsonSchemaMonitor> kJsonSchemaMonitorRegistration;

}  // namespace
}  // namespace assay::harness
