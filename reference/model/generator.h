// Makes values for the nodes of the compiled tables. Internal to model/; generate.h is the public
// face.
#pragma once

#include <cstddef>
#include <string>

#include "reference/model/compiled.h"
#include "reference/model/random.h"
#include "reference/wire/json.h"

namespace assay::model {

class Generator {
 public:
  Generator(const Compiled& compiled, Random& random) : compiled_(compiled), random_(random) {}

  Json make(NodeIndex index, std::size_t size);

 private:
  Json make_number(const Node& node);
  Json make_array(const Node& node, std::size_t size);
  Json make_object(const Node& node, std::size_t size);
  Json make_union(const Node& node, std::size_t size);
  Json make_any(std::size_t size);
  std::string make_text(std::size_t size);
  std::string make_formatted(Format format);
  std::string make_word();
  std::string make_base64();

  const Compiled& compiled_;
  Random& random_;
};

}  // namespace assay::model
