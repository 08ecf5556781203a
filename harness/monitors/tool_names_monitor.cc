// Judges the names of tools as tools/list shows them.
//
// Specification: server/tools, "Tool Names" (from 2025-11-25).
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

constexpr std::ptrdiff_t kLongestName = 128;

// In UTF-8.
bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

class ToolNamesMonitor : public Monitor {
 public:
  std::string_view name() const override { return "tool_names_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"tools.name-length", "tools.name-characters", "tools.name-without-special-characters",
            "tools.name-unique"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& /*session*/, Judge& judge) override {
    if (!sighting.is_from_judged || !sighting.is_result_of("tools/list")) return;
    begin_page(sighting);
    const Json& tools = array_member(sighting.message.result(), "tools");
    for (std::size_t i = 0; i < tools.size(); ++i) {
      const Json& name = member(tools[i], "name");
      if (!name.is_string()) continue;
      const auto pointer = fmt::format("/result/tools/{}/name", i);
      judge_name(name.get_ref<const std::string&>(), sighting, pointer, judge);
    }
  }

 private:
  // A walk goes on as long as each request names the cursor that the page before gave; what comes
  // out of turn is a page by itself.
  void begin_page(const Sighting& sighting) {
    const Json& cursor = member(sighting.exchange->request.params(), "cursor");
    const bool goes_on = cursor.is_string() && cursor == next_cursor_;
    if (!goes_on) cursors_.clear();
    // A cursor for the second time leads round in a circle, which is another rule's matter.
    const bool is_new = !cursor.is_string() || cursors_.insert(cursor.get<std::string>()).second;
    if (!goes_on || !is_new) seen_.clear();
    next_cursor_ = member(sighting.message.result(), "nextCursor");
  }

  void judge_name(const std::string& name, const Sighting& sighting, const std::string& pointer,
                  Judge& judge) {
    const auto length = std::count_if(name.begin(), name.end(), begins_character);
    judge.check("tools.name-length", length > 0 && length <= kLongestName,
                fmt::format("the name of a tool is {} characters long", length), sighting.event,
                pointer);
    const bool is_all_plain = std::all_of(name.begin(), name.end(), is_plain);
    judge.check("tools.name-characters", is_all_plain,
                "the name of a tool holds a character other than A-Z, a-z, 0-9, '_', '-' and '.'",
                sighting.event, pointer);
    judge.check("tools.name-without-special-characters", is_all_plain,
                "the name of a tool holds a space, a comma or another special character",
                sighting.event, pointer);
    judge.check("tools.name-unique", seen_.insert(name).second,
                "another tool in the list has the same name", sighting.event, pointer);
  }

  std::set<std::string> seen_;     // in the walk under way
  std::set<std::string> cursors_;  // of the walk under way
  Json next_cursor_;               // of its latest page
};

const MonitorRegistration<ToolNamesMonitor> kToolNamesMonitorRegistration;

}  // namespace
}  // namespace assay::harness
