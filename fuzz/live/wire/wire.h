// One connection to the target, on which cases are sent and what comes back is judged.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "fuzz/live/judge/judge.h"
#include "fuzz/live/target/step.h"
#include "fuzz/live/target/vocabulary.h"
#include "fuzz/live/wire/delays.h"
#include "harness/script/link.h"
#include "harness/transcript/transcript.h"

namespace assay::fuzz {

// How long the fuzzer is willing to wait. No rule is made of them: what depends on time is tried
// again from a fresh start before anybody is accused.
struct Waits {
  std::chrono::milliseconds start{30'000};  // for the answer to `initialize`
  std::chrono::milliseconds ping{5'000};    // for a ping, before the target counts as hanging
  std::chrono::milliseconds answer{5'000};  // for any other answer, after a ping was answered
  friend bool operator==(const Waits&, const Waits&) = default;
};

// Everything that a wire needs to know; all of it outlives the wire.
struct WireSetting {
  const harness::TargetAccess& access;
  const Vocabulary& words;
  Waits waits = {};
  harness::Transcript* transcript = nullptr;  // is told everything, if there is one
  std::stop_token stop = {};                  // ends every wait
};

enum class WireState : std::uint8_t {
  kAlive,
  kSilent,  // a ping was not answered, and nothing more can be tried
  kGone,    // the process or its connection ended
  kCut,     // we read no further: we were stopped, or more came than we can hold. What did not come
            // accuses nobody
};

// Used by one thread.
class Wire {
 public:
  virtual ~Wire() = default;

  virtual std::optional<transport::Failure> open() = 0;
  // The handshake. False if it was not answered with a result.
  virtual bool begin() = 0;
  // How requests of the target's are answered from now on; see Courtesy.
  virtual void set_manners(int manners) = 0;
  // Sends the cases, numbered from `first_number` on, with a ping behind them, and returns before
  // that is answered unless a step of theirs waits.
  virtual void post(std::span<const Case> cases, std::size_t first_number) = 0;
  // Waits for the ping behind what was posted last. Says kGone to the judge, too, and kSilent where
  // the target does not answer.
  virtual WireState await() = 0;
  // Waits until nothing is open that must be answered, at most for Waits::answer; what is then
  // still open is missing.
  virtual void settle() = 0;
  // One ping, there and back; false if it was not answered.
  virtual bool ping() = 0;
  // How much memory, in bytes, or how many descriptors the process holds, its children included;
  // nothing where that cannot be seen. For the two oracles of growth.
  virtual std::optional<std::size_t> held(Oracle what) = 0;
  // What was waited for so far, where that is known.
  virtual const Delays& delays() const = 0;
  // Ends it, and the process, at once.
  virtual void close() = 0;

  virtual LiveJudge& judge() = 0;
};

// Over stdio, or any other transport of lines: each wire is a process of its own. Over HTTP: two
// sessions of its own on the same server. `is_fresh`: begin() will not be called before the first
// case.
std::unique_ptr<Wire> make_wire(const WireSetting& setting, bool is_fresh);

// How each is made.
std::unique_ptr<Wire> make_line_wire(const WireSetting& setting, bool is_fresh);
std::unique_ptr<Wire> make_http_wire(const WireSetting& setting, bool is_fresh);

}  // namespace assay::fuzz
