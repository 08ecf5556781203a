// What our side gives for data of a person, wherever it is asked for some: nobody's, and always the
// same, so that it is known again where it turns up.
#pragma once

#include <string_view>

namespace assay::harness {

// The answer to whatever asks for an e-mail address.
inline constexpr std::string_view kPersonalAddress = "ada@example.com";

}  // namespace assay::harness
