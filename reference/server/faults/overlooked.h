// Header fields that a server does not look at, in all requests or in those of one method.
#pragma once

#include <string_view>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/tokens.h"
#include "reference/wire/http_text.h"

namespace assay::server {

inline void overlook(transport::HttpHead& request, std::string_view header) {
  std::erase_if(request.headers, [&](const transport::Header& field) {
    return wire::equals_without_case(field.first, header);
  });
}

template <Literal kMethod, Literal kHeader>
void overlook_of(const Json& body, transport::HttpHead& request) {
  if (method_of(body) == kMethod.text()) overlook(request, kHeader.text());
}

// Serves pages of any origin where they ask for that method.
template <Literal kMethod>
Fault unchecked_origin_of(std::string_view id, std::string_view description,
                          model::Revision::Question concerns = nullptr) {
  return {.id = id,
          .description = description,
          .breaks = {"http.origin-validated"},
          .may_break = {"http.origin-invalid-403"},
          .seen_over = SeenOver::kHttpOnly,
          .concerns = concerns,
          .mishears = overlook_of<kMethod, "Origin">};
}

}  // namespace assay::server
