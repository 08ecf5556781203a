#include "fuzz/live/client/client_suspicion.h"

#include <algorithm>
#include <iterator>

namespace assay::fuzz {

std::string_view name(ClientOracle oracle) {
  switch (oracle) {
    case ClientOracle::kCrash:
      return "crash";
    case ClientOracle::kHang:
      return "hang";
    case ClientOracle::kMemory:
      return "growing-memory";
    case ClientOracle::kFetched:
      return "fetched";
    case ClientOracle::kInvalid:
      return "invalid-message";
    case ClientOracle::kUnasked:
      return "unasked-answer";
    case ClientOracle::kDoubled:
      return "doubled-answer";
    case ClientOracle::kUndue:
      return "undue-requests";
  }
  return "";
}

std::optional<ClientOracle> parse_client_oracle(std::string_view text) {
  const auto found = std::find_if(std::begin(kClientOracles), std::end(kClientOracles),
                                  [&](ClientOracle oracle) { return name(oracle) == text; });
  return found == std::end(kClientOracles) ? std::nullopt : std::optional(*found);
}

std::string_view rule(ClientOracle oracle) {
  switch (oracle) {
    case ClientOracle::kCrash:
      return "No server may be able to crash its client (robustness)";
    case ClientOracle::kHang:
      return "A client ends when everything is answered and the connection is closed (robustness)";
    case ClientOracle::kMemory:
      return "No server may be able to exhaust the memory of its client (robustness)";
    case ClientOracle::kFetched:
      return "A $ref that leads to the network is not fetched by itself (basic, JSON Schema Usage)";
    case ClientOracle::kInvalid:
      return "Every message follows JSON-RPC 2.0 (basic, Messages)";
    case ClientOracle::kUnasked:
      return "Only requests are answered, and notifications never are (basic, Messages)";
    case ClientOracle::kDoubled:
      return "A request is answered once (basic, Messages; JSON-RPC 2.0)";
    case ClientOracle::kUndue:
      return "No server should be able to keep its client asking for ever (robustness; the "
             "specification sets no bound)";
  }
  return "";
}

bool is_advice(ClientOracle oracle) {
  return oracle == ClientOracle::kUndue;
}

}  // namespace assay::fuzz
