// Renders a page from a template and its data, with style and script inline.
//
// The page's policy allows exactly the embedded style and script by their digests and no request at
// all, so that even text that slipped through the escaping could run nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace assay::reports::html {

// `data` is an object; every string in it is escaped for HTML where the template names it.
// Without a script the page has none, and its policy allows none.
std::string render_page(std::string_view mustache_template, std::string_view script,
                        nlohmann::json data);

}  // namespace assay::reports::html
