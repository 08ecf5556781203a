#include "scenarios/fault_matrix_testing.h"

#include <cstdlib>
#include <string>

#include "harness/runner/worker_pool.h"

namespace assay::scenarios {

bool is_wanted_fault(std::string_view id) {
  const char* const named = std::getenv("ASSAY_FAULTS");
  if (named == nullptr || *named == '\0') return true;
  const std::string among = "," + std::string(named) + ",";
  return among.find("," + std::string(id) + ",") != std::string::npos;
}

void play_rows(std::size_t count, const std::function<void(std::size_t row)>& play) {
  constexpr int kAtOnce = 5;
  harness::WorkerPool pool(kAtOnce);
  for (std::size_t row = 0; row < count; ++row) pool.add([&play, row] { play(row); });
}

}  // namespace assay::scenarios
