// The extension `io.modelcontextprotocol/ui`: tools with a user interface, which is a resource.
//
// Specification: the extension's page, "UI Resource Format", "Resource Discovery".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "reference/model/extension.h"
#include "reference/wire/json.h"

namespace assay::server {

class Context;

inline constexpr std::string_view kDashboardUri = "ui://assay/dashboard";
inline constexpr std::string_view kChartUri = "ui://assay/chart";

const model::Extension& apps_extension();
// The user interfaces as resources/list has them; none where the extension is not offered.
std::vector<Json> app_resources(const Context& context);
// What resources/read gives of one; nothing where the URI names none, or where the extension is not
// offered.
std::optional<Json> app_contents(const Context& context, std::string_view uri);

}  // namespace assay::server
