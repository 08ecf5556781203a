// What the matrices of faults share, of servers and of clients.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace assay::scenarios {

// Whether a matrix is to have a row for the fault: each has, unless the environment names some in
// ASSAY_FAULTS, with commas between them.
bool is_wanted_fault(std::string_view id);

// Whether the environment names some: then a matrix may have few rows, or none.
bool are_faults_named();

// Whether each row plays all scenarios, and each of clients in all revisions; else a part of those
// that the fault is not about. Named faults do, and all where the environment has
// ASSAY_WHOLE_MATRIX, as ci/soak has it.
bool is_whole_matrix();

// Of the scenarios that its fault is not about a row plays a quarter, another one for each row in
// turn, so that a wrong blame is seen. Whether this one, by its index, is in that of the row.
bool is_in_part_of(std::size_t row, std::size_t scenario);

// Calls `play` with 0 to `count` - 1, several at once: most of a row is waiting. Returns when each
// is through.
void play_rows(std::size_t count, const std::function<void(std::size_t row)>& play);

}  // namespace assay::scenarios
