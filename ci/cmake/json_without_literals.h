// The JSON library, without what costs every source that reads it most. The function behind the
// literal "..."_json parses, and it is no template: so each source makes a parser for it anew,
// whether or not it writes such a literal. We write none. Here the function is declared only, and
// its body becomes that of a template that nobody uses: a unit takes 0.2 s less. Should the text of
// the library change, builds take longer, and nothing else.
#pragma once

#define _json(text, size)    \
  _json(text, size);         \
  template <typename Unused> \
  nlohmann::json unused_literal(text, size)

#include <nlohmann/json.hpp>

#undef _json
