// What other topics need to know of the resources.
#pragma once

#include <string_view>

namespace assay::server {

// True for the URI template of a resource template that the server lists.
bool is_template(std::string_view uri_template);

}  // namespace assay::server
