// How an author puts right what breaks a rule: fixes.tsv, one sentence for each rule that can be
// seen broken.
#pragma once

#include <string_view>

namespace assay::catalogue {

// Empty if nothing is known of that requirement.
std::string_view fix_of(std::string_view requirement);

// The same for a breach seen at a request with this method, or at one that was wrong on purpose:
// the line "ID@METHOD" or "ID@!" where there is one.
std::string_view fix_of(std::string_view requirement, std::string_view method, bool is_deliberate);

// Every line "ID<TAB>SENTENCE", as the file has it; "ID@METHOD" and "ID@!" are keys, too.
std::string_view all_fixes();

}  // namespace assay::catalogue
