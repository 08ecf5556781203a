// Rules about logging in that say no more than that others are to be kept: "MUST follow the
// security requirements". What breaks one of those breaks them, and what keeps it keeps them in
// part.
#pragma once

#include <vector>

#include "harness/catalogue/requirement_id.h"
#include "reference/model/revision.h"

namespace assay::scenarios {

// All of them.
std::vector<catalogue::RequirementId> login_sums();
// The rules, and those of which one of them is a part; each once.
std::vector<catalogue::RequirementId> with_sums(const std::vector<catalogue::RequirementId>& rules,
                                                model::Revision revision);

}  // namespace assay::scenarios
