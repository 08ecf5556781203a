// A client lists tools and calls one, or two at once.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

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
     .make = make_play<ToolsCallPlay>,
     .deeds = {{harness::Act::kListsTools},
               {harness::Act::kCallsTool, "add_numbers", {{"a", 5}, {"b", 3}}}}});

// The first of two calls is answered only when the second has come. What is in use at one time
// shows only then: ids and progress tokens are judged by monitors.
constexpr const char* kMeetsOne = "test_meets_one";
constexpr const char* kMeetsOther = "test_meets_other";
constexpr const char* kMeeting = "assay-meeting";

class CallsAtOncePlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    const std::string tool = called_tool(visit.message());
    if (tool != kMeetsOne && tool != kMeetsOther) return;
    visit.answer(text_result(visit.message(), "The other call has come"));
    if (!waiting_) {
      waiting_ = tool;
      visit.await(kMeeting);
    } else if (*waiting_ != tool) {
      visit.settle(kMeeting);
    }
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    list_only({hosted_tool(kMeetsOne, "Answers once test_meets_other is called"),
               hosted_tool(kMeetsOther, "Answers once test_meets_one is called")},
              result);
  }

 private:
  std::optional<std::string> waiting_;  // the tool that was called first
};

const ClientScenarioRegistration kCallsAtOnce(
    {.name = "two-calls-at-once",
     .task = "calls test_meets_one and test_meets_other at the same time, with progress",
     .requirements = {},
     .make = make_play<CallsAtOncePlay>});

}  // namespace
}  // namespace assay::scenarios
