// Reads what a profile says of a client. Only this room includes this.
#pragma once

#include <vector>

#include "harness/profile/act.h"

namespace YAML {
class Node;
}

namespace assay::harness {

// The value of `client`. Throws reports::BadYaml.
std::vector<ClientWay> read_client(const YAML::Node& node);

}  // namespace assay::harness
