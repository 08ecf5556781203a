// What looks wrong, before it is proved: what the oracles say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::fuzz {

// What is watched. Each has a rule (oracles.cc), which reports show.
enum class Oracle : std::uint8_t {
  kCrash,         // the process ended
  kHang,          // a ping was not answered any more
  kNoise,         // stdout carries what is no JSON-RPC message
  kInvalid,       // a message breaks the schema of the revision
  kMissing,       // a request was never answered
  kDoubled,       // a request was answered more than once
  kMisdirected,   // an answer to what was never asked, or on the wrong HTTP exchange
  kAccepted,      // success where the specification asks for a refusal
  kServerError,   // HTTP 5xx
  kMemory,        // memory grows with each case
  kDescriptors,   // open descriptors grow
  kOtherSession,  // what belongs to another session
  kTrace,         // an error tells where in its code the server failed
  kOutput,        // structured content breaks the tool's own outputSchema
  kTraversal,     // what is outside of the folder that it serves: escapes.h
  kInjection,     // what stands in an argument was computed: injections.h
};
inline constexpr Oracle kOracles[] = {
    Oracle::kCrash,       Oracle::kHang,    Oracle::kNoise,       Oracle::kInvalid,
    Oracle::kMissing,     Oracle::kDoubled, Oracle::kMisdirected, Oracle::kAccepted,
    Oracle::kServerError, Oracle::kMemory,  Oracle::kDescriptors, Oracle::kOtherSession,
    Oracle::kTrace,       Oracle::kOutput,  Oracle::kTraversal,   Oracle::kInjection};

std::string_view name(Oracle oracle);  // "crash", "server-error"
// Nothing if no oracle is called that.
std::optional<Oracle> parse_oracle(std::string_view text);
// The rule in one sentence, and where it comes from.
std::string_view rule(Oracle oracle);
// True if the rule only means something for this transport.
bool is_for(Oracle oracle, bool is_http);

struct Suspicion {
  Oracle oracle = Oracle::kCrash;
  // Tells it from others of its oracle, the same in every run: "tools/list /tools/*/name". May
  // quote the target; printable and short.
  std::string about;
  std::string detail;             // one sentence for a person; printable
  std::string rule = {};          // where the oracle's own sentence says too little
  bool is_should = false;         // the specification says SHOULD
  std::size_t case_number = 0;    // the case it is laid to
  bool is_guess = false;          // worth a look, and not worth a word unless it is proved
  std::size_t answered_case = 0;  // the newest that was answered before; 0: not known

  std::string signature() const { return std::string(name(oracle)) + ": " + about; }
};

// Something was served that `rule` says is to be refused.
Suspicion accepted(std::string about, std::string detail, std::string rule, bool is_should);

using Suspicions = std::vector<Suspicion>;

}  // namespace assay::fuzz
