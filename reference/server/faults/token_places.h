// Faults of a server that looks at tokens in most places: kinds of tokens, by the places where a
// client shows one.
#pragma once

#include <algorithm>
#include <string_view>

#include "reference/model/revision.h"
#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/tokens.h"

namespace assay::server {

// What is shown.
inline bool shows_none(const transport::HttpHead& request) {
  return !credentials_of(request);
}
inline bool shows_unknown(const transport::HttpHead& request) {
  const auto field = credentials_of(request);
  return field && field->starts_with("Bearer ") &&
         std::none_of(kKnownTokens.begin(), kKnownTokens.end(),
                      [&](std::string_view token) { return shows(request, token); });
}
inline bool shows_expired(const transport::HttpHead& request) {
  return shows(request, kExpiredToken);
}
inline bool shows_foreign(const transport::HttpHead& request) {
  return shows(request, kForeignToken);
}

// Where.
template <Literal kMethod>
bool asks(const Json& body, const transport::HttpHead&) {
  return method_of(body) == kMethod.text();
}

// Takes what is shown there for a good token.
template <bool (*kWhere)(const Json&, const transport::HttpHead&),
          bool (*kWhat)(const transport::HttpHead&)>
void let_pass(const Json& body, transport::HttpHead& request) {
  if (kWhere(body, request) && kWhat(request)) take_for(request, kReferenceToken);
}

using Mishears = void (*)(const Json&, transport::HttpHead&);
using Question = model::Revision::Question;

// Faults that let such a token pass somewhere, and what they break.
Fault without_token(std::string_view id, std::string_view description, Mishears how,
                    Question concerns = nullptr);
Fault with_unknown_token(std::string_view id, std::string_view description, Mishears how,
                         Question concerns = nullptr);
Fault with_expired_token(std::string_view id, std::string_view description, Mishears how,
                         Question concerns = nullptr);
Fault with_foreign_token(std::string_view id, std::string_view description, Mishears how,
                         Question concerns = &model::Revision::has_resource_metadata);

}  // namespace assay::server
