// Two tools whose names differ in case alone.
//
// Specification: server/tools, "Tool Names"; 2025-11-25 and later.
#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::array<std::string_view, 2> kNames = {"Assay_Reads", "assay_rEADS"};

bool equals_in_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

class ToolNamesPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    if (!equals_in_letters(called_tool(visit.message()), kNames[0])) return;
    visit.answer(text_result(visit.message(), "Nothing was changed"));
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    std::vector<Json> tools;
    for (const std::string_view name : kNames) {
      tools.push_back(hosted_tool(std::string(name), "Reads, and changes nothing"));
      tools.back()["annotations"] = {{"readOnlyHint", true}};
    }
    list_only(tools, result);
  }

  void review(Review& review) override {
    constexpr catalogue::RequirementId kRule = "tools.name-case-sensitive";
    bool was_called = false;
    for (const Said& call : review.requests("tools/call")) {
      const std::string name = called_tool(call.message);
      if (!equals_in_letters(name, kNames[0])) continue;
      was_called = true;
      review.check(kRule, std::find(kNames.begin(), kNames.end(), name) != kNames.end(),
                   "the client called a tool in letters of another case than it was listed in",
                   {call.event}, "/params/name");
    }
    if (!was_called) review.not_exercised(kRule, "the client called neither tool");
  }
};

const ClientScenarioRegistration kToolNames(
    {.name = "names-in-two-cases",
     .task = "lists two tools whose names differ in case alone, and calls both",
     .requirements = {"tools.name-case-sensitive"},
     .make = make_play<ToolNamesPlay>});

}  // namespace
}  // namespace assay::scenarios
