// A client lists tools and calls one.
#include <fmt/format.h>

#include <memory>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/runner/client_scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/clients/hosted_tools.h"

namespace assay::scenarios {
namespace {

using harness::ClientScenarioRegistration;
using harness::member;
using harness::Play;
using harness::Visit;

Json adding_tool() {
  return hosted_tool("add_numbers", "Adds two numbers",
                     {{"type", "object"},
                      {"properties", {{"a", {{"type", "number"}}}, {"b", {{"type", "number"}}}}},
                      {"required", {"a", "b"}}});
}

class ToolsCallPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    const wire::Message& call = visit.message();
    if (called_tool(call) != "add_numbers") return;
    const Json& arguments = member(call.params(), "arguments");
    const Json& a = member(arguments, "a");
    const Json& b = member(arguments, "b");
    if (!a.is_number() || !b.is_number()) return visit.refuse(wire::kInvalidParams, "no numbers");
    const double sum = a.get<double>() + b.get<double>();
    visit.answer(text_result(
        call, fmt::format("The sum of {} and {} is {}", a.get<double>(), b.get<double>(), sum)));
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "tools/list") list_only({adding_tool()}, result);
  }
};

const ClientScenarioRegistration kToolsCall(
    {.name = "tools_call",
     .task = "lists the tools and calls add_numbers with a: 5 and b: 3",
     .requirements = {},
     .make = harness::make_play<ToolsCallPlay>,
     .deeds = {{harness::Act::kListsTools},
               {harness::Act::kCallsTool, "add_numbers", {{"a", 5}, {"b", 3}}}}});

}  // namespace
}  // namespace assay::scenarios
