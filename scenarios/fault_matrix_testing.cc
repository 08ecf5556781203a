#include "scenarios/fault_matrix_testing.h"

#include <cstdlib>
#include <string>

#include "harness/runner/worker_pool.h"

namespace assay::scenarios {

namespace {

bool is_set(const char* value) {
  return value != nullptr && *value != '\0';
}

}  // namespace

bool are_faults_named() {
  return is_set(std::getenv("ASSAY_FAULTS"));
}

bool is_whole_matrix() {
  return are_faults_named() || is_set(std::getenv("ASSAY_WHOLE_MATRIX"));
}

bool is_wanted_fault(std::string_view id) {
  const char* const named = std::getenv("ASSAY_FAULTS");
  if (!is_set(named)) return true;
  const std::string among = "," + std::string(named) + ",";
  return among.find("," + std::string(id) + ",") != std::string::npos;
}

bool is_in_part_of(std::size_t row, std::size_t scenario) {
  constexpr std::size_t kParts = 4;
  return (row + scenario) % kParts == 0;
}

void play_rows(std::size_t count, const std::function<void(std::size_t row)>& play) {
  constexpr int kAtOnce = 5;
  harness::WorkerPool pool(kAtOnce);
  for (std::size_t row = 0; row < count; ++row) pool.add([&play, row] { play(row); });
}

}  // namespace assay::scenarios
