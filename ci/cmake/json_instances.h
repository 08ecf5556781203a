// What the JSON library makes of its templates, in every source anew: here it is promised once for
// all sources (`extern`, in precompiled.h) and made once, in json_instance.cc. What is short enough
// is still inlined.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "json_without_literals.h"

// What reads JSON from one kind of input, with and without a callback.
#define ASSAY_JSON_READER(PREFIX, INPUT)                                                    \
  PREFIX template class nlohmann::detail::lexer<nlohmann::json, INPUT>;                     \
  PREFIX template class nlohmann::detail::parser<nlohmann::json, INPUT>;                    \
  PREFIX template bool nlohmann::detail::parser<nlohmann::json, INPUT>::sax_parse_internal( \
      nlohmann::detail::json_sax_dom_parser<nlohmann::json>*);                              \
  PREFIX template bool nlohmann::detail::parser<nlohmann::json, INPUT>::sax_parse_internal( \
      nlohmann::detail::json_sax_dom_callback_parser<nlohmann::json>*);

// PREFIX: `extern` to promise them, nothing to make them.
#define ASSAY_JSON_INSTANCES(PREFIX)                                                    \
  PREFIX template class nlohmann::basic_json<>;                                         \
  PREFIX template class nlohmann::json_pointer<std::string>;                            \
  PREFIX template class nlohmann::detail::serializer<nlohmann::json>;                   \
  PREFIX template class nlohmann::detail::json_sax_dom_parser<nlohmann::json>;          \
  PREFIX template class nlohmann::detail::json_sax_dom_callback_parser<nlohmann::json>; \
  PREFIX template class std::vector<nlohmann::json>;                                    \
  PREFIX template class std::map<std::string, nlohmann::json, std::less<>>;             \
  ASSAY_JSON_READER(PREFIX, nlohmann::detail::iterator_input_adapter<const char*>)      \
  ASSAY_JSON_READER(PREFIX, nlohmann::detail::iterator_input_adapter<std::string::const_iterator>)
