// How an author puts right what breaks a rule: fixes.tsv, one sentence for each rule that can be
// seen broken.
#pragma once

#include <string_view>

namespace assay::catalogue {

// Empty if nothing is known of that requirement.
std::string_view fix_of(std::string_view requirement);

// Every line "ID<TAB>SENTENCE", as the file has it.
std::string_view all_fixes();

}  // namespace assay::catalogue
