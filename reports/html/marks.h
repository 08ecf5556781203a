// How the page shows an outcome: a class of its style, a mark, and words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "reports/findings.h"
#include "reports/result.h"

namespace assay::reports::html {

struct Mark {
  const char* css_class;
  const char* mark;
  std::string words;
};

Mark mark_of(const Verdict& verdict, bool is_strict);

// "MUST", also of a MUST NOT: what the page filters by.
std::string_view strength_word(const Verdict& verdict);

// One cell of the matrix: the weightiest outcome of an area in a run, and how often.
nlohmann::json area_cell(const RunFigures& figures);

}  // namespace assay::reports::html
