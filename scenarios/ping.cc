// Scenarios about ping.
//
// Specification: basic/utilities/ping.
#include "harness/runner/scenario.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// A ping is answered, and at once: a plain request in an idle session has nothing to wait for.
SCENARIO(ping_is_answered, judges({"ping.answered"})) {
  const Reply reply = script.request("ping");
  script.check("ping.answered", reply.is_result(), reply);
}

}  // namespace
}  // namespace assay::scenarios
