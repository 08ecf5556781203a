// What an HTML form sends, and what stands in the query of a URL: name=value pairs.
//
// The URL standard, "application/x-www-form-urlencoded"; RFC 3986, section 2.1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::wire {

// Names and values without their encoding, in the order they came in; a name may come twice.
using Form = std::vector<std::pair<std::string, std::string>>;

// Of more pairs than this the rest is not read.
inline constexpr std::size_t kMostFormFields = 256;

// A pair without "=" has an empty value; what is encoded badly stays as it is.
Form read_form(std::string_view text);
std::string write_form(const Form& form);
// The first value of that name.
std::optional<std::string> form_value(const Form& form, std::string_view name);

// Everything but letters, digits and "-._~" as %XX.
std::string encode_percent(std::string_view text);
// The same backwards; "+" is a blank.
std::string decode_form_text(std::string_view text);

// The query of a request target or URL, without its "?"; empty if there is none.
std::string_view query_in(std::string_view target);
// The path of a request target or URL, without its query.
std::string_view path_in(std::string_view target);
// The host, with its port, of a URL; empty for a target that is no URL. A client may write a URL
// in place of a path (RFC 9112, "absolute-form"), and then that counts, and not the field Host.
std::string_view authority_in(std::string_view target);

}  // namespace assay::wire
