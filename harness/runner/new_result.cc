#include "harness/runner/new_result.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <string>

#include "harness/catalogue/catalogue.h"

namespace assay::harness {

reports::Result new_result(int catalogue_version) {
  reports::Result result;
  result.tool_version = ASSAY_VERSION;
  result.catalogue_version = catalogue_version == 0 ? std::string(catalogue::version())
                                                    : std::to_string(catalogue_version);
  result.catalogue_digest = catalogue::digest();
  result.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return result;
}

}  // namespace assay::harness
