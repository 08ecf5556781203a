// What tools and resources say of user interfaces: the extension `io.modelcontextprotocol/ui`.
//
// Specification: the extension's page, "UI Resource Format", "Resource Discovery".
#pragma once

#include <string_view>

#include "harness/script/json_member.h"
#include "reference/model/extension.h"

namespace assay::harness {

const model::Extension& apps_extension();
bool has_apps(model::Revision revision);

// The URI of the user interface that a tool names, in `_meta.ui` or in the deprecated flat key;
// empty if it names none.
std::string_view app_uri(const Json& tool);
// The deprecated key of `_meta`.
inline constexpr std::string_view kFlatAppUri = "ui/resourceUri";
// Whether a model may call the tool. What is malformed hides no tool.
bool is_for_model(const Json& tool);
bool has_ui_scheme(std::string_view uri);
// Two spellings of one URI: letters as they are or as %XX, in capitals or not, a slash at the end.
bool is_same_app_uri(std::string_view one, std::string_view other);

// Whether it is HTML; and with the profile, whatever stands beside that.
bool is_html(std::string_view media_type);
bool is_app_media_type(std::string_view media_type);
// Whether the document has the DOCTYPE of HTML, after nothing but comments and blanks.
bool has_html_doctype(std::string_view document);

}  // namespace assay::harness
