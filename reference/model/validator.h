// Walks a value along the compiled tables. Internal to model/; validate.h is the public face.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reference/model/compiled.h"
#include "reference/model/validate.h"
#include "reference/model/words.h"
#include "reference/wire/json.h"

namespace assay::model {

// Where we are, as a chain of frames on the stack; it becomes text only when something is wrong.
struct Path {
  const Path* parent = nullptr;
  std::string_view key = {};
  std::size_t index = 0;  // counts if key has no data()

  std::string pointer() const;
};

class Validator {
 public:
  // Without `deviations` a check stops at the first thing that is wrong, and advice is skipped.
  Validator(const Compiled& compiled, Deviations* deviations)
      : compiled_(compiled), deviations_(deviations) {}

  // True if nothing of Strength::kMust is wrong with `value`.
  bool check(NodeIndex index, const Json& value, const Path& path);

  void report(const Path& path, std::string expected, std::string found, Rule rule = Rule::kShape,
              Strength strength = Strength::kMust);

 private:
  bool check_string(const Node& node, const Json& value, const Path& path);
  bool check_number(const Node& node, const Json& value, const Path& path);
  bool check_literal(const Node& node, const Json& value, const Path& path);
  bool check_array(const Node& node, const Json& value, const Path& path);
  bool check_object(const Node& node, const Json& value, const Path& path);
  bool check_needs(const Node& node, const Json& value, const Path& path);
  bool check_union(const Node& node, const Json& value, const Path& path);
  bool check_selected(const Node& node, const Json& value, const Path& path);
  bool check_closest(const Node& node, const Json& value, const Path& path);
  bool missing(const CompiledField& field, const Path& path);
  bool fail(const Path& path, const Node& node, std::string (*found)(const Json&),
            const Json& value, Rule rule = Rule::kShape);

  // Nothing more will be said, so that nothing more needs to be looked at once something is wrong.
  bool is_done() const { return deviations_ == nullptr || deviations_->size() >= kMostDeviations; }

  const Compiled& compiled_;
  Deviations* deviations_;
};

// How far `value` is from an alternative, with what is wrong with it: the closest one is reported.
// Alternatives of another JSON type are far, those whose constants differ are farther than others.
std::size_t distance(const Compiled& compiled, NodeIndex alternative, const Json& value,
                     const Deviations& deviations);

// The words that deviations share with mutations, which promise them.
Rule rule_of(Format format);
std::string either_member(const std::vector<std::string>& names);
std::string selector_words(const Node& node);

// The JSON type a node asks for matches that of `value`.
bool has_type_of(const Node& node, const Json& value);

}  // namespace assay::model
