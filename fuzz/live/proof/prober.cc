#include "fuzz/live/proof/prober.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/sandbox.h"
#include "reference/wire/compose.h"

namespace assay::fuzz {
namespace {

// Whether the suspicion of this signature is there; never where none is named.
bool is_seen(Wire& wire, const std::string& signature) {
  return !signature.empty() && wire.judge().suspects(signature);
}

// Sends the steps, and waits for what comes of them; no longer than until the suspicion of the
// signature is there, if there is one.
WireState play(Wire& wire, const Recipe& recipe, const std::string& signature) {
  wire.set_manners(recipe.manners);
  const Case one{recipe.is_fresh, recipe.steps, "", {}};
  wire.post(std::span(&one, 1), 1);
  WireState state = wire.await();
  if (is_seen(wire, signature)) return state;
  if (state == WireState::kAlive) wire.settle();
  if (is_seen(wire, signature)) return state;
  // What happens on other threads of the target may show only now.
  wire.post({}, 2);
  state = wire.await();
  if (state == WireState::kAlive && !is_seen(wire, signature)) wire.settle();
  return state;
}

}  // namespace

Prober::~Prober() {
  for (const Ready& ready : ready_) {
    if (ready.wire) ready.wire->close();
  }
  if (used_.wire) used_.wire->close();
}

// A process takes long to start, so that of the next trial starts while this one runs. What proves
// a finding is written down, and has a process that starts when it is needed.
std::unique_ptr<Wire> Prober::open_wire(bool is_fresh, const Waits& waits,
                                        harness::Transcript* transcript) {
  const auto start = [&]() -> std::unique_ptr<Wire> {
    auto wire = make_wire({access_, words_, waits, transcript, stop_}, is_fresh);
    if (wire->open()) return nullptr;
    return wire;
  };
  if (transcript != nullptr || access_.kind.has_url()) return start();
  Ready& ready = ready_[is_fresh ? 1 : 0];
  std::unique_ptr<Wire> wire = std::move(ready.wire);
  if (wire && ready.waits != waits) {
    wire->close();
    wire = nullptr;
  }
  if (!wire) wire = start();
  ready = {start(), waits};
  return wire;
}

Suspicions Prober::run(const Recipe& recipe, const Waits& waits, harness::Transcript* transcript) {
  return run_until(recipe, "", waits, transcript);
}

Suspicions Prober::run_until(const Recipe& recipe, const std::string& signature, const Waits& waits,
                             harness::Transcript* transcript) {
  if (is_stopped()) return {};
  ++trials_;
  // What an earlier case left in the folder that is served is no fault of this one.
  if (words_.sandbox != nullptr) words_.sandbox->renew();
  const auto wire = open_wire(recipe.is_fresh, waits, transcript);
  if (!wire) return {};
  if (!recipe.is_fresh && !wire->begin()) {
    wire->close();
    return {};
  }
  play(*wire, recipe, signature);
  wire->close();
  Suspicions suspicions = wire->judge().take_suspicions();
  if (wire->judge().has_asked_a_person()) {
    std::erase_if(suspicions,
                  [](const Suspicion& each) { return each.oracle == Oracle::kTraversal; });
  }
  return suspicions;
}

bool Prober::may_show(const Recipe& recipe, const std::string& signature, const Waits& waits) {
  if (used_.wire && used_.waits != waits) {
    used_.wire->close();
    used_.wire = nullptr;
  }
  if (!used_.wire) {
    used_ = {open_wire(false, waits, nullptr), waits};
    if (!used_.wire) return false;
    if (!used_.wire->begin()) {
      used_.wire->close();
      used_.wire = nullptr;
      return false;
    }
  }
  if (words_.sandbox != nullptr) words_.sandbox->restore();
  used_.wire->judge().forget();
  const WireState state = play(*used_.wire, recipe, signature);
  const Suspicions suspicions = used_.wire->judge().take_suspicions();
  if (state != WireState::kAlive) {
    used_.wire->close();
    used_.wire = nullptr;
  }
  return std::any_of(suspicions.begin(), suspicions.end(),
                     [&](const Suspicion& each) { return each.signature() == signature; });
}

std::optional<Suspicion> Prober::find(const Recipe& recipe, const std::string& signature,
                                      const Waits& waits, harness::Transcript* transcript) {
  for (Suspicion& suspicion : run_until(recipe, signature, waits, transcript)) {
    std::string own = suspicion.signature();
    const bool is_it = own == signature;
    if (!is_it && access_.vault) access_.vault->redact_quoted(own);
    if (is_it || own == signature) return std::move(suspicion);
  }
  return std::nullopt;
}

Step Prober::fence_step() const {
  Step step;
  step.bytes = fence_text(words_, wire::Id::of_string("assay-fence")) + "\n";
  return step;
}

Steps Prober::usual_call(const std::string& tool) const {
  const Json* listed = words_.tool(tool);
  if (listed == nullptr) return {};
  model::Random random(1);
  const Json arguments = fitting_arguments(listed->value("inputSchema", Json::object()), random);
  const Json message = with_request_meta(
      words_, wire::make_request(wire::Id::of_string("assay-usual-call"), "tools/call",
                                 {{"name", tool}, {"arguments", arguments}}));
  Step step;
  step.bytes = wire::encode(message) + "\n";
  step.waits = true;
  return {step};
}

}  // namespace assay::fuzz
