// The extension `io.modelcontextprotocol/skills`: skills that are served as resources, a file each.
//
// Specification: the extension's page, "Resource Mapping" to "Reading Directories".
#pragma once

#include <optional>
#include <string_view>

#include "reference/model/extension.h"
#include "reference/server/answer.h"

namespace assay::server {

class Context;

const model::Extension& skills_extension();
// What the server declares of it.
Json skills_settings();
// What resources/read gives of a file of a skill; nothing where the URI names none, or where the
// extension is not offered.
std::optional<Json> skill_file_contents(const Context& context, std::string_view uri);

}  // namespace assay::server
