// An independent judge for tests: a JSON Schema document, read by valijson.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "reference/wire/json.h"

namespace assay::model {

class JudgeSchema {
 public:
  // `document` keeps its types in "$defs" or "definitions".
  explicit JudgeSchema(Json document);
  ~JudgeSchema();

  // Whether `value` is a valid `type`. The type must be there.
  bool accepts(const std::string& type, const Json& value);
  // The names of the types, sorted.
  const Json& types() const;

 private:
  struct Parsed;
  std::string keyword_;  // "$defs" or "definitions"
  Json document_;
  std::map<std::string, std::unique_ptr<Parsed>> parsed_;
};

}  // namespace assay::model
