// URI references, as schemas name and find each other by.
//
// Specification: RFC 3986, section 5.2; JSON Schema 2020-12 core, section 8.2.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace assay::model {

// `reference` seen from `base`, without its fragment. An empty base, of a document that has no
// name, leaves a relative reference as it is.
std::string resolve_reference(std::string_view base, std::string_view reference);

// The text in front of the first '#', and what is behind it, as it is written.
std::pair<std::string_view, std::string_view> split_fragment(std::string_view reference);

// "%25" as "%". A '%' that begins no escape stays.
std::string percent_decoded(std::string_view text);

}  // namespace assay::model
