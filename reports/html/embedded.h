// The files of this folder, embedded at build time by embed.cmake.
#pragma once

#include <string_view>

namespace assay::reports::html {

extern const std::string_view kPageTemplate;
extern const std::string_view kBriefTemplate;
extern const std::string_view kFindingTemplate;
extern const std::string_view kExchangeTemplate;
extern const std::string_view kEventTemplate;
extern const std::string_view kCompareTemplate;
extern const std::string_view kOverviewTemplate;
extern const std::string_view kRuleTemplate;
extern const std::string_view kRulesTemplate;
extern const std::string_view kStyle;
extern const std::string_view kPageScript;
extern const std::string_view kOverviewScript;
extern const std::string_view kInteropTemplate;
extern const std::string_view kInteropScript;

}  // namespace assay::reports::html
