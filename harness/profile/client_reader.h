// Reads what a profile says of a client. Nobody but this room includes this.
#pragma once

#include <yaml-cpp/yaml.h>

#include <vector>

#include "harness/profile/act.h"

namespace assay::harness {

// The value of `client`. Throws reports::BadYaml.
std::vector<ClientWay> read_client(const YAML::Node& node);

}  // namespace assay::harness
