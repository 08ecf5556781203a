// The conformance statement that an author can publish: what was tested, by what, with which
// outcome.
#pragma once

#include <string>

#include "reports/result.h"

namespace assay::reports {

// Schema "mcp-assay-statement/1". The digest is that of the JSON report as render_json() writes it,
// so that anyone who has the report can check the statement.
std::string render_statement_json(const Result& result);
std::string render_statement_text(const Result& result);

}  // namespace assay::reports
