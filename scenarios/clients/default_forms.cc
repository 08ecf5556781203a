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

std::vector<DefaultField> first_fields() {
  return {{"name", "text", {{"type", "string"}, {"default", "John Doe"}}},
          {"age", "integer", {{"type", "integer"}, {"default", 30}}},
          {"score", "number", {{"type", "number"}, {"default", 95.5}}},
          {"status",
           "choice",
           {{"type", "string"}, {"enum", {"active", "inactive"}}, {"default", "active"}}},
          {"verified", "boolean", {{"type", "boolean"}, {"default", true}}}};
}
std::vector<DefaultField> second_fields() {
  return {{"agrees", "boolean", {{"type", "boolean"}, {"default", true}}},
          {"building",
           "choice",
           {{"type", "string"}, {"enum", {"house", "tower"}}, {"default", "tower"}}},
          {"city", "text", {{"type", "string"}, {"default", "Paris"}}},
          {"distance", "number", {{"type", "number"}, {"default", 2.5}}},
          {"floors", "integer", {{"type", "integer"}, {"default", 7}}}};
}

Json titled(const char* value, const char* title) {
  return {{"const", value}, {"title", title}};
}
// Of several choices.
Json list_of(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", 1}};
}
Json with_default(Json schema, Json value) {
  schema["default"] = std::move(value);
  return schema;
}

// Of each kind one form has a field without a default: a client that fills it in knows the kind.
std::vector<DefaultField> first_choices() {
  const Json colour = {{"type", "string"},
                       {"oneOf", {titled("#f00", "Red"), titled("#0f0", "Green")}}};
  const Json days = list_of({{"type", "string"}, {"enum", {"Mon", "Tue", "Wed"}}});
  const Json shades = list_of({{"anyOf", {titled("dark", "Dark"), titled("light", "Light")}}});
  return {{"background", "titled choice", colour},
          {"colour", "titled choice", with_default(colour, "#0f0")},
          {"days", "choices", with_default(days, Json::array({"Mon", "Wed"}))},
          {"free_days", "choices", days},
          {"note", "text", {{"type", "string"}, {"default", "As usual"}}},
          {"shades", "titled choices", with_default(shades, Json::array({"dark", "light"}))}};
}
std::vector<DefaultField> second_choices() {
  const Json meals = list_of({{"type", "string"}, {"enum", {"lunch", "tea", "dinner"}}});
  const Json sizes = list_of({{"anyOf", {titled("s", "Small"), titled("l", "Large")}}});
  const Json style = {{"type", "string"}, {"oneOf", {titled("a", "Plain"), titled("b", "Fine")}}};
  return {{"fits", "titled choices", with_default(sizes, Json::array({"s", "l"}))},
          {"meals", "choices", with_default(meals, Json::array({"lunch", "tea"}))},
          {"remark", "text", {{"type", "string"}, {"default", "None"}}},
          {"sizes", "titled choices", sizes},
          {"style", "titled choice", with_default(style, "b")}};
}

std::vector<DefaultField> fields_of(DefaultForm form) {
  switch (form) {
    case DefaultForm::kFirst:
      return first_fields();
    case DefaultForm::kSecond:
      return second_fields();
    case DefaultForm::kFirstChoices:
      return first_choices();
    case DefaultForm::kSecondChoices:
      return second_choices();
  }
  return {};
}

bool has_default(const DefaultField& field) {
  return field.schema.contains("default");
}

bool has_choices(const FilledForm& form) {
  return form.form == DefaultForm::kFirstChoices || form.form == DefaultForm::kSecondChoices;
}

// What became of the fields of one form.
struct Outcome {
  std::set<std::string> known;  // the kinds of the fields without a default that came back
  std::set<std::string> empty;  // those of the fields with one that did not
  bool is_untouched = true;     // what came back has its default, in whatever order
  bool is_all_empty = true;
};

// Choices are a set.
Json in_order(Json value) {
  if (value.is_array()) std::sort(value.begin(), value.end());
  return value;
}

Outcome outcome_of(const FilledForm& filled) {
  Outcome out;
  for (const DefaultField& field : fields_of(filled.form)) {
    const bool is_there = filled.content.is_object() && filled.content.contains(field.name);
    if (!has_default(field)) {
      if (is_there) out.known.insert(field.kind);
      continue;
    }
    if (!is_there) {
      out.empty.insert(field.kind);
      continue;
    }
    out.is_all_empty = false;
    const Json given = in_order(filled.content.at(field.name));
    out.is_untouched = out.is_untouched && given == in_order(field.schema.at("default"));
  }
  return out;
}

// A client need not know choices of every kind.
bool knows_all(const std::vector<Outcome>& outcomes) {
  std::set<std::string> known;
  for (const Outcome& each : outcomes) known.insert(each.known.begin(), each.known.end());
  const auto& empty = outcomes.front().empty;
  return std::includes(known.begin(), known.end(), empty.begin(), empty.end());
}

// Of one pair of forms.
void review_pair(harness::Review& review, const std::vector<FilledForm>& forms,
                 const char* pointer) {
  if (forms.empty()) return;
  std::vector<Outcome> outcomes;
  for (const FilledForm& each : forms) outcomes.push_back(outcome_of(each));
  const auto all = [&](auto has) { return std::all_of(outcomes.begin(), outcomes.end(), has); };
  const FilledForm& last = forms.back();
  std::vector<harness::EventPtr> events = {last.asked, last.answer};
  std::erase(events, nullptr);
  // Or the client filled in values of its own, such as 0.
  if (!all([](const Outcome& each) { return each.is_untouched; })) {
    return review.unclear(kDefaultsFilled, "somebody may have changed what the form proposed",
                          events);
  }
  if (all([](const Outcome& each) { return each.empty.empty(); })) {
    return review.held(kDefaultsFilled, last.answer);
  }
  if (all([](const Outcome& each) { return each.is_all_empty; })) {
    return review.not_exercised(
        kDefaultsFilled, "the client filled in none of the defaults, so it may not support them");
  }
  const bool are_both = std::any_of(forms.begin(), forms.end(),
                                    [&](const FilledForm& each) { return each.form != last.form; });
  const bool is_same =
      all([&](const Outcome& each) { return each.empty == outcomes.front().empty; });
  if (!are_both || !is_same || (has_choices(last) && !knows_all(outcomes))) {
    return review.unclear(kDefaultsFilled,
                          "somebody may have emptied a field that has a default, or the "
                          "client may not know its kind",
                          events);
  }
  review.broke(kDefaultsFilled,
               "two forms came back without the fields of one kind, and both proposed defaults for "
               "them",
               events, pointer);
}

}  // namespace

Json default_form_schema(DefaultForm form) {
  Json properties = Json::object();
  Json required = Json::array();
  for (DefaultField& field : fields_of(form)) {
    if (!has_default(field)) required.push_back(field.name);
    properties[field.name] = std::move(field.schema);
  }
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

void review_default_forms(harness::Review& review, const std::vector<FilledForm>& forms,
                          const char* pointer) {
  std::vector<FilledForm> plain;
  std::vector<FilledForm> choices;
  for (const FilledForm& form : forms) (has_choices(form) ? choices : plain).push_back(form);
  review_pair(review, plain, pointer);
  review_pair(review, choices, pointer);
}

}  // namespace assay::scenarios
