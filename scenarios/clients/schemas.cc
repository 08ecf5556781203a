// What a client makes of the schemas that tools have.
//
// Specification: basic, "JSON Schema Usage", since 2025-11-25.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kShown = "json_schema_2020_12_tool";
constexpr const char* kEcho = "json_schema_echo";
constexpr const char* kDialect = "https://json-schema.org/draft/2020-12/schema";

// Keywords of each kind: a dialect, definitions with an anchor, composition, conditions.
Json rich_schema() {
  const Json text = {{"type", "string"}};
  const Json has_email = {{"required", {"email"}}};
  const Json has_phone = {{"required", {"phone"}}};
  return {{"$schema", kDialect},
          {"type", "object"},
          {"$defs",
           {{"address",
             {{"$anchor", "address"}, {"type", "object"}, {"properties", {{"city", text}}}}}}},
          {"properties",
           {{"name", text},
            {"email", text},
            {"phone", text},
            {"address", {{"$ref", "#/$defs/address"}}},
            {"pair", {{"type", "array"}, {"prefixItems", {text, {{"type", "integer"}}}}}}}},
          {"dependentRequired", {{"phone", {"name"}}}},
          {"allOf", {{{"anyOf", {has_email, has_phone}}}}},
          {"if", {{"required", {"phone"}}}},
          {"then", {{"required", {"name"}}}},
          {"else", {{"required", {"email"}}}},
          {"additionalProperties", false}};
}

// A client may call the tool with any other schema, or an empty one: then it passes none on.
bool is_of_the_tool(const Json& schema) {
  if (!schema.is_object()) return false;
  const Json shown = rich_schema();
  return std::any_of(schema.items().begin(), schema.items().end(), [&](const auto& each) {
    return each.key() != "type" && shown.contains(each.key());
  });
}

class PreservationPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (visit.is_request("tools/call")) visit.answer(text_result(visit.message(), "Taken"));
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    const Json echo = {{"type", "object"},
                       {"properties", {{"schema", {{"type", "object"}}}}},
                       {"required", {"schema"}}};
    list_only({hosted_tool(kShown, "Has a schema with the keywords of 2020-12", rich_schema()),
               hosted_tool(kEcho, "Takes the inputSchema of that tool as it was listed", echo)},
              result);
  }

  void review(Review& review) override {
    for (const Said& call : review.requests("tools/call")) {
      if (called_tool(call.message) != kEcho) continue;
      const Json& schema = member(member(call.message.params(), "arguments"), "schema");
      if (!is_of_the_tool(schema)) continue;
      const Json changes = Json::diff(rich_schema(), schema);
      review.check("json-schema.2020-12-supported", changes.empty(),
                   changes.empty()
                       ? ""
                       : fmt::format("the client changed a schema that it passes on, at "
                                     "{}",
                                     changes[0]["path"].get<std::string>()),
                   {call.event}, "/params/arguments/schema");
    }
  }
};

const ClientScenarioRegistration kPreservation(
    {.name = "json-schema-2020-12-preservation",
     .task = "lists the tools and calls json_schema_echo with the inputSchema that "
             "json_schema_2020_12_tool has, as schema",
     .requirements = {"json-schema.2020-12-supported"},
     .make = make_play<PreservationPlay>});

// A reference into the network leads to where nobody is to look.
class NetworkReferencePlay : public Play {
 public:
  bool sets_trap() const override { return true; }
  void on_message(Visit& visit) override { origin_ = visit.trap(); }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    const Json schema = {{"$schema", kDialect},
                         {"type", "object"},
                         {"$defs", {{"userId", {{"type", "string"}}}}},
                         {"properties",
                          {{"id", {{"$ref", "#/$defs/userId"}}},
                           {"profile", {{"$ref", origin_ + std::string(kPath)}}}}},
                         {"required", {"id"}}};
    list_only({hosted_tool("lookup_user", "Looks a user up", schema)}, result);
  }
  void review(Review& review) override {
    const auto lists = review.requests("tools/list");
    const auto listed = lists.empty() ? std::nullopt : review.reply_to(lists.front());
    if (!listed) return;
    const auto& hits = review.hits();
    const bool was_fetched = std::any_of(hits.begin(), hits.end(), [](const std::string& hit) {
      return hit.find(kPath) != std::string::npos;
    });
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("json-schema.no-network-references"),
          catalogue::RequirementId("json-schema.references-off-by-default"),
          catalogue::RequirementId("tools.ref-resolution-safe")}) {
      review.check(
          rule, !was_fetched,
          fmt::format("the client fetched {}, to which a $ref in the schema of a tool leads",
                      kPath),
          {listed->event}, "/result/tools/0/inputSchema");
    }
  }

 private:
  static constexpr std::string_view kPath = "/canary/profile-schema.json";

  std::string origin_;
};

const ClientScenarioRegistration kNetworkReference(
    {.name = "json-schema-ref-no-deref",
     .task = "lists the tools",
     .requirements = {"json-schema.no-network-references", "json-schema.references-off-by-default",
                      "tools.ref-resolution-safe"},
     .make = make_play<NetworkReferencePlay>});

}  // namespace
}  // namespace assay::scenarios
