// Faults of what guards a requestState, and of errors about capabilities. Specification:
// basic/patterns/mrtr; basic/index, "Per-request protocol fields" (since 2026-07-28).
#include <string>
#include <string_view>

#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

// The last characters of a state are its mark.
constexpr std::size_t kMark = 64;

std::string called(const Json& request) {
  return string_member(member(request, "params"), "name").value_or("");
}

void remember_state(Departure& d, FaultMemory& memory) {
  if (!is_input_required(d) || !d.result().contains("requestState")) return;
  memory.of_server[called(d.request()->json())] = d.result()["requestState"];
}

// Takes a state for the one that was issued where `is_taken` says so of both.
void mend_state(Json& request, const FaultMemory& memory,
                bool (*is_taken)(std::string_view shown, std::string_view issued)) {
  if (!has_meta(request) || !member(request, "params").contains("requestState")) return;
  const Json& issued = member(memory.of_server, called(request).c_str());
  Json& shown = request["params"]["requestState"];
  if (!shown.is_string() || !issued.is_string()) return;
  if (is_taken(shown.get_ref<const std::string&>(), issued.get_ref<const std::string&>())) {
    shown = issued;
  }
}

std::string_view content_of(std::string_view state) {
  return state.substr(0, state.size() < kMark ? 0 : state.size() - kMark);
}

Fault state_fault(std::string_view id, std::string_view description,
                  void (*intake)(Json&, FaultMemory&)) {
  return {
      .id = id,
      .description = description,
      .breaks = {"mrtr.tampered-state-rejected", "mrtr.state-integrity-protected"},
      .may_break = {"mrtr.state-bound-to-request", "mrtr.state-expires", "mrtr.state-distrusted"},
      .intake = intake,
      .recollection = remember_state};
}

std::vector<Fault> guarded_state_faults() {
  return {
      state_fault("state-mark-unread", "Does not look at the mark of a requestState",
                  [](Json& request, FaultMemory& memory) {
                    mend_state(request, memory, [](auto shown, auto issued) {
                      return content_of(shown) == content_of(issued);
                    });
                  }),
      state_fault("state-mark-half-read", "Looks at the first half of a requestState's mark only",
                  [](Json& request, FaultMemory& memory) {
                    mend_state(request, memory, [](auto shown, auto issued) {
                      const std::size_t half = issued.size() - kMark / 2;
                      return shown.size() == issued.size() &&
                             shown.substr(0, half) == issued.substr(0, half);
                    });
                  }),
      state_fault("state-cut-accepted", "Takes a requestState whose end was cut off",
                  [](Json& request, FaultMemory& memory) {
                    mend_state(request, memory, [](auto shown, auto issued) {
                      return shown.size() + kMark > issued.size() && issued.starts_with(shown);
                    });
                  }),
      state_fault("state-beginning-unread", "Does not look at the beginning of a requestState",
                  [](Json& request, FaultMemory& memory) {
                    mend_state(request, memory, [](auto shown, auto issued) {
                      return shown.size() == issued.size() && shown.substr(8) == issued.substr(8);
                    });
                  }),
      state_fault("state-middle-unread", "Looks at both ends of a requestState only",
                  [](Json& request, FaultMemory& memory) {
                    mend_state(request, memory, [](auto shown, auto issued) {
                      const std::size_t third = issued.size() / 3;
                      return shown.size() == issued.size() &&
                             shown.substr(0, third) == issued.substr(0, third) &&
                             shown.substr(2 * third) == issued.substr(2 * third);
                    });
                  }),
  };
}

// The error that lists what the client lacks, with `required` in place of its list.
void list_required(Departure& d, Json required) {
  if (!d.has_error_code(kMissingClientCapability)) return;
  d.json()["error"]["data"]["requiredCapabilities"] = std::move(required);
}

std::vector<Fault> capability_error_faults() {
  return {
      {.id = "missing-capability-of-servers",
       .description = "Lists a capability of servers as the one that the client lacks",
       .breaks = {"meta.missing-capability-error"},
       .may_break = {"meta.missing-capability-400"},
       .departure =
           [](Departure& d) {
             list_required(d, {{"tools", Json::object()}});
           }},
      {.id = "missing-capability-invented",
       .description = "Lists a capability that does not exist as the one that the client lacks",
       .breaks = {"meta.missing-capability-error"},
       .may_break = {"meta.missing-capability-400"},
       .departure =
           [](Departure& d) {
             list_required(d, {{"questions", Json::object()}});
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_state_faults() {
  return of_stateless_era({guarded_state_faults, capability_error_faults});
}

}  // namespace assay::server
