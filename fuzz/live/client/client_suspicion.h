// What the fuzzer of clients looks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::fuzz {

enum class ClientOracle : std::uint8_t {
  kCrash,    // the process died
  kHang,     // it did not end though everything was answered and closed, or is busy for ever
  kMemory,   // it took much more memory than it was sent
  kFetched,  // it fetched what it was only told of
  kInvalid,  // it said what is no JSON-RPC message
  kUnasked,  // it answered what nobody had asked
  kDoubled,  // it answered twice
  kUndue,    // it sent the same request again and again
};
inline constexpr ClientOracle kClientOracles[] = {
    ClientOracle::kCrash,   ClientOracle::kHang,    ClientOracle::kMemory,  ClientOracle::kFetched,
    ClientOracle::kInvalid, ClientOracle::kUnasked, ClientOracle::kDoubled, ClientOracle::kUndue};

std::string_view name(ClientOracle oracle);  // "crash", "unasked-answer"
// Nothing if no oracle is called that.
std::optional<ClientOracle> parse_client_oracle(std::string_view text);
// The rule in one sentence, and where it comes from.
std::string_view rule(ClientOracle oracle);
// True where no sentence of the specification forbids what is found: who follows every `nextCursor`
// does as server/utilities/pagination says.
bool is_advice(ClientOracle oracle);

struct ClientSuspicion {
  ClientOracle oracle = ClientOracle::kCrash;
  // What tells it from others of its oracle where the client itself says so; may be empty.
  std::string cause;
  std::string detail;  // one sentence for a person; printable
  // It happened, shown again or not: a signal ended the process, or a sanitizer said so.
  bool is_certain = false;
};
using ClientSuspicions = std::vector<ClientSuspicion>;

}  // namespace assay::fuzz
