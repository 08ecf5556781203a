// What other topics need to know of the resources.
#pragma once

#include <optional>
#include <string_view>

namespace assay::server {

class Context;

// The variable of a resource template that the server lists; nothing if it lists no such template.
std::optional<std::string_view> variable_of(std::string_view uri_template);

// Whether `uri` names something that can be read.
bool has_resource(const Context& context, std::string_view uri);

}  // namespace assay::server
