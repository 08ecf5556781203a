// Bytes that are worth asking a parser about: messages of the model, whole and broken, with those
// places changed that parsers are known to differ in. The same seed gives the same cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "reference/model/random.h"

namespace assay::harness {

class CaseMaker {
 public:
  explicit CaseMaker(std::uint64_t seed) : random_(seed) {}

  // The first ones are short and stand for one question each; those that follow mix them. At most a
  // few kilobytes.
  std::string next();

 private:
  std::string message();
  void change(std::string& text);

  model::Random random_;
  std::size_t made_ = 0;
};

}  // namespace assay::harness
