#include "harness/transcript/own_exit.h"

#include <fmt/format.h>

#include "reference/transport/signals.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

}  // namespace

std::string own_exit(const Transcript& transcript) {
  bool has_ended_output = false;
  for (const EventPtr& event : transcript.events()) {
    // What it does once its input has ended is no reason of its own; but who exits may be seen to
    // end its output first.
    if (event->observation.kind == Kind::kClosed) {
      if (event->is_from_client() && !has_ended_output) break;
      has_ended_output = has_ended_output || event->is_from_server();
    }
    const auto* exit = event->observation.exit();
    if (!exit || exit->was_killed_by_us) continue;
    return exit->signal ? fmt::format(" (ended by {})", transport::signal_words(*exit->signal))
                        : fmt::format(" (exit status {})", exit->code);
  }
  return "";
}

}  // namespace assay::harness
