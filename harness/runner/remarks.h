// What a report says of a run beside its verdicts: which tools were called, and which were not
// tried.
#pragma once

#include <string>

#include "harness/script/explorer.h"
#include "harness/script/survey.h"

namespace assay::harness {

// Which tools were called because their words say that they only read (--tools safe); empty where
// there are none.
std::string words_on_tools(const Survey& survey, const ToolPolicy& policy);

// For which tools there was no time, and how much there was; empty where all were tried.
std::string words_on_exploration(const Profile& known, const ExplorerLimits& limits);

}  // namespace assay::harness
