#include "harness/interop/client_word.h"

#include "reference/wire/json.h"

namespace assay::harness {

std::string client_word(std::string_view act, std::optional<bool> ok, std::string_view why) {
  Json json = {{"act", act}, {"ok", ok ? Json(*ok) : Json()}};
  if (!why.empty()) json["why"] = why;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace assay::harness
