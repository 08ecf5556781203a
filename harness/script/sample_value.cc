#include "harness/script/sample_value.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>

#include "harness/script/canary.h"
#include "harness/script/json_member.h"
#include "harness/script/pattern_sample.h"
#include "reference/model/schema_check.h"

namespace assay::harness {
namespace {

// Schemas of strangers may ask for any length; no honest one needs more than these.
constexpr std::size_t kLongestSample = 1024;
constexpr std::size_t kMostSampleItems = 16;
constexpr int kDeepestSample = 8;

std::size_t bounded(const Json& wish, std::size_t least, std::size_t most) {
  if (!wish.is_number_integer() || wish < 0) return least;
  return std::min(std::max(wish.get<std::size_t>(), least), most);
}

// The last word of a name: "startDate" and "start_date" end in "date", and "update" does not. Some
// words are no part of any other.
bool ends_in_word(std::string_view name, std::string_view word) {
  if (name.size() < word.size()) return false;
  const std::string_view end = name.substr(name.size() - word.size());
  const bool is_end = std::equal(end.begin(), end.end(), word.begin(), [](char one, char other) {
    return std::tolower(static_cast<unsigned char>(one)) == other;
  });
  if (!is_end || name.size() == word.size()) return is_end;
  const char before = name[name.size() - word.size() - 1];
  const bool is_own_word = std::isalpha(static_cast<unsigned char>(before)) == 0 ||
                           (std::islower(static_cast<unsigned char>(before)) != 0 &&
                            std::isupper(static_cast<unsigned char>(end.front())) != 0);
  return is_own_word || word == "email" || word == "url" || word == "uri";
}

// What is told of the form of a text by its `format`, or by the name of what holds it.
struct TextForm {
  std::string_view format;
  std::string_view name;  // the last word of the name, in lower case
  std::string_view text;
};
constexpr std::array kTextForms = {
    TextForm{"email", "email", kPersonalAddress},
    TextForm{"uri", "uri", "https://example.com/"},
    TextForm{"url", "url", "https://example.com/"},
    TextForm{"date", "date", "2025-01-31"},
    TextForm{"date-time", "timestamp", "2025-01-31T12:00:00Z"},
    TextForm{"time", "time", "12:00:00Z"},
    TextForm{"duration", "duration", "PT1M"},
    TextForm{"uuid", "uuid", "123e4567-e89b-42d3-a456-426614174000"},
    TextForm{"ipv4", "ip", "127.0.0.1"},
    TextForm{"ipv6", "ipv6", "::1"},
    TextForm{"hostname", "host", "example.com"},
    TextForm{"hostname", "domain", "example.com"},
    TextForm{"json-pointer", "pointer", "/assay"},
    TextForm{"regex", "regex", "assay"},
    TextForm{"", "timezone", "Europe/Berlin"},
    TextForm{"", "city", "Berlin"},
    TextForm{"", "location", "Berlin"},
    TextForm{"", "country", "DE"},
    TextForm{"", "language", "en"},
    TextForm{"", "locale", "en"},
    TextForm{"", "currency", "EUR"},
    TextForm{"", "expression", "1 + 1"},
    TextForm{"", "json", "{}"},
};

// The example that a description gives: what is in quotes behind "e.g." or the like. Empty if it
// gives none.
std::string_view example_in(std::string_view description) {
  constexpr std::size_t kLongestDescription = 2000;
  constexpr std::size_t kNear = 12;  // between the word and the quote
  constexpr std::size_t kLongestExample = 80;
  description = description.substr(0, kLongestDescription);
  for (const std::string_view sign :
       {"e.g.", "E.g.", "for example", "For example", "xample:", "such as"}) {
    const std::size_t at = description.find(sign);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = description.substr(at + sign.size());
    const std::size_t open = rest.find_first_of("\"'`");
    if (open == std::string_view::npos || open > kNear) continue;
    const std::size_t close = rest.find(rest[open], open + 1);
    if (close == std::string_view::npos || close - open - 1 > kLongestExample) continue;
    return rest.substr(open + 1, close - open - 1);
  }
  return "";
}

std::string sample_word(const Json& schema) {
  const std::string word = "assay";
  const std::size_t least = bounded(member(schema, "minLength"), 0, kLongestSample);
  const std::size_t most = bounded(member(schema, "maxLength"), 0, kLongestSample);
  if (member(schema, "maxLength").is_number_integer() && most < word.size()) {
    return word.substr(0, most);
  }
  return least <= word.size() ? word : word + std::string(least - word.size(), 'y');
}

std::string sample_text(const Json& schema, std::string_view name) {
  const auto is_allowed = [&](std::string_view text) {
    return model::check_against_schema(schema, Json(text)).outcome !=
           model::SchemaOutcome::kInvalid;
  };
  const std::string_view example = example_in(text_member(schema, "description"));
  if (!example.empty() && is_allowed(example)) return std::string(example);
  const std::string_view pattern = text_member(schema, "pattern");
  if (!pattern.empty()) {
    const std::size_t least = bounded(member(schema, "minLength"), 0, kLongestSample);
    for (const std::size_t more : {std::size_t{0}, least}) {
      const auto text = pattern_sample(pattern, more);
      if (text && text->size() >= least) return *text;
    }
  }
  const std::string_view format = text_member(schema, "format");
  for (const TextForm& form : kTextForms) {
    const bool is_it = format.empty() ? ends_in_word(name, form.name) : form.format == format;
    if (is_it && is_allowed(form.text)) return std::string(form.text);
  }
  return sample_word(schema);
}

Json sample_number(const Json& schema) {
  for (const char* bound : {"minimum", "maximum"}) {
    if (member(schema, bound).is_number()) return member(schema, bound);
  }
  const Json& above = member(schema, "exclusiveMinimum");
  if (above.is_number_integer() && above < 1'000'000'000) return above.get<std::int64_t>() + 1;
  return 1;
}

// Samples the parts of one schema, whose references lead to places in it.
class Sampler {
 public:
  explicit Sampler(const Json& root) : root_(root) {}

  Json sample(const Json& schema, std::string_view name, int depth) const;
  Json sample_object(const Json& schema, int depth) const;

 private:
  Json sample_array(const Json& schema, int depth) const;
  // The schema that a reference within the root leads to; the schema itself if it is none.
  const Json& resolved(const Json& schema) const;

  const Json& root_;
};

const Json& Sampler::resolved(const Json& schema) const {
  const std::string_view reference = text_member(schema, "$ref");
  for (const std::string_view place : {"$defs", "definitions"}) {
    const std::string prefix = "#/" + std::string(place) + "/";
    if (!reference.starts_with(prefix)) continue;
    const Json& found = member(member(root_, place), reference.substr(prefix.size()));
    if (found.is_object()) return found;
  }
  return schema;
}

Json Sampler::sample_object(const Json& schema, int depth) const {
  Json object = Json::object();
  for (const Json& name : array_member(schema, "required")) {
    if (!name.is_string() || object.size() >= kMostSampleItems) continue;
    const auto& key = name.get_ref<const std::string&>();
    object[key] = sample(member(member(schema, "properties"), key), key, depth + 1);
  }
  return object;
}

Json Sampler::sample_array(const Json& schema, int depth) const {
  const std::size_t count = bounded(member(schema, "minItems"), 1, kMostSampleItems);
  Json array = Json::array();
  const Json& first = array_member(schema, "prefixItems");
  while (array.size() < count) {
    const bool has_own = array.size() < first.size();
    array.push_back(sample(has_own ? first[array.size()] : member(schema, "items"), "", depth + 1));
  }
  return array;
}

std::string_view type_of_schema(const Json& schema) {
  const Json& types = array_member(schema, "type");
  if (!types.empty() && types[0].is_string()) return types[0].get_ref<const std::string&>();
  const std::string_view type = text_member(schema, "type");
  if (!type.empty()) return type;
  if (member(schema, "properties").is_object()) return "object";
  return member(schema, "items").is_null() ? "string" : "array";
}

Json Sampler::sample(const Json& referring, std::string_view name, int depth) const {
  const Json& schema = resolved(referring);
  if (!schema.is_object() || depth > kDeepestSample) return "assay";
  for (const char* given : {"default", "const"}) {
    if (schema.contains(given)) return schema[given];
  }
  for (const char* given : {"enum", "examples"}) {
    if (const Json& choices = array_member(schema, given); !choices.empty()) return choices[0];
  }
  if (schema.contains("example")) return schema["example"];
  for (const char* given : {"oneOf", "anyOf", "allOf"}) {
    const Json& choices = array_member(schema, given);
    if (!choices.empty()) return sample(choices[0], name, depth + 1);
  }
  const std::string_view type = type_of_schema(schema);
  if (type == "boolean") return true;
  if (type == "integer" || type == "number") return sample_number(schema);
  if (type == "array") return sample_array(schema, depth);
  if (type == "object") return sample_object(schema, depth);
  if (type == "null") return nullptr;
  return sample_text(schema, name);
}

}  // namespace

Json sample_value(const Json& schema, std::string_view name) {
  return Sampler(schema).sample(schema, name, 0);
}

std::optional<Json> sample_arguments(const Json& input_schema) {
  const auto is_allowed = [&](const Json& arguments) {
    return model::check_against_schema(input_schema, arguments).outcome !=
           model::SchemaOutcome::kInvalid;
  };
  // An example of all arguments together is better than any guess.
  const Json& examples = array_member(input_schema, "examples");
  if (!examples.empty() && examples[0].is_object() && is_allowed(examples[0])) return examples[0];
  Json arguments = Sampler(input_schema).sample_object(input_schema, 0);
  if (!is_allowed(arguments)) return std::nullopt;
  return arguments;
}

}  // namespace assay::harness
