// Judges the x-mcp-header annotations in the schemas that tools/list shows.
//
// Specification of 2026-07-28: server/tools, "x-mcp-header"; basic/transports/streamable-http,
// "Schema Extension".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/secret_names.h"
#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

constexpr const char* kAnnotation = "x-mcp-header";
constexpr double kLargestSafe = 9007199254740991.0;  // 2^53 - 1

// Keywords that hold subschemas, besides `properties`, by which alone a parameter can be reached.
enum class Shape : std::uint8_t { kOne, kList, kMap };
struct Keyword {
  const char* name;
  Shape shape;
  bool is_barred;  // an array, composition or conditional keyword, which the text names
};
constexpr std::array kKeywords = {
    Keyword{"items", Shape::kOne, true},
    Keyword{"items", Shape::kList, true},
    Keyword{"prefixItems", Shape::kList, true},
    Keyword{"additionalItems", Shape::kOne, true},
    Keyword{"unevaluatedItems", Shape::kOne, true},
    Keyword{"contains", Shape::kOne, true},
    Keyword{"oneOf", Shape::kList, true},
    Keyword{"anyOf", Shape::kList, true},
    Keyword{"allOf", Shape::kList, true},
    Keyword{"not", Shape::kOne, true},
    Keyword{"if", Shape::kOne, true},
    Keyword{"then", Shape::kOne, true},
    Keyword{"else", Shape::kOne, true},
    Keyword{"$defs", Shape::kMap, false},
    Keyword{"definitions", Shape::kMap, false},
    Keyword{"additionalProperties", Shape::kOne, false},
    Keyword{"unevaluatedProperties", Shape::kOne, false},
    Keyword{"propertyNames", Shape::kOne, false},
    Keyword{"patternProperties", Shape::kMap, false},
    Keyword{"dependentSchemas", Shape::kMap, false},
};

// Where a subschema stands.
struct Place {
  std::string pointer;
  std::string name;          // of the property; empty where it is none
  bool is_reachable = true;  // by `properties` alone
  bool is_barred = false;    // past a keyword that the text names
};

// An annotation, and what it stands on.
struct Annotation {
  Place place;
  const Json* schema;
};

bool is_token_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Every annotation of a schema. The depth of messages is bounded, and so is that of the walk.
class Walk {
 public:
  explicit Walk(const Json& root) { visit(root, {}); }
  std::vector<Annotation> take() { return std::move(found_); }

 private:
  void visit(const Json& schema, const Place& place) {
    if (!schema.is_object()) return;
    if (schema.contains(kAnnotation)) found_.push_back({place, &schema});
    const Json& properties = member(schema, "properties");
    if (properties.is_object()) {
      for (const auto& [name, property] : properties.items()) {
        Place inner = below(place, "properties", name);
        inner.name = name;
        visit(property, inner);
      }
    }
    for (const Keyword& keyword : kKeywords) visit_keyword(schema, keyword, place);
  }

  void visit_keyword(const Json& schema, const Keyword& keyword, const Place& place) {
    const Json& value = member(schema, keyword.name);
    if (keyword.shape == Shape::kOne) {
      Place inner = past(place, keyword);
      inner.pointer += std::string("/") + keyword.name;
      visit(value, inner);
    } else if (keyword.shape == Shape::kList ? value.is_array() : value.is_object()) {
      for (const auto& [key, each] : value.items()) {
        visit(each, below(past(place, keyword), keyword.name, key));
      }
    }
  }

  static Place past(Place place, const Keyword& keyword) {
    place.name.clear();
    place.is_reachable = false;
    place.is_barred = place.is_barred || keyword.is_barred;
    return place;
  }

  static Place below(Place place, const char* keyword, const std::string& key) {
    place.pointer += (Json::json_pointer(std::string("/") + keyword) / key).to_string();
    return place;
  }

  std::vector<Annotation> found_;
};

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
  bool holds_in(model::Revision revision) const override { return !revision.has_handshake(); }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& /*session*/, Judge& judge) override {
    if (!sighting.is_from_judged || !sighting.is_result_of("tools/list")) return;
    // Cheap first: most lists have none.
    if (sighting.message.bytes().find(kAnnotation) == std::string_view::npos) return;
    const Json& tools = array_member(sighting.message.result(), "tools");
    for (std::size_t i = 0; i < tools.size(); ++i) {
      const std::string root = fmt::format("/result/tools/{}/inputSchema", i);
      std::set<std::string> names;
      for (const Annotation& each : Walk(member(tools[i], "inputSchema")).take()) {
        judge_annotation(each, root + each.place.pointer, names, sighting, judge);
      }
    }
  }

 private:
  static void judge_annotation(const Annotation& annotation, const std::string& pointer,
                               std::set<std::string>& names, const Sighting& sighting,
                               Judge& judge) {
    const EventPtr& event = sighting.event;
    const Json& value = member(*annotation.schema, kAnnotation);
    const std::string at = pointer + "/" + kAnnotation;
    judge.held("tools.header-annotation", event);
    judge_name(value, at, names, event, judge);
    const Place& place = annotation.place;
    judge.check("tools.header-statically-reachable", place.is_reachable && !place.pointer.empty(),
                "x-mcp-header stands where no chain of properties leads", event, at);
    judge.check("tools.header-chain-plain", !place.is_barred,
                "x-mcp-header stands within an array, composition or conditional keyword", event,
                at);
    judge_type(*annotation.schema, pointer, event, judge);
    judge_range(*annotation.schema, pointer, event, judge);
    const bool is_secret =
        names_a_secret(place.name) || names_a_secret(text_member(*annotation.schema, "title"));
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
    judge.check(
        "tools.header-name-token", std::all_of(text.begin(), text.end(), is_token_character),
        "the value of x-mcp-header is no token as names of HTTP header fields are", event, at);
    judge.check("tools.header-name-unique", names.insert(lower(text)).second,
                "another x-mcp-header of the schema has the same value, but for case", event, at);
  }

  // A parameter without a type may still be held to one by other means.
  static void judge_type(const Json& schema, const std::string& pointer, const EventPtr& event,
                         Judge& judge) {
    const Json& type = member(schema, "type");
    if (type.is_null()) return;
    const auto is_primitive = [](const Json& one) {
      return one == "integer" || one == "string" || one == "boolean";
    };
    // null leaves the header out.
    const bool fits =
        type.is_array()
            ? std::all_of(type.begin(), type.end(),
                          [&](const Json& one) { return one == "null" || is_primitive(one); })
            : is_primitive(type);
    judge.check("tools.header-on-primitives", fits,
                "x-mcp-header stands on a parameter that is no integer, string or boolean", event,
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
