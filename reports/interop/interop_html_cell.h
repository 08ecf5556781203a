// What the page of clients and servers shows of one cell, as data of its template. Internal to
// reports/.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "reports/interop/interop_result.h"
#include "reports/interop/interop_text.h"

namespace assay::reports {

// What a cell without a gateway has in the place of its name.
inline constexpr const char* kNoGateway = "(none)";

// What others wrote, on one line that a page has room for.
std::string short_name(std::string_view text);
std::string sentence(std::string_view text);

const char* class_of_outcome(ActOutcome outcome);
std::string figures_text(const ActCounts& counts);

// The name of a cell within the page.
std::string anchor(std::size_t index);
// For the filters: its gateway, and the acts that fail.
std::string gateway_of(const PairCell& cell);
std::string failing_in(const PairCell& cell);

nlohmann::json breach_data(const PairCell& cell, const PairBreach& breach);
// `budget`: how many bytes of exchanges the page may still show; what is shown is taken off.
nlohmann::json cell_data(const InteropResult& result, std::size_t index,
                         const std::vector<const PairActInfo*>& acts, std::size_t& budget);

}  // namespace assay::reports
