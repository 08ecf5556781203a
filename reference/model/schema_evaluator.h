// Evaluates a schema on a value. Internal to model/; schema_check.h is the public face.
//
// Specification: JSON Schema 2020-12 core and validation; 2019-09, draft-07 and draft-06 where they
// differ.
//
// What cannot be known (a reference to another document, a pattern that nobody here understands, a
// bound that is reached) is kMaybe where it stands, and so only decides where the rest of the
// schema does not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reference/model/pattern.h"
#include "reference/model/schema_document.h"
#include "reference/model/schema_values.h"
#include "reference/model/validate.h"
#include "reference/model/validator.h"
#include "reference/wire/json.h"

namespace assay::model {

// Which members or items of a value schemas have evaluated, for those that ask what is left.
// Members count in the order in which nlohmann keeps them.
class EvaluatedParts {
 public:
  Truth at(std::size_t index) const { return index < parts_.size() ? parts_[index] : Truth::kNo; }
  void add(std::size_t index, Truth how, std::size_t size);
  void add_each(Truth how, std::size_t size);
  // What another schema has evaluated, of which only `most` is certain.
  void add_all(const EvaluatedParts& others, Truth most);

 private:
  std::vector<Truth> parts_;
};

class SchemaEvaluator {
 public:
  explicit SchemaEvaluator(const SchemaDocument& document);

  Truth evaluate(const Json& value);

  // Of a value that does not conform.
  Deviations& deviations() { return deviations_; }
  // What was met first that could not be known, as a phrase.
  const std::string& reason() const { return reason_; }

 private:
  // Where a keyword is applied.
  struct Place {
    const SchemaNode& node;
    const Json& value;
    const Path& path;
    EvaluatedParts* evaluated;  // null if nobody asks
  };

  // A part of the schema, on this value or on a part of it.
  Truth apply(const Json& schema, const Json& value, const Path& path, EvaluatedParts* evaluated);
  Truth apply(const SchemaNode& node, const Json& value, const Path& path,
              EvaluatedParts* evaluated);
  Truth apply_parts(const SchemaNode& node, const Json& value, const Path& path,
                    EvaluatedParts* evaluated);
  // Without a word about what is wrong.
  Truth try_out(const Json& schema, const Json& value, const Path& path, EvaluatedParts* evaluated);
  // If it is not certain that the schema applies at all.
  Truth apply_perhaps(const Json& schema, const Json& value, const Path& path,
                      EvaluatedParts* evaluated);

  Truth apply_keyword(const Place& place, const SchemaPart& part);

  // In schema_applicators.cc: what applies schemas to the value itself.
  Truth follow(const Place& place, const SchemaPart& part);
  const SchemaNode* dynamic_target(const SchemaPart& part) const;
  Truth all_of(const Place& place, const Json& schemas);
  Truth any_of(const Place& place, const Json& schemas);
  Truth one_of(const Place& place, const Json& schemas);
  Truth not_it(const Place& place, const Json& schema);
  Truth if_then(const Place& place, const Json& condition);
  Truth dependencies(const Place& place, const SchemaPart& part);
  Truth needed_beside(const Place& place, const std::string& name, const Json& needed);
  Truth perhaps_needed_beside(const Place& place, const std::string& name, const Json& needed);

  // In schema_parts.cc: what looks at members and items.
  Truth required(const Place& place, const Json& names);
  Truth properties(const Place& place, const Json& schemas);
  Truth pattern_properties(const Place& place, const Json& schemas);
  Truth additional_properties(const Place& place, const Json& schema);
  Truth property_names(const Place& place, const Json& schema);
  Truth unevaluated_properties(const Place& place, const Json& schema);
  Truth prefix_items(const Place& place, const Json& schemas);
  Truth items(const Place& place, const Json& schema);
  Truth items_from(const Place& place, const Json& schema, std::size_t first);
  Truth contains(const Place& place, const Json& schema);
  Truth unevaluated_items(const Place& place, const Json& schema);
  Truth apply_to_part(const Place& place, const Json& schema, const Json& part, const Path& path,
                      std::size_t index, Truth applies);
  Truth matches(const std::string& pattern, std::string_view text);

  // In schema_assertions.cc: what only looks at the value.
  Truth assert_it(const Place& place, const SchemaPart& part);
  Truth type(const Place& place, const Json& types);
  Truth one_of_values(const Place& place, const Json& values);
  Truth constant(const Place& place, const Json& value);
  Truth number_limit(const Place& place, const SchemaPart& part);
  Truth size_limit(const Place& place, const SchemaPart& part);
  Truth pattern(const Place& place, const std::string& pattern);
  Truth unique_items(const Place& place);

  Truth unclear(std::string_view reason);
  // Of a whole schema: it may have evaluated anything.
  Truth unclear_schema(std::string_view reason, const Json& value, EvaluatedParts* evaluated);
  Truth too_long();
  // `truth`, after a word about it if it is kNo.
  Truth tell(Truth truth, const Path& path, std::string_view expected, const Json& value);
  void report(const Path& path, std::string expected, std::string found);

  const SchemaDocument& document_;
  StepBudget steps_;
  std::size_t pattern_steps_;
  std::size_t depth_ = 0;
  std::size_t quiet_ = 0;           // levels of trying out
  std::vector<std::size_t> scope_;  // resources, from the outermost to the one we are in
  std::unordered_map<const std::string*, Pattern> patterns_;
  Deviations deviations_;
  std::string reason_;
};

}  // namespace assay::model
