#include "fuzz/live/judge/suspicion.h"

#include <algorithm>
#include <utility>

namespace assay::fuzz {
namespace {

struct OracleEntry {
  Oracle oracle;
  std::string_view name;
  std::string_view rule;
  bool over_stdio = true;
  bool over_http = true;
};

constexpr OracleEntry kEntries[] = {
    {Oracle::kCrash, "crash", "A server outlives whatever a client sends.", true, true},
    {Oracle::kHang, "hang", "A server goes on answering pings, whatever else it was sent.", true,
     true},
    {Oracle::kNoise, "noise", "A server writes nothing to its standard output but messages.", true,
     false},
    {Oracle::kInvalid, "invalid-message",
     "Every message has the form that the revision's schema gives it.", true, true},
    {Oracle::kMissing, "missing-answer",
     "Every request is answered, with a result or an error (JSON-RPC 2.0, section 5).", true, true},
    {Oracle::kDoubled, "doubled-answer", "A request is answered once.", true, true},
    {Oracle::kMisdirected, "misdirected-answer",
     "An answer carries the id of the request that it answers.", true, true},
    {Oracle::kAccepted, "accepted", "What the specification says is refused is refused.", true,
     true},
    {Oracle::kServerError, "server-error",
     "No request of a client makes a server fail with an HTTP status of 500 or more.", false, true},
    {Oracle::kMemory, "growing-memory", "What was answered does not go on taking memory.", true,
     false},
    {Oracle::kDescriptors, "growing-descriptors",
     "What was answered does not go on holding descriptors.", true, false},
    {Oracle::kOtherSession, "other-session", "A session never sees what belongs to another.", false,
     true},
    {Oracle::kTrace, "trace",
     "An error says what is wrong with the request, and not where in its code the server failed.",
     true, true},
    {Oracle::kOutput, "structured-output",
     "Servers MUST provide structured results that conform to the tool's outputSchema "
     "(server/tools, \"Output Schema\").",
     true, true},
    {Oracle::kTraversal, "path-traversal",
     "Servers MUST validate all resource URIs and tool inputs (server/resources and server/tools, "
     "\"Security Considerations\"): what is outside of the folder that they serve stays there.",
     true, true},
    {Oracle::kInjection, "injection",
     "Servers MUST validate all tool inputs (server/tools, \"Security Considerations\"), and "
     "implementations MUST carefully validate all prompt inputs and outputs to prevent injection "
     "attacks "
     "(server/prompts, \"Security\"): what is given as a text is no template, command or query.",
     true, true},
};

const OracleEntry& entry(Oracle oracle) {
  return kEntries[static_cast<std::size_t>(oracle)];
}

}  // namespace

std::string_view name(Oracle oracle) {
  return entry(oracle).name;
}

std::optional<Oracle> parse_oracle(std::string_view text) {
  const auto found = std::find_if(std::begin(kEntries), std::end(kEntries),
                                  [&](const auto& one) { return one.name == text; });
  return found == std::end(kEntries) ? std::nullopt : std::optional(found->oracle);
}

std::string_view rule(Oracle oracle) {
  return entry(oracle).rule;
}

bool is_for(Oracle oracle, bool is_http) {
  return is_http ? entry(oracle).over_http : entry(oracle).over_stdio;
}

Suspicion accepted(std::string about, std::string detail, std::string rule, bool is_should) {
  return {Oracle::kAccepted, std::move(about), std::move(detail), std::move(rule), is_should};
}

}  // namespace assay::fuzz
