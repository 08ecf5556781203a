// How a client can go on with what the server has cancelled. Specification:
// basic/utilities/cancellation, 2024-11-05 to 2025-11-25.
#include <string>
#include <string_view>

#include "reference/client/faults/fault.h"
#include "reference/wire/compose.h"

namespace assay::client {
namespace {

constexpr const char* kGivenUp = "assay-cancelled-question";

bool answers_id(Departure& d, std::string_view id) {
  const bool is_answer = d.json().is_object() && !d.json().contains("method");
  return is_answer && d.json().value("id", Json()) == id;
}

std::string report_of_given_up(int progress) {
  return wire::encode(wire::make_notification(
      "notifications/progress", {{"progressToken", kGivenUp}, {"progress", progress}}));
}

}  // namespace

std::vector<Fault> cancellation_faults() {
  return {
      {.id = "cancelled-question-worked-on",
       .description = "Goes on with what the server has cancelled, and reports its progress",
       .breaks = {"cancellation.stop-processing"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (answers_id(d, kGivenUp)) d.drop();
             if (answers_id(d, "assay-behind-cancellation-3")) d.before(report_of_given_up(1));
             if (answers_id(d, "assay-companion-question")) d.before(report_of_given_up(2));
           }},
  };
}

}  // namespace assay::client
