// URI templates (RFC 6570) as far as a scenario needs them: what has to be filled in, and the URI
// that comes of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::harness {

// The names of the variables, in order, each once; at most a few dozen.
std::vector<std::string> template_variables(std::string_view uri_template);

// The URI where each variable stands for what `value_of` gives for its name, inserted as it is.
std::string expand_template(std::string_view uri_template,
                            const std::function<std::string(std::string_view name)>& value_of);

// What the variables stand for in this URI, where the template has just one variable and the URI is
// one of its own: the name and the value. Nothing otherwise.
std::optional<std::pair<std::string, std::string>> matched_variable(std::string_view uri_template,
                                                                    std::string_view uri);

// What stands before the first variable; everything if there is none.
std::string_view template_prefix(std::string_view uri_template);

}  // namespace assay::harness
