// Forms whose fields have defaults, and how they come back.
//
// Specification: client/elicitation, "Requested Schema": clients that support defaults fill them in
// before the user sees the form. What the user changes or empties then is nobody's fault.
#pragma once

#include <vector>

#include "harness/host/review.h"
#include "reference/wire/json.h"

namespace assay::scenarios {

// Two forms ask for fields of the same kinds, under other names and in another order: a client that
// fills in no defaults of one kind leaves the same kind empty in both. Two more forms ask for
// choices with titles and for several choices, as some clients may not know those.
enum class DefaultForm { kFirst, kSecond, kFirstChoices, kSecondChoices };
Json default_form_schema(DefaultForm form);

// A form that was accepted.
struct FilledForm {
  DefaultForm form = DefaultForm::kFirst;
  harness::EventPtr asked;
  harness::EventPtr answer;
  Json content;
};

// Judges elicitation.defaults-filled; `pointer` leads to the content.
void review_default_forms(harness::Review& review, const std::vector<FilledForm>& forms,
                          const char* pointer);

}  // namespace assay::scenarios
