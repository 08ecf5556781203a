#include "scenarios/clients/default_forms.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace assay::scenarios {
namespace {

using catalogue::RequirementId;

constexpr RequirementId kDefaultsFilled = "elicitation.defaults-filled";

struct DefaultField {
  const char* name;
  const char* kind;
  Json schema;
};

std::vector<DefaultField> fields_of(DefaultForm form) {
  if (form == DefaultForm::kFirst) {
    return {{"name", "text", {{"type", "string"}, {"default", "John Doe"}}},
            {"age", "integer", {{"type", "integer"}, {"default", 30}}},
            {"score", "number", {{"type", "number"}, {"default", 95.5}}},
            {"status",
             "choice",
             {{"type", "string"}, {"enum", {"active", "inactive"}}, {"default", "active"}}},
            {"verified", "boolean", {{"type", "boolean"}, {"default", true}}}};
  }
  return {{"agrees", "boolean", {{"type", "boolean"}, {"default", true}}},
          {"building",
           "choice",
           {{"type", "string"}, {"enum", {"house", "tower"}}, {"default", "tower"}}},
          {"city", "text", {{"type", "string"}, {"default", "Paris"}}},
          {"distance", "number", {{"type", "number"}, {"default", 2.5}}},
          {"floors", "integer", {{"type", "integer"}, {"default", 7}}}};
}

// What became of the fields of one form.
struct Outcome {
  std::set<std::string> empty;  // the kinds of the fields that did not come back
  bool is_untouched = true;     // what came back has its default
  bool is_all_empty = true;
};

Outcome outcome_of(const FilledForm& filled) {
  Outcome out;
  for (const DefaultField& field : fields_of(filled.form)) {
    const bool is_there = filled.content.is_object() && filled.content.contains(field.name);
    if (!is_there) {
      out.empty.insert(field.kind);
      continue;
    }
    out.is_all_empty = false;
    out.is_untouched =
        out.is_untouched && filled.content.at(field.name) == field.schema.at("default");
  }
  return out;
}

}  // namespace

Json default_form_schema(DefaultForm form) {
  Json properties = Json::object();
  for (DefaultField& field : fields_of(form)) properties[field.name] = std::move(field.schema);
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", Json::array()}};
}

void review_default_forms(harness::Review& review, const std::vector<FilledForm>& forms,
                          const char* pointer) {
  if (forms.empty()) return;
  std::vector<Outcome> outcomes;
  for (const FilledForm& each : forms) outcomes.push_back(outcome_of(each));
  const auto all = [&](auto has) { return std::all_of(outcomes.begin(), outcomes.end(), has); };
  const FilledForm& last = forms.back();
  std::vector<harness::EventPtr> events = {last.asked, last.answer};
  std::erase(events, nullptr);
  if (all([](const Outcome& each) { return each.empty.empty(); })) {
    return review.held(kDefaultsFilled, last.answer);
  }
  if (!all([](const Outcome& each) { return each.is_untouched; })) {
    return review.unclear(kDefaultsFilled, "somebody changed what the form proposed", events);
  }
  if (all([](const Outcome& each) { return each.is_all_empty; })) {
    return review.not_exercised(
        kDefaultsFilled, "the client filled in none of the defaults, so it may not support them");
  }
  const bool are_both = std::any_of(forms.begin(), forms.end(),
                                    [&](const FilledForm& each) { return each.form != last.form; });
  const bool is_same =
      all([&](const Outcome& each) { return each.empty == outcomes.front().empty; });
  if (!are_both || !is_same) {
    return review.unclear(kDefaultsFilled, "somebody may have emptied a field that has a default",
                          events);
  }
  review.broke(kDefaultsFilled,
               "two forms came back without the fields of one kind, and both proposed defaults for "
               "them",
               events, pointer);
}

}  // namespace assay::scenarios
